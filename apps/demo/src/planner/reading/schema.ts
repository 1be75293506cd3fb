import { wordTable } from "../text.ts";

/** A table that can be asked about. */
export type Table = "orders" | "customers" | "products" | "order_items" | "refunds" | "tickets" | "notifications";

/** For each table: what it is read from; its key; its date; its names in English (many, one) and Chinese; what it is ranked and averaged by. */
const sources = `
orders ; orders o JOIN customers c ON c.id = o.customer_id ; o.id ; ordered_on ; orders ; order ; 订单 ; total
customers ; customers c ; c.id ; joined_on ; customers ; customer ; 客户
products ; products p ; p.sku ; - ; products ; product ; 商品 ; price
order_items ; order_items i JOIN orders o ON o.id = i.order_id JOIN products p ON p.id = i.product_id ; i.order_id ; - ; order items ; order item ; 订单明细
refunds ; refunds r JOIN orders o ON o.id = r.order_id JOIN customers c ON c.id = o.customer_id ; r.id ; requested_on ; refunds ; refund ; 退款 ; amount
tickets ; tickets t ; t.id ; created ; tickets ; ticket ; 工单
notifications ; notifications n ; n.id ; created ; notifications ; notification ; 通知`;

const people = "customer=c.id;city=c.city;country=c.country;tier=c.tier";
/** What a table can be narrowed, split and ranked by. */
const columns: Readonly<Record<Table, string>> = {
  orders: `status=o.status;${people};product=p.id;category=p.category;late=o.delivered_on > o.promised_on;date=o.ordered_on;total=o.total`,
  customers: `${people};date=c.joined_on`,
  products: "product=p.id;category=p.category;price=p.price;stock=p.stock",
  order_items: "product=p.id;category=p.category;order=o.id",
  refunds: `${people};reason=r.reason;order=r.order_id;date=r.requested_on;amount=r.amount`,
  tickets: "ticketstatus=t.status;priority=t.priority;date=substr(t.created_at, 1, 10)",
  notifications: "date=substr(n.sent_at, 1, 10)",
};

/** What a list shows of a row. */
const rows: Readonly<Record<Table, string>> = {
  orders: "o.id, c.name AS customer, o.ordered_on, o.promised_on, o.delivered_on, o.status, o.total",
  customers: "c.id, c.name, c.city, c.country, c.tier, c.joined_on",
  products: "p.sku, p.name, p.category, p.price, p.stock",
  order_items: "i.order_id, p.sku, p.name AS product, i.quantity, i.unit_price",
  refunds: "r.id, r.order_id, c.name AS customer, r.requested_on, r.paid_on, r.reason, r.amount",
  tickets: "t.id, t.title, t.priority, t.status, substr(t.created_at, 1, 10) AS created",
  notifications: "n.id, n.channel, n.message, n.sent_at",
};

/** What is known of one record, with `%ID%` for its number. */
const records: Partial<Record<Table, string>> = {
  orders:
    "SELECT o.id, o.status, o.ordered_on, o.promised_on, o.delivered_on, o.total, c.name AS customer, c.city, p.sku, p.name AS product, i.quantity FROM orders o JOIN customers c ON c.id = o.customer_id LEFT JOIN order_items i ON i.order_id = o.id LEFT JOIN products p ON p.id = i.product_id WHERE o.id = %ID% ORDER BY p.sku",
  customers: "SELECT id, name, city, country, tier, joined_on FROM customers WHERE id = %ID%",
  products: "SELECT id, sku, name, name_zh, category, price, stock FROM products WHERE id = %ID%",
  refunds: "SELECT id, order_id, requested_on, paid_on, reason, amount FROM refunds WHERE id = %ID%",
  tickets: "SELECT id, title, body, priority, status, created_at FROM tickets WHERE id = %ID%",
};

function describe(line: string) {
  const [table = "", from = "", key = "", dated = "", many = "", one = "", zh = "", money] = line.split(" ; ");
  const name = table as Table;
  const about = { from, key, dated, names: [many, one, zh] as const, money };
  return [name, { ...about, columns: wordTable(columns[name]), row: rows[name], record: records[name] }] as const;
}

/** What each table holds, and how it is read. */
export const schema = Object.fromEntries(sources.trim().split("\n").map(describe)) as Readonly<
  Record<Table, ReturnType<typeof describe>[1]>
>;

/** The lines of orders, where goods are asked about. */
export const lineSource = " JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id";
