import { furtherStep, readTokens, unreadWords } from "../reading/tokens.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import type { Say } from "../text.ts";

/** How a request for a ticket begins, and its end: for whom it is, what it says, and in English a priority. */
const ticketHeads = [
  /^(?:create|open|file|raise)\s+an?\s+(?:(?<level>high|low|normal|urgent)(?:[- ]priority)?\s+)?ticket\b/iu,
  /^(?:[给为](?<who>[^，。]{1,40}?))?\s*(?:创建|新建|开|建)一?[张个]?(?<level>[高低]|普通|紧急)?(?:优先级)?的?工单/u,
];
const ticketTexts = [
  /^(?:\s+for\s+(?<who>.+?))?(?<mark>\s*:|\s+(?:saying(?:\s+that)?|about|because)\b)\s*(?<text>.+?)(?:,\s*with\s+(?<late>high|low|normal)\s+priority\.?)?$/isu,
  /^(?<mark>\s*[：:]|[，,]?\s*(?:说|因为))\s*(?<text>.+)$/su,
];
type Groups = Partial<Record<string, string>>;

const priorities: Groups = { 高: "high", 紧急: "high", urgent: "high", 低: "low", 普通: "normal" };
const priorityNames: Groups = { high: "高", low: "低", normal: "普通" };

const firstOf = (patterns: readonly RegExp[], text: string): RegExpExecArray | null | undefined =>
  patterns.map((pattern) => pattern.exec(text)).find((found) => found !== null);

const unquoted = (text: string | undefined): string | undefined =>
  text?.trim().replace(/^["“「](.+)["”」]$/su, "$1") || undefined;

/** `Open a high priority ticket for Anna Berg: Lantern overheats; serial F4-10233, …` */
export function readTicket(question: string, say: Say): Task | Unread | undefined {
  const head = firstOf(ticketHeads, question);
  if (!head) return undefined;
  const rest = question.slice(head[0].length);
  const { mark = "", text, late, ...end }: Groups = firstOf(ticketTexts, rest)?.groups ?? {};
  const { level, who = end.who }: Groups = head.groups ?? {};
  const said = unquoted(text);
  const more = /[:：]/.test(mark) ? undefined : furtherStep(said ?? rest);
  if (more !== undefined) return { unread: [more] };
  // Two priorities can't both be meant.
  if (level && late) return { unread: [`with ${late} priority`] };
  if (said === undefined || /^(?:it|this|that|them|这个?|那个?|它)$/iu.test(said)) {
    const message = say`I don't know what the ticket is to say. Write for example “open a ticket for Anna Berg: …” ‖ 工单要写什么，我没有读懂。可以这样说：“给王芳开一张工单：……”`;
    return { unread: [], message };
  }
  const wanted = (level ?? late ?? "normal").toLowerCase();
  const priority = priorities[wanted] ?? wanted;
  const receiver = unquoted(who);
  const [first = "", ...others] = said.split(/\s*[;；\n]\s*/u);
  const title = first.replace(/[.。]$/u, "").slice(0, 200);
  const whole = others.length > 0 ? others.join("; ") : said;
  const body = (receiver ? say`For: ${receiver}\n${whole} ‖ 对象：${receiver}\n${whole}` : whole).slice(0, 5000);
  return plannedTask<{ ticket_id: number; created_at: string }>({
    kind: "ticket",
    steps: [[{ name: "done", tool: "create_ticket", input: { title, body, priority } }]],
    answer({ ticket_id: id, created_at }) {
      const [day, to] = [created_at.slice(0, 10), receiver ? say` for ${receiver} ‖ ，对象：${receiver}` : ""];
      return say`Ticket ${id} is open${to}: "${title}", priority ${priority}, ${day}. ‖ 已建工单 ${id}（“${title}”，优先级${priorityNames[priority]}，${day}${to}）。`;
    },
  });
}

const recordNames: Groups = { 订单: "order", 工单: "ticket", 退款: "refund" };
const deleting = /^(?:(?:delete|remove)\b|删除|删掉|((?:erase|drop)\b|清空))\s*(.*)$/isu;
const record =
  /^(?:the\s+)?(order|ticket|refund|订单|工单|退款)\s*#?(\d{1,9})(?:\s*[，,]?\s*(?:because|since|因为)\s*(.+?))?\s*[.!。！]?$/isu;

/** `Delete ticket 3 because it is done.` One record, by its number: nothing else is ever deleted. */
export function readDelete(question: string, say: Say): Task | Unread | undefined {
  const [, unsure, rest] = deleting.exec(question) ?? [];
  if (rest === undefined) return undefined;
  const [, word = "", number = "", reason] = record.exec(unsure ? "" : rest) ?? [];
  const more = reason && furtherStep(reason);
  if (word === "" || more) return { unread: [more || rest || question] };
  const kind = recordNames[word] ?? word.toLowerCase();
  const what = `${say`${kind} ‖ ${word}`} ${Number(number)}`;
  const why = reason && { reason: reason.slice(0, 500) };
  const input = { resource_type: kind, resource_id: String(Number(number)), ...why };
  const sql = `SELECT id FROM ${kind}s WHERE id = ${Number(number)}`;
  return plannedTask<{ found: unknown[]; done: { rows?: number } }>({
    kind: "delete",
    steps: [
      [{ name: "found", tool: "query_sql", input: { sql }, take: "rows" }],
      [{ name: "done", when: "found", tool: "delete_record", input }],
    ],
    result: ["found", "done"],
    answer({ found: { length }, done: { rows } }) {
      if (length === 0) return say`There is no ${what}; nothing was deleted. ‖ 没有${what}，什么也没有删除。`;
      return say`Deleted ${what} (${rows} ${rows === 1 ? "row" : "rows"}). ‖ 已删除${what}，共 ${rows} 行。`;
    },
  });
}

const announcing =
  /^(?:(?:announce|notify)\b(?:\s+to)?\s*(?:the\s+)?([\w -]{0,60}?)|(?:通知|公告)\s*([^:：]{0,40}?))\s*[:：]\s*(.+)/isu;

/** `Announce to the warehouse: stop shipping the lantern F4.` */
export function readNotify(question: string, say: Say): Task | undefined {
  const [, english, chinese, text] = announcing.exec(question) ?? [];
  const message = unquoted(text)?.slice(0, 5000);
  if (message === undefined) return undefined;
  const named = (english ?? chinese ?? "").trim();
  const channel = /^(?:everybody|everyone|all|所有人|大家)?$/iu.test(named) ? "all" : named;
  return plannedTask<{ notification_id: number; channel: string }>({
    kind: "notify",
    steps: [[{ name: "done", tool: "notify_broadcast", input: { channel, message } }]],
    answer: ({ notification_id: id, channel: to }) =>
      say`Message ${id} went out to ${to}. ‖ 消息 ${id} 已发到“${to}”。`,
  });
}

/** `Export the orders`, `导出订单`: always a whole table. */
export function readExport(question: string, say: Say): Task | Unread | undefined {
  if (!/^(?:export\b|导出)/iu.test(question)) return undefined;
  const nouns = readTokens(question).flatMap(({ kind, value }) => (kind === "noun" ? [value] : []));
  const table = /order[_ ]items|订单明细/iu.test(question) ? "order_items" : nouns[0];
  if (table === undefined || table === "documents") return { unread: [question] };
  const known = "order[_ ]items|订单明细|export|导出|as (?:a )?csv(?: file)?|csv|文件|whole|tables?|表格?";
  const unread = unreadWords(question, known, nouns.length > 1 ? [] : ["noun"]);
  if (unread.length > 0) return { unread };
  return plannedTask<{ task_id?: string; file?: string; rows?: number }>({
    kind: "export",
    steps: [[{ name: "done", tool: "export_table", input: { table } }]],
    answer: ({ task_id, file, rows }) =>
      file === undefined
        ? say`The export is running as ${task_id}; its end shows here. ‖ 已开始导出（${task_id}），完成后会在这里显示。`
        : say`${rows} rows are in ${file}. ‖ 已写入 ${rows} 行：${file}`,
  });
}
