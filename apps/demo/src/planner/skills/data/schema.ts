export type Table = "orders" | "customers" | "products" | "refunds" | "tickets";

interface Description {
  /** What it is read from: under its first letter. */
  from: string;
  /** What it can be narrowed, split and ranked by; what is summed. */
  columns: Readonly<Record<string, string>>;
  sums?: Readonly<Record<string, string>>;
  /** The column that a number without a name is compared with. */
  money?: string;
  /** What a list shows of a row, and what one record shows besides. */
  row: string;
  more?: string;
}

const people = { customer: "c.id", city: "c.city", country: "c.country", tier: "c.tier" };
const goods = { product: "p.id", category: "p.category" };

export const schema: Readonly<Record<Table, Description>> = {
  orders: {
    from: "orders o JOIN customers c ON c.id = o.customer_id",
    columns: {
      ...people,
      ...goods,
      status: "o.status",
      late: "o.delivered_on > o.promised_on",
      date: "o.ordered_on",
      total: "o.total",
    },
    sums: { revenue: "o.total", units: "i.quantity" },
    money: "total",
    row: "o.id, c.name AS customer, o.ordered_on, o.promised_on, o.delivered_on, o.status, o.total",
    more: "c.city, p.sku, p.name AS product, i.quantity",
  },
  customers: {
    from: "customers c",
    columns: { ...people, date: "c.joined_on" },
    row: "c.id, c.name, c.city, c.country, c.tier, c.joined_on",
  },
  products: {
    from: "products p",
    columns: { ...goods, price: "p.price", stock: "p.stock" },
    sums: { stock: "p.stock" },
    row: "p.sku, p.name, p.category, p.price, p.stock",
    more: "p.id, p.name_zh",
  },
  refunds: {
    from: "refunds r JOIN orders o ON o.id = r.order_id JOIN customers c ON c.id = o.customer_id",
    columns: { ...people, reason: "r.reason", order: "r.order_id", date: "r.requested_on", amount: "r.amount" },
    sums: { amount: "r.amount" },
    money: "amount",
    row: "r.id, r.order_id, c.name AS customer, r.requested_on, r.paid_on, r.reason, r.amount",
  },
  tickets: {
    from: "tickets t",
    columns: { ticketstatus: "t.status", priority: "t.priority", date: "substr(t.created_at, 1, 10)" },
    row: "t.id, t.title, t.priority, t.status, substr(t.created_at, 1, 10) AS created",
    more: "t.body",
  },
};

export const keyOf = (table: Table): string => `${table[0]}.id`;
/** What one row is, in English. */
export const oneOf = (table: Table): string => table.slice(0, -1);

/** The lines of orders, where goods are asked about. */
export const lineSource = " JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id";

/** All names in the data, and what they are names of. */
export const nameSource = `SELECT 'customer' AS kind, id, name AS value FROM customers
  UNION SELECT 'product', id, name FROM products
  UNION SELECT 'product', id, name_zh FROM products
  UNION SELECT 'product', id, sku FROM products
  UNION SELECT 'city', NULL, city FROM customers
  UNION SELECT 'country', NULL, country FROM customers
  UNION SELECT 'reason', NULL, reason FROM refunds`;
