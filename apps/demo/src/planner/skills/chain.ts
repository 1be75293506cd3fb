import { says, sourceOf } from "../reading/requests.ts";
import { asking, unreadWords } from "../reading/tokens.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import type { Say } from "../text.ts";
import table from "../words/chains.json" with { type: "json" };
import { rowsTable } from "./data/answers.ts";

type Row = Record<string, unknown>;

/** Rules with a number in them, which a pattern finds, and queries for what falls under each. Texts are English, then Chinese. */
const topics = table.map((topic) => ({ ...topic, words: new RegExp(topic.words, "iu") }));

/** `Find the shipping delay policy, check which orders are affected and open a ticket.` */
export function readChain(question: string, say: Say): Task | Unread | undefined {
  const topic = topics.find(({ words }) => words.test(question));
  if (!topic || !says("chainRules", question) || !says("chainChecks", question)) return undefined;
  const words = sourceOf("chainRules", "chainChecks", "chainTicket", "chainWords");
  const own = (texts: readonly string[]): string => texts[say.zh ? 1 : 0] ?? "";
  const query = own(topic.query);
  const writes = says("chainTicket", question);
  // The ticket names all of them: the query has them in one text.
  const all = "CAST(COUNT(*) OVER () AS TEXT) AS found, group_concat(id, ', ') OVER () AS ids";
  const input = {
    title: { from: say`${query}: {rows.0.found} beyond {limits.0} ‖ ${query}：{rows.0.found} 条超过 {limits.0}` },
    body: { from: say`Rule: {hits.0.document_id}. {rows.0.ids} ‖ 依据文档 {hits.0.document_id}. {rows.0.ids}` },
    priority: "high",
  };
  const sql = { from: `SELECT *, ${all} FROM (\n${topic.sql}\n)` };
  const document = { document_id: { from: "{item.document_id}" } };
  const task = plannedTask<{ hits: Row[]; limits: string[]; rows: Row[]; ticket?: Row }>({
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
  return unreadWords(question, `${topic.words.source}|${words}`, asking) ?? task;
}
