import { wordTable } from "../text.ts";

/** A table that can be asked about. */
export type Table = "orders" | "customers" | "products" | "order_items" | "refunds" | "tickets" | "notifications";

interface TableSchema {
  from: string;
  key: string;
  /** What it can be narrowed, split and ranked by. */
  columns: Readonly<Record<string, string>>;
  /** What it is ranked, summed and averaged by, unless another field is named. */
  money?: string;
  /** What a list shows of a row. */
  row: string;
  /** What is known of one record, with `%ID%` for its number. */
  record?: string;
  /** What its rows are called: in English many and one, in Chinese; and what its date is. */
  names: readonly [many: string, one: string, zh: string];
  dated: string;
}

const withCustomer = "JOIN customers c ON c.id = o.customer_id";
const ofCustomer = "customer=c.id;city=c.city;country=c.country;tier=c.tier";
const recordOf = (table: string, columns: string): string => `SELECT ${columns} FROM ${table} WHERE id = %ID%`;

/** What each table holds, and how it is read. */
export const schema: Readonly<Record<Table, TableSchema>> = {
  orders: {
    from: `orders o ${withCustomer}`,
    key: "o.id",
    columns: wordTable(
      `status=o.status;${ofCustomer};product=p.id;category=p.category;late=o.delivered_on > o.promised_on;date=o.ordered_on;total=o.total`,
    ),
    money: "total",
    row: "o.id, c.name AS customer, o.ordered_on, o.promised_on, o.delivered_on, o.status, o.total",
    record: `SELECT o.id, o.status, o.ordered_on, o.promised_on, o.delivered_on, o.total, c.name AS customer, c.city, p.sku, p.name AS product, i.quantity FROM orders o ${withCustomer} LEFT JOIN order_items i ON i.order_id = o.id LEFT JOIN products p ON p.id = i.product_id WHERE o.id = %ID% ORDER BY p.sku`,
    names: ["orders", "order", "订单"],
    dated: "ordered_on",
  },
  customers: {
    from: "customers c",
    key: "c.id",
    columns: wordTable(`${ofCustomer};date=c.joined_on`),
    row: "c.id, c.name, c.city, c.country, c.tier, c.joined_on",
    record: recordOf("customers", "id, name, city, country, tier, joined_on"),
    names: ["customers", "customer", "客户"],
    dated: "joined_on",
  },
  products: {
    from: "products p",
    key: "p.sku",
    columns: wordTable("product=p.id;category=p.category;price=p.price;stock=p.stock"),
    money: "price",
    row: "p.sku, p.name, p.category, p.price, p.stock",
    record: recordOf("products", "id, sku, name, name_zh, category, price, stock"),
    names: ["products", "product", "商品"],
    dated: "",
  },
  order_items: {
    from: "order_items i JOIN orders o ON o.id = i.order_id JOIN products p ON p.id = i.product_id",
    key: "i.order_id",
    columns: wordTable("product=p.id;category=p.category;order=o.id"),
    row: "i.order_id, p.sku, p.name AS product, i.quantity, i.unit_price",
    names: ["order items", "order item", "订单明细"],
    dated: "",
  },
  refunds: {
    from: `refunds r JOIN orders o ON o.id = r.order_id ${withCustomer}`,
    key: "r.id",
    columns: wordTable(`${ofCustomer};reason=r.reason;order=r.order_id;date=r.requested_on;amount=r.amount`),
    money: "amount",
    row: "r.id, r.order_id, c.name AS customer, r.requested_on, r.paid_on, r.reason, r.amount",
    record: recordOf("refunds", "id, order_id, requested_on, paid_on, reason, amount"),
    names: ["refunds", "refund", "退款"],
    dated: "requested_on",
  },
  tickets: {
    from: "tickets t",
    key: "t.id",
    columns: wordTable("ticketstatus=t.status;priority=t.priority;date=substr(t.created_at, 1, 10)"),
    row: "t.id, t.title, t.priority, t.status, substr(t.created_at, 1, 10) AS created",
    record: recordOf("tickets", "id, title, body, priority, status, created_at"),
    names: ["tickets", "ticket", "工单"],
    dated: "created",
  },
  notifications: {
    from: "notifications n",
    key: "n.id",
    columns: wordTable("date=substr(n.sent_at, 1, 10)"),
    row: "n.id, n.channel, n.message, n.sent_at",
    names: ["notifications", "notification", "通知"],
    dated: "created",
  },
};

/** The lines of orders, where goods are asked about. */
export const lineSource = " JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id";
