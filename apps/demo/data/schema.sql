-- The shop's database. Amounts are yuan, dates are ISO text.
CREATE TABLE customers (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  city TEXT NOT NULL,
  country TEXT NOT NULL,
  tier TEXT NOT NULL CHECK (tier IN ('standard', 'silver', 'gold')),
  joined_on TEXT NOT NULL
);
CREATE TABLE products (
  id INTEGER PRIMARY KEY,
  sku TEXT NOT NULL UNIQUE,
  name TEXT NOT NULL,
  name_zh TEXT NOT NULL,
  category TEXT NOT NULL,
  price REAL NOT NULL,
  stock INTEGER NOT NULL
);
CREATE TABLE orders (
  id INTEGER PRIMARY KEY,
  customer_id INTEGER NOT NULL REFERENCES customers (id),
  ordered_on TEXT NOT NULL,
  promised_on TEXT NOT NULL,
  delivered_on TEXT,
  status TEXT NOT NULL CHECK (status IN ('processing', 'shipped', 'delivered', 'returned', 'cancelled')),
  total REAL NOT NULL
);
CREATE TABLE order_items (
  order_id INTEGER NOT NULL REFERENCES orders (id),
  product_id INTEGER NOT NULL REFERENCES products (id),
  quantity INTEGER NOT NULL,
  unit_price REAL NOT NULL,
  PRIMARY KEY (order_id, product_id)
);
CREATE TABLE refunds (
  id INTEGER PRIMARY KEY,
  order_id INTEGER NOT NULL REFERENCES orders (id),
  requested_on TEXT NOT NULL,
  paid_on TEXT,
  reason TEXT NOT NULL,
  amount REAL NOT NULL
);
CREATE TABLE tickets (
  -- Never given twice: what was approved for one ticket must not meet another.
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  title TEXT NOT NULL,
  body TEXT NOT NULL,
  priority TEXT NOT NULL CHECK (priority IN ('low', 'normal', 'high')),
  status TEXT NOT NULL DEFAULT 'open',
  created_at TEXT NOT NULL
);
-- Messages to everybody, in the order in which they went out. Nothing is taken back.
CREATE TABLE notifications (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  message TEXT NOT NULL,
  sent_at TEXT NOT NULL
);
CREATE TRIGGER notifications_stay BEFORE DELETE ON notifications BEGIN SELECT RAISE(ABORT, 'what was sent stays sent'); END;
CREATE TRIGGER notifications_fixed BEFORE UPDATE ON notifications BEGIN SELECT RAISE(ABORT, 'what was sent stays sent'); END;
-- What was done under a key, noted in the transaction that did it: the same key does nothing more.
CREATE TABLE effects (
  operation_key TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  outcome TEXT NOT NULL,
  done_at TEXT NOT NULL
);
