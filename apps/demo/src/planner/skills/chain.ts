import type { Locale } from "@toolglot/core";
import { type Unread, unreadWords } from "../reading/unread.ts";
import { type Task, task } from "../task.ts";
import { literal, markdownTable } from "../text.ts";

type Row = Record<string, string | number | null>;

interface Outcome {
  document_id: string;
  /** -1 when the document names none. */
  limit: number;
  rows: Row[];
  ticket_id: number | null;
}

/** One rule with a number in it, and the query that finds what falls under it. */
interface Topic {
  words: RegExp;
  query: Record<Locale, string>;
  /** Finds the number in the document. Valid in both languages. */
  pattern: Record<Locale, string>;
  /** `%LIMIT%` stands for the number. */
  sql: string;
  headers: Record<Locale, string[]>;
  columns: string[];
  noun: Record<Locale, string>;
  /** Title of the ticket; `{count}` and `{limit}` stand for the numbers. */
  title: Record<Locale, string>;
  priority: "high" | "normal";
}

const topics: Topic[] = [
  {
    words: /\b(?:delay\w*|late|shipping)\b|延误|延迟|迟到|晚到/iu,
    query: { en: "shipping delay policy", zh: "发货延误处理办法" },
    pattern: { en: "more than (\\d+) days after", zh: "超过承诺日期\\s*(\\d+)\\s*天" },
    sql: `SELECT o.id AS number, c.name AS customer, CAST(julianday(o.delivered_on) - julianday(o.promised_on) AS INTEGER) AS days_late, o.total AS total
FROM orders o JOIN customers c ON c.id = o.customer_id
WHERE o.status <> 'cancelled' AND julianday(o.delivered_on) - julianday(o.promised_on) > %LIMIT%
ORDER BY days_late DESC, o.id`,
    headers: { en: ["order", "customer", "days late", "total"], zh: ["订单", "客户", "延误天数", "金额"] },
    columns: ["number", "customer", "days_late", "total"],
    noun: { en: "orders", zh: "张订单" },
    title: {
      en: "{count} orders arrived more than {limit} days late",
      zh: "{count} 张订单延误超过 {limit} 天",
    },
    priority: "high",
  },
  {
    words: /\b(?:re-?stock\w*|re-?order\w*|stock|running low)\b|补货|缺货|库存/iu,
    query: { en: "restocking rules reorder point", zh: "仓库补货规则" },
    pattern: { en: "fewer than (\\d+) units", zh: "少于\\s*(\\d+)\\s*件" },
    sql: `SELECT sku AS number, name AS product, category AS category, stock AS stock
FROM products WHERE stock < %LIMIT% ORDER BY stock, sku`,
    headers: { en: ["SKU", "product", "category", "stock"], zh: ["货号", "商品", "类别", "库存"] },
    columns: ["number", "product", "category", "stock"],
    noun: { en: "products", zh: "种商品" },
    title: {
      en: "Reorder {count} products with fewer than {limit} units",
      zh: "{count} 种商品库存少于 {limit} 件，请补货",
    },
    priority: "normal",
  },
  {
    words: /\brefunds?\b|退款/iu,
    query: { en: "refund policy", zh: "退款政策" },
    pattern: { en: "longer than (\\d+) days", zh: "超过\\s*(\\d+)\\s*天的退款" },
    sql: `SELECT r.id AS number, r.order_id AS order_number, CAST(julianday(r.paid_on) - julianday(r.requested_on) AS INTEGER) AS days, r.amount AS amount
FROM refunds r WHERE julianday(r.paid_on) - julianday(r.requested_on) > %LIMIT%
ORDER BY days DESC, r.id`,
    headers: { en: ["refund", "order", "days", "amount"], zh: ["退款", "订单", "天数", "金额"] },
    columns: ["number", "order_number", "days", "amount"],
    noun: { en: "refunds", zh: "笔退款" },
    title: { en: "{count} refunds took longer than {limit} days", zh: "{count} 笔退款用时超过 {limit} 天" },
    priority: "high",
  },
];

const ruleWords = /\b(?:polic\w*|rules?|terms|document|guideline)\b|政策|规定|规则|办法|制度/iu;
const checkWords =
  /\b(?:check|affected|which (?:orders|products|refunds)|falls? under|overdue|below|breaks?|violat\w+|too late|list the)\b|受影响|检查|核对|查出|找出|哪些|超期|低于|违反/iu;
const ticketWords = /\b(?:open|create|file|raise)\s+(?:an?|one)\s+tickets?\b|\btickets?\b|(?:建|开|创建)?一?张?工单/iu;
/** Everything such a request may say; what else stands in it is not understood. */
const allWords = (topic: Topic): RegExp =>
  new RegExp(
    [
      topic.words,
      ruleWords,
      checkWords,
      ticketWords,
      /\b(?:find|look up|read|get|search|against|orders?|products?|refunds?|points?|handling|processing|data|too|open|create|under|by|breach|then|it|them|for (?:it|them)|that fall)\b|查一?下?|查|按照?|根据|读|处理|发货|仓库|订单|商品|退款|并且?|然后|再|受|的|出|数据|对照|要|补货线/iu,
    ]
      .map(({ source }) => source)
      .join("|"),
    "giu",
  );

/** `Find the shipping delay policy, check which orders are affected and open a ticket.` */
export function readChain(question: string, language: Locale): Task | Unread | undefined {
  const topic = topics.find(({ words }) => words.test(question));
  if (!topic || !ruleWords.test(question) || !checkWords.test(question)) return undefined;
  const unread = unreadWords(question, allWords(topic), ["and", "which", "list", "noun"]);
  return unread.length > 0 ? { unread } : chainTask(topic, ticketWords.test(question), language);
}

/** What a ticket's text begins with. */
const closings: Record<Locale, string> = { en: "Rule:", zh: "依据文档" };

function pythonProgram(topic: Topic, ticket: boolean, language: Locale): string {
  const opening = `
ticket_id = None
if rows:
    numbers = ", ".join(str(row["number"]) for row in rows)
    ticket = create_ticket(
        title=f${literal(topic.title[language]).replace("{count}", "{len(rows)}")},
        body=f"${closings[language]} {policy['document_id']}. {numbers}",
        priority="${topic.priority}",
    )
    ticket_id = ticket["ticket_id"]
`;
  return `hits = search_documents(${literal(topic.query[language])}, top_k=3)
policy = fetch_document(hits[0]["document_id"]) if hits else {"document_id": "", "text": ""}
match = re.search(r"${topic.pattern[language]}", policy["text"])
limit = int(match.group(1)) if match else -1
rows = []
if match:
    rows = query_sql(f"""
${topic.sql.replace("%LIMIT%", "{limit}")}
""", limit=200)["rows"]
${ticket ? opening : ""}
__result__ = {
    "document_id": policy["document_id"],
    "limit": limit,
    "rows": rows,
    "ticket_id": ${ticket ? "ticket_id" : "None"},
}`;
}

function javascriptProgram(topic: Topic, ticket: boolean, language: Locale): string {
  const title = topic.title[language].replace("{count}", `\${rows.length}`).replace("{limit}", `\${limit}`);
  const opening = `
let ticket_id = null;
if (rows.length > 0) {
  const numbers = rows.map((row) => row.number).join(", ");
  const ticket = await create_ticket({
    title: \`${title}\`,
    body: \`${closings[language]} \${policy.document_id}. \${numbers}\`,
    priority: "${topic.priority}",
  });
  ticket_id = ticket.ticket_id;
}
`;
  return `const [hit] = await search_documents({ query: ${literal(topic.query[language])}, top_k: 3 });
let policy = { document_id: "", text: "" };
if (hit) policy = await fetch_document({ document_id: hit.document_id });
const match = /${topic.pattern[language]}/.exec(policy.text);
const limit = match ? Number(match[1]) : -1;
let rows = [];
if (match) {
  const found = await query_sql({
    sql: \`
${topic.sql.replace("%LIMIT%", `\${limit}`)}
\`,
    limit: 200,
  });
  rows = found.rows;
}
${ticket ? opening : ""}
__result__ = { document_id: policy.document_id, limit, rows, ticket_id${ticket ? "" : ": null"} };`;
}

function chainTask(topic: Topic, ticket: boolean, language: Locale): Task {
  const zh = language === "zh";
  const query = topic.query[language];
  const pattern = topic.pattern[language];
  const noun = topic.noun[language];
  const closing = closings[language];
  return task<Outcome>({
    kind: "chain",
    tools: ["search_documents", "fetch_document", "query_sql", ...(ticket ? ["create_ticket"] : [])],
    understanding: zh
      ? `用户想按“${query}”核对数据${ticket ? "，并建工单" : ""}。`
      : `The user wants the data checked against the ${query}${ticket ? ", and a ticket" : ""}.`,
    plan: zh
      ? `搜索并读取文档，从中取出期限或数量，再用 SQL 查出符合的记录${ticket ? "，最后建一张工单" : ""}。`
      : `Find and read the document, take the limit from its text, query what falls under it${ticket ? ", then open one ticket" : ""}.`,
    target: zh ? `按规定核对：${query}` : `Check the data against: ${query}`,
    code: { python: pythonProgram(topic, ticket, language), javascript: javascriptProgram(topic, ticket, language) },
    *calls() {
      const [hits] = yield [{ name: "search_documents", input: { query, top_k: 3 } }];
      const id = (hits as { document_id: string }[])[0]?.document_id;
      if (id === undefined) return { document_id: "", limit: -1, rows: [], ticket_id: null };
      const [document] = yield [{ name: "fetch_document", input: { document_id: id } }];
      const match = new RegExp(pattern).exec((document as { text: string }).text);
      if (!match) return { document_id: id, limit: -1, rows: [], ticket_id: null };
      const limit = Number(match[1]);
      const [found] = yield [
        { name: "query_sql", input: { sql: topic.sql.replace("%LIMIT%", String(limit)), limit: 200 } },
      ];
      const { rows } = found as { rows: Row[] };
      if (!ticket || rows.length === 0) return { document_id: id, limit, rows, ticket_id: null };
      const title = topic.title[language].replace("{count}", String(rows.length)).replace("{limit}", String(limit));
      const body = `${closing} ${id}. ${rows.map((row) => row.number).join(", ")}`;
      const [made] = yield [{ name: "create_ticket", input: { title, body, priority: topic.priority } }];
      return { document_id: id, limit, rows, ticket_id: (made as { ticket_id: number }).ticket_id };
    },
    answer({ document_id, limit, rows, ticket_id }) {
      if (limit < 0)
        return zh ? `没有找到写明界限的“${query}”。` : `I found no limit in any document about the ${query}.`;
      if (rows.length === 0) {
        return zh
          ? `文档 ${document_id} 的界限是 ${limit}，没有记录超出。`
          : `The limit in ${document_id} is ${limit}; nothing in the data goes beyond it.`;
      }
      const head = zh
        ? `文档 ${document_id} 的界限是 ${limit}。符合的有 ${rows.length} ${noun}：`
        : `The limit in ${document_id} is ${limit}. ${rows.length} ${noun} fall under it:`;
      const table = markdownTable(
        topic.headers[language],
        rows.map((row) =>
          topic.columns.map((column) => (column.endsWith("number") ? String(row[column]) : row[column])),
        ),
      );
      const made = zh ? `已建工单 ${ticket_id}。` : `Ticket ${ticket_id} is open.`;
      return [head, table, ...(ticket_id === null ? [] : [made])].join("\n\n");
    },
  });
}
