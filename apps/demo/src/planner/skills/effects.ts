import { furtherStep, unreadWords } from "../reading/tokens.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import type { Say } from "../text.ts";

/** How a request for a ticket begins. */
const ticketHead =
  /^(?:(?:please|can you)\s+)*(?:create|open|file|raise)\s+an?\s+(?:(?<level>high|low|normal|urgent)(?:[- ]priority)?\s+)?ticket\b/iu;
const ticketHeadZh =
  /^(?:请|帮我)*(?:[给为](?<who>[^，。]{1,40}?))?\s*(?:创建|新建|开|建)一?[张个]?(?<level>[高低]|普通|紧急)?(?:优先级)?的?工单/u;
/** Its end: for whom it is, what it says, and in English a priority. */
const ticketText =
  /^(?:\s+for\s+(?<who>.+?))?(?<mark>\s*:|\s+(?:saying(?:\s+that)?|about|because)\b)\s*(?<text>.+?)(?:,\s*with\s+(?<late>high|low|normal)\s+priority\.?)?$/isu;
const ticketTextZh = /^(?<mark>\s*[：:]|[，,]?\s*(?:说|因为))\s*(?<text>.+)$/su;
const priorities: Readonly<Record<string, string>> = {
  高: "high",
  紧急: "high",
  urgent: "high",
  低: "low",
  普通: "normal",
};
const priorityNames: Readonly<Record<string, string>> = { high: "高", low: "低", normal: "普通" };

/** `Open a high priority ticket for Anna Berg: Lantern overheats; serial F4-10233, …` */
export function readTicket(question: string, say: Say): Task | Unread | undefined {
  const head = ticketHead.exec(question) ?? ticketHeadZh.exec(question);
  if (head === null) return undefined;
  const rest = question.slice(head[0].length);
  const { mark = "", text, late, who } = (ticketText.exec(rest) ?? ticketTextZh.exec(rest))?.groups ?? {};
  const named = head.groups?.level?.toLowerCase();
  const said = unquoted(text);
  const more = /[:：]/.test(mark) ? undefined : furtherStep(said ?? rest);
  if (more !== undefined) return { unread: [more] };
  // Two priorities can't both be meant.
  if (named && late) return { unread: [`with ${late} priority`] };
  if (said === undefined || /^(?:it|this|that|them|这个?|那个?|它)$/iu.test(said)) {
    const message = say`I don't know what the ticket is to say. Write for example “open a ticket for Anna Berg: …” ‖ 工单要写什么，我没有读懂。可以这样说：“给王芳开一张工单：……”`;
    return { unread: [], message };
  }
  const wanted = named ?? late?.toLowerCase() ?? "normal";
  return ticketTask(unquoted(who ?? head.groups?.who), said, priorities[wanted] ?? wanted, say);
}

function ticketTask(who: string | undefined, text: string, priority: string, say: Say): Task {
  const [head = "", ...rest] = text.split(/\s*[;；\n]\s*/u);
  const title = head.replace(/[.。]$/u, "").slice(0, 200);
  const said = rest.length > 0 ? rest.join("; ") : text;
  const body = (who === undefined ? said : say`For: ${who}\n${said} ‖ 对象：${who}\n${said}`).slice(0, 5000);
  const receiver = who === undefined ? "" : say` for ${who} ‖ ，对象：${who}`;
  return plannedTask<{ ticket_id: number; created_at: string }>({
    kind: "ticket",
    steps: [[{ name: "done", tool: "create_ticket", input: { title, body, priority } }]],
    answer({ ticket_id: id, created_at }) {
      const day = created_at.slice(0, 10);
      return say`Ticket ${id} is open${receiver}: "${title}", priority ${priority}, ${day}. ‖ 已建工单 ${id}（“${title}”，优先级${priorityNames[priority]}，${day}${receiver}）。`;
    },
  });
}

function unquoted(text: string | undefined): string | undefined {
  return text?.trim().replace(/^["“「](.+)["”」]$/su, "$1") || undefined;
}

const recordNames: Readonly<Record<string, string>> = { 订单: "order", 工单: "ticket", 退款: "refund" };
const deletion =
  /^(?:(?:please|can you)\s+)*(?:delete|remove)\s+(?:the\s+)?(order|ticket|refund)\s*#?(\d{1,9})(?:\s*,?\s*(?:because|since)\s+(.+?))?\s*[.!]?$/is;
const deletionZh = /^(?:请|帮我)*(?:删除|删掉)\s*(订单|工单|退款)\s*(\d{1,9})(?:[，,]?\s*因为\s*(.+?))?\s*[。!！]?$/su;
const deleting =
  /^(?:(?:please|can you)\s+)*(?:delete|remove|erase|drop)\b\s*(.*)$|^(?:请|帮我)*(?:删除|删掉|清空)\s*(.*)$/isu;

/** `Delete ticket 3 because it is done.` One record, by its number: nothing else is ever deleted. */
export function readDelete(question: string, say: Say): Task | Unread | undefined {
  const [, word = "", number = "", reason] = deletion.exec(question) ?? deletionZh.exec(question) ?? [];
  const [all, rest, restZh] = deleting.exec(question) ?? [];
  const more = reason && furtherStep(reason);
  if (word === "" || more) return all === undefined ? undefined : { unread: [more ?? rest ?? restZh ?? question] };
  const kind = recordNames[word] ?? word.toLowerCase();
  const what = `${say`${kind} ‖ ${word}`} ${Number(number)}`;
  const input = {
    resource_type: kind,
    resource_id: String(Number(number)),
    ...(reason && { reason: reason.slice(0, 500) }),
  };
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
  /^(?:(?:please\s+)?(?:announce|notify)\b(?:\s+to)?\s*(?:the\s+)?([\w -]{0,60}?)|请?(?:通知|公告)\s*([^:：]{0,40}?))\s*[:：]\s*(.+)/isu;

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

const tables: Readonly<Record<string, string>> = {
  order_items: "order[_ ]items|订单明细",
  orders: "orders|订单",
  customers: "customers|客户",
  products: "products|商品",
  refunds: "refunds|退款",
  tickets: "tickets|工单",
};

/** `Export the orders`, `导出订单`: always a whole table. */
export function readExport(question: string, say: Say): Task | Unread | undefined {
  if (!/^(?:please\s+)?export\b|^(?:请|帮我)*导出/iu.test(question)) return undefined;
  const [table, words] = Object.entries(tables).find(([, pattern]) => new RegExp(pattern, "iu").test(question)) ?? [];
  if (table === undefined) return { unread: [question] };
  const unread = unreadWords(question, `${words}|export|导出|as (?:a )?csv(?: file)?|csv|文件|whole|tables?|表格?`);
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
