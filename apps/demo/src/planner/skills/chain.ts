import { unreadWords } from "../reading/tokens.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import type { Say } from "../text.ts";
import { rowsTable } from "./data/answers.ts";

type Row = Record<string, unknown>;

/** Rules with a number in them, which a pattern finds, and queries for what falls under each. Texts are English, then Chinese. */
const topics = [
  {
    words: /\b(?:delay\w*|late|shipping)\b|延误|延迟|迟到/iu,
    query: ["shipping delay policy", "发货延误处理办法"],
    pattern: ["more than (\\d+) days after", "超过承诺日期\\s*(\\d+)\\s*天"],
    sql: `SELECT CAST(o.id AS TEXT) AS id, c.name AS customer, o.total, julianday(delivered_on) - julianday(promised_on) AS days
FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.status <> 'cancelled' AND days > {limits.0}`,
  },
  {
    words: /\b(?:re-?stock\w*|re-?order\w*|stock)\b|补货|缺货|库存/iu,
    query: ["restocking rules reorder point", "仓库补货规则"],
    pattern: ["fewer than (\\d+) units", "少于\\s*(\\d+)\\s*件"],
    sql: "SELECT sku AS id, name, category, stock FROM products WHERE stock < {limits.0}",
  },
  {
    words: /\brefunds?\b|退款/iu,
    query: ["refund policy", "退款政策"],
    pattern: ["longer than (\\d+) days", "超过\\s*(\\d+)\\s*天的退款"],
    sql: `SELECT CAST(id AS TEXT) AS id, CAST(order_id AS TEXT) AS order_id, amount, julianday(paid_on) - julianday(requested_on) AS days
FROM refunds WHERE days > {limits.0}`,
  },
] as const;

const rules = /\b(?:polic\w*|rules?|terms)\b|政策|规定|规则|办法/iu;
const checks =
  /\b(?:check|affected|which (?:orders|products|refunds)|overdue|below)\b|受影响|检查|核对|找出|哪些|超期|低于/iu;
const ticket = /\b(?:open|create)\s+(?:an?|one)\s+tickets?\b|(?:建|开|创建)一?张工单/iu;
/** What else such a request may say. */
const others =
  /\b(?:find|look up|read|against|points?|by|then|it|for (?:it|them))\b|查一?下?|按照?|根据|发货|处理|仓库|并且?|然后|再|受|的/iu;

/** `Find the shipping delay policy, check which orders are affected and open a ticket.` */
export function readChain(question: string, say: Say): Task | Unread | undefined {
  const topic = topics.find(({ words }) => words.test(question));
  if (!topic || !rules.test(question) || !checks.test(question)) return undefined;
  const known = [topic.words, rules, checks, ticket, others].map(({ source }) => source).join("|");
  const unread = unreadWords(question, known, ["and", "which", "list", "noun"]);
  if (unread.length > 0) return { unread };
  const own = (texts: readonly [string, string]): string => texts[say.zh ? 1 : 0];
  const query = own(topic.query);
  const writes = ticket.test(question);
  // The ticket names all of them: the query has them in one text.
  const all = "CAST(COUNT(*) OVER () AS TEXT) AS found, group_concat(id, ', ') OVER () AS ids";
  const input = {
    title: { from: say`${query}: {rows.0.found} beyond {limits.0} ‖ ${query}：{rows.0.found} 条超过 {limits.0}` },
    body: { from: say`Rule: {hits.0.document_id}. {rows.0.ids} ‖ 依据文档 {hits.0.document_id}. {rows.0.ids}` },
    priority: "high",
  };
  const sql = { from: `SELECT *, ${all} FROM (\n${topic.sql}\n)` };
  const document = { document_id: { from: "{item.document_id}" } };
  return plannedTask<{ hits: Row[]; limits: string[]; rows: Row[]; ticket?: Row }>({
    kind: "chain",
    steps: [
      [{ name: "hits", tool: "search_documents", input: { query, top_k: 1 } }],
      [{ name: "policies", each: "hits", tool: "fetch_document", input: document }],
      [{ name: "limits", when: "policies", find: { pattern: own(topic.pattern), from: "policies.0.text" } }],
      [{ name: "rows", when: "limits", tool: "query_sql", input: { sql, limit: 200 }, take: "rows" }],
      ...(writes ? [[{ name: "ticket", when: "rows", tool: "create_ticket", input }]] : []),
    ],
    result: ["hits", "limits", "rows", ...(writes ? ["ticket"] : [])],
    answer({ hits: [hit], limits: [number], rows, ticket: made }) {
      if (hit === undefined || number === undefined)
        return say`I found no limit in any document about the ${query}. ‖ 没有找到写明界限的“${query}”。`;
      const head = say`The limit in ${hit.document_id} is ${number}. ‖ 文档 ${hit.document_id} 的界限是 ${number}。`;
      if (rows.length === 0) return say`${head} Nothing in the data goes beyond it. ‖ ${head}没有记录超出。`;
      const [count, table] = [rows.length, rows.map(({ found: _, ids: __, ...row }) => row)];
      const list = rowsTable(table, Object.keys(table[0] ?? {}), say);
      const opened = made && say`\n\nTicket ${made.ticket_id} is open. ‖ \n\n已建工单 ${made.ticket_id}。`;
      return say`${head} ${count} fall under it:\n\n${list}${opened ?? ""} ‖ ${head}符合的有 ${count} 条：\n\n${list}${opened ?? ""}`;
    },
  });
}
