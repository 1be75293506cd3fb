import { listed, path, template } from "../plan.ts";
import { unreadWords } from "../reading/unread.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import { markdownTable, type Say } from "../text.ts";

type Row = Record<string, unknown>;

/** Rules with a number in them, which a pattern finds, and the queries for what falls under each. Texts are English, then Chinese. */
const topics = [
  {
    words: /\b(?:delay\w*|late|shipping)\b|延误|延迟|迟到|晚到/iu,
    query: ["shipping delay policy", "发货延误处理办法"],
    pattern: ["more than (\\d+) days after", "超过承诺日期\\s*(\\d+)\\s*天"],
    sql: `SELECT o.id AS number, c.name AS customer, CAST(julianday(o.delivered_on) - julianday(o.promised_on) AS INTEGER) AS days_late, o.total AS total
FROM orders o JOIN customers c ON c.id = o.customer_id
WHERE o.status <> 'cancelled' AND julianday(o.delivered_on) - julianday(o.promised_on) > {limit}
ORDER BY days_late DESC, o.id`,
    headers: ["order, customer, days late, total", "订单, 客户, 延误天数, 金额"],
    noun: ["orders", "张订单"],
    title: ["{count} orders arrived more than {limit} days late", "{count} 张订单延误超过 {limit} 天"],
    priority: "high",
  },
  {
    words: /\b(?:re-?stock\w*|re-?order\w*|stock|running low)\b|补货|缺货|库存/iu,
    query: ["restocking rules reorder point", "仓库补货规则"],
    pattern: ["fewer than (\\d+) units", "少于\\s*(\\d+)\\s*件"],
    sql: "SELECT sku AS number, name AS product, category AS category, stock AS stock\nFROM products WHERE stock < {limit} ORDER BY stock, sku",
    headers: ["SKU, product, category, stock", "货号, 商品, 类别, 库存"],
    noun: ["products", "种商品"],
    title: ["Reorder {count} products with fewer than {limit} units", "{count} 种商品库存少于 {limit} 件，请补货"],
    priority: "normal",
  },
  {
    words: /\brefunds?\b|退款/iu,
    query: ["refund policy", "退款政策"],
    pattern: ["longer than (\\d+) days", "超过\\s*(\\d+)\\s*天的退款"],
    sql: `SELECT r.id AS number, CAST(r.order_id AS TEXT) AS order_number, CAST(julianday(r.paid_on) - julianday(r.requested_on) AS INTEGER) AS days, r.amount AS amount
FROM refunds r WHERE julianday(r.paid_on) - julianday(r.requested_on) > {limit}
ORDER BY days DESC, r.id`,
    headers: ["refund, order, days, amount", "退款, 订单, 天数, 金额"],
    noun: ["refunds", "笔退款"],
    title: ["{count} refunds took longer than {limit} days", "{count} 笔退款用时超过 {limit} 天"],
    priority: "high",
  },
] as const;

type Topic = (typeof topics)[number];

const rules = /\b(?:polic\w*|rules?|terms|document|guideline)\b|政策|规定|规则|办法|制度/iu;
const checks =
  /\b(?:check|affected|which (?:orders|products|refunds)|falls? under|overdue|below|breaks?|violat\w+|too late|list the)\b|受影响|检查|核对|查出|找出|哪些|超期|低于|违反/iu;
const tickets = /\b(?:open|create|file|raise)\s+(?:an?|one)\s+tickets?\b|\btickets?\b|(?:建|开|创建)?一?张?工单/iu;
/** What else such a request may say. */
const others =
  /\b(?:find|look up|read|get|search|against|orders?|products?|refunds?|points?|handling|processing|data|too|open|create|under|by|breach|then|it|them|for (?:it|them)|that fall)\b|查一?下?|查|按照?|根据|读|处理|发货|仓库|订单|商品|退款|并且?|然后|再|受|的|出|数据|对照|要|补货线/iu;

/** `Find the shipping delay policy, check which orders are affected and open a ticket.` */
export function readChain(question: string, say: Say): Task | Unread | undefined {
  const topic = topics.find(({ words }) => words.test(question));
  if (!topic || !rules.test(question) || !checks.test(question)) return undefined;
  const known = [topic.words, rules, checks, tickets, others].map(({ source }) => source).join("|");
  const unread = unreadWords(question, known, ["and", "which", "list", "noun"]);
  return unread.length > 0 ? { unread } : chainTask(topic, tickets.test(question), say);
}

function chainTask(topic: Topic, ticket: boolean, say: Say): Task {
  const own = (texts: readonly [string, string]): string => texts[say.zh ? 1 : 0];
  const query = own(topic.query);
  const [hits, policies, limits, rows] = [path("hits"), path("policies"), path("limits"), path("rows")];
  const limit = path("limits", 0);
  const body = template(say`Rule: {id}. {numbers} ‖ 依据文档 {id}. {numbers}`, {
    id: path("hits", 0, "document_id"),
    numbers: listed("rows", "number"),
  });
  const title = template(own(topic.title), { limit, count: listed("rows") });
  const input = { title, body, priority: topic.priority };
  const over = { sql: template(topic.sql, { limit }), limit: 200 };
  return plannedTask<{ hits: Row[]; limits: string[]; rows: Row[]; ticket?: Row }>({
    kind: "chain",
    about: say`the data checked against the ${query}${ticket ? ", and a ticket" : ""} ‖ 按“${query}”核对数据${ticket ? "，并建工单" : ""}`,
    steps: [
      [{ name: "hits", tool: "search_documents", input: { query, top_k: 1 } }],
      [{ name: "policies", each: hits, tool: "fetch_document", input: { document_id: path("item", "document_id") } }],
      [{ name: "limits", when: policies, find: { pattern: own(topic.pattern), text: path("policies", 0, "text") } }],
      [{ name: "rows", when: limits, tool: "query_sql", input: over, take: "rows" }],
      ...(ticket ? [[{ name: "ticket", when: rows, tool: "create_ticket", input }]] : []),
    ],
    result: ["hits", "limits", "rows", ...(ticket ? ["ticket"] : [])],
    answer({ hits: [hit], limits: [number], rows: list, ticket: made }) {
      if (hit === undefined || number === undefined)
        return say`I found no limit in any document about the ${query}. ‖ 没有找到写明界限的“${query}”。`;
      const head = say`The limit in ${hit.document_id} is ${number}. ‖ 文档 ${hit.document_id} 的界限是 ${number}。`;
      if (list.length === 0) return say`${head} Nothing in the data goes beyond it. ‖ ${head}没有记录超出。`;
      const noun = own(topic.noun);
      const table = markdownTable(
        own(topic.headers).split(", "),
        list.map((row) => Object.entries(row).map(([name, value]) => (name === "number" ? String(value) : value))),
      );
      return [
        say`${head} ${list.length} ${noun} fall under it: ‖ ${head}符合的有 ${list.length} ${noun}：`,
        table,
        ...(made?.ticket_id ? [say`Ticket ${made.ticket_id} is open. ‖ 已建工单 ${made.ticket_id}。`] : []),
      ].join("\n\n");
    },
  });
}
