import { readWording, says, sourceOf } from "../reading/requests.ts";
import { furtherStep, readTokens, unreadWords } from "../reading/tokens.ts";
import { callTask, plannedTask, type Task, type Unread } from "../task.ts";
import type { Say } from "../text.ts";
import shop from "../words/shop.json" with { type: "json" };

const { priorities, priorityNames, recordNames }: Record<string, Partial<Record<string, string>>> = shop.effects;

const unquoted = (text: string | undefined): string | undefined =>
  text?.trim().replace(/^["“「](.+)["”」]$/su, "$1") || undefined;

/** `Open a high priority ticket for Anna Berg: Lantern overheats; serial F4-10233, …` */
export function readTicket(question: string, say: Say): Task | Unread | undefined {
  const head = readWording("ticket", question);
  const rest = question.slice(head?.whole?.length);
  const { mark = "", text, late, ...end } = readWording("ticketText", rest) ?? {};
  if (!head) return undefined;
  const { level, who = end.who } = head;
  const said = unquoted(text);
  const more = /[:：]/.test(mark) ? undefined : furtherStep(said ?? rest);
  if (more) return more;
  // Two priorities can't both be meant.
  if (level && late) return { unread: [`with ${late} priority`] };
  if (said === undefined || says("saysNothing", said)) {
    const message = say`I don't know what the ticket is to say. Write for example “open a ticket for Anna Berg: …” ‖ 工单要写什么，我没有读懂。可以这样说：“给王芳开一张工单：……”`;
    return { unread: [], message };
  }
  const wanted = (level ?? late ?? "normal").toLowerCase();
  const [priority, receiver] = [priorities?.[wanted] ?? wanted, unquoted(who)];
  const [first = "", ...others] = said.split(/\s*[;；\n]\s*/u);
  const title = first.replace(/[.。]$/u, "").slice(0, 200);
  const whole = others.length > 0 ? others.join("; ") : said;
  const body = (receiver ? say`For: ${receiver}\n${whole} ‖ 对象：${receiver}\n${whole}` : whole).slice(0, 5000);
  type Made = { ticket_id: number; created_at: string };
  return callTask<Made>(["ticket", "create_ticket"], { title, body, priority }, ({ ticket_id: id, created_at }) => {
    const [day, to] = [created_at.slice(0, 10), receiver ? say` for ${receiver} ‖ ，对象：${receiver}` : ""];
    return say`Ticket ${id} is open${to}: "${title}", priority ${priority}, ${day}. ‖ 已建工单 ${id}（“${title}”，优先级${priorityNames?.[priority]}，${day}${to}）。`;
  });
}

/** `Delete ticket 3 because it is done.` One record, by its number: nothing else is ever deleted. */
export function readDelete(question: string, say: Say): Task | Unread | undefined {
  const { unsure, rest } = readWording("delete", question) ?? {};
  if (rest === undefined) return undefined;
  const { word = "", number, reason } = readWording("record", unsure ? "" : rest) ?? {};
  if (word === "") return { unread: [rest || question] };
  const more = furtherStep(reason ?? "");
  if (more) return more;
  const kind = recordNames?.[word] ?? word.toLowerCase();
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

/** `Announce to the warehouse: stop shipping the lantern F4.` */
export function readNotify(question: string, say: Say): Task | undefined {
  const { to: named = "", text } = readWording("notify", question) ?? {};
  const message = unquoted(text)?.slice(0, 5000);
  if (message === undefined) return undefined;
  const channel = says("everybody", named.trim()) ? "all" : named.trim();
  type Sent = { notification_id: number; channel: string };
  return callTask<Sent>(["notify", "notify_broadcast"], { channel, message }, (sent) => {
    const [id, to] = [sent.notification_id, sent.channel];
    return say`Message ${id} went out to ${to}. ‖ 消息 ${id} 已发到“${to}”。`;
  });
}

/** `Export the orders`, `导出订单`: always a whole table. */
export function readExport(question: string, say: Say): Task | Unread | undefined {
  if (!says("export", question)) return undefined;
  const nouns = readTokens(question).flatMap(({ kind, value }) => (kind === "noun" ? [value] : []));
  const table = says("exportLines", question) ? "order_items" : nouns[0];
  if (table === undefined || table === "documents") return { unread: [question] };
  type Begun = { task_id?: string; file?: string; rows?: number };
  const task = callTask<Begun>(["export", "export_table"], { table }, ({ task_id, file, rows }) => {
    if (file) return say`${rows} rows are in ${file}. ‖ 已写入 ${rows} 行：${file}`;
    return say`The export is running as ${task_id}; its end shows here. ‖ 已开始导出（${task_id}），完成后会在这里显示。`;
  });
  return unreadWords(question, sourceOf("exportWords"), nouns.length > 1 ? [] : ["noun"]) ?? task;
}
