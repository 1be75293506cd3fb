import { path } from "../plan.ts";
import { furtherStep, unreadWords } from "../reading/unread.ts";
import { plannedTask, type Task, type Unread } from "../task.ts";
import { type Say, wordTable } from "../text.ts";

/** One call that changes something, and its answer. */
function callTask<Value>(
  kind: string,
  tool: string,
  input: Record<string, string>,
  about: string,
  answer: (value: Value) => string,
): Task {
  return plannedTask<Value>({ kind, about, steps: [[{ name: "done", tool, input }]], answer });
}

const priorities = wordTable("urgent=high;high=high;low=low;高=high;紧急=high;加急=high;低=low");
const priorityNames = wordTable("high=高;normal=普通;low=低");

const ticketHead =
  /^(?:(?:please|can you|could you|would you)\s+)*(?:create|open|file|raise|log|make|write|add)\s+(?:me\s+)?(?:(?:an?|one|another|the)\s+)?(?:new\s+)?(?:(?<level>high|low|normal|urgent)(?:[- ]priority)?\s+)?(?:support\s+)?ticket\b(?<rest>.*)$/isu;
const ticketHeadZh =
  /^(?:请|麻烦你?|帮我|你?能不能|再)*(?:(?:给|为|替|帮)\s*(?<who>.{1,40}?))?\s*(?:创建|新建|开|建|提交|提|登记|写)(?:一)?[张个份]?(?:新的?)?\s*(?<level>[高低中]优先级|普通优先级|紧急|加急)?的?(?:关于(?<about>.{1,200}?)的)?工单(?<rest>.*)$/su;
/** Where the text of a ticket begins. */
const opening = "saying|that says|which says|to say|about|titled|called|because|with the (?:text|title|message)";
/** What a request may give beside the text, in the order in which it is read. */
const ticketSlots: readonly RegExp[] = [
  /^\s*(?:with|of|at)\s+(?:an?\s+)?(?<level>high|low|normal)\s+priority\b/i,
  new RegExp(`^\\s*for\\s+(?<who>.+?)(?=\\s*[:：]|,?\\s+(?:${opening})\\b|\\s*$)`, "is"),
  /,?\s*(?:with\s+)?(?:a\s+)?priority\s*[:：]?\s*(?<level>high|low|normal)\.?$/i,
  /,\s*(?:with\s+)?(?<level>high|low|normal)\s+priority\.?$/i,
  /[，,]\s*优先级(?:为|是|：|:)?\s*(?<level>高|低|中|普通)[。.]?$/u,
  /[，,]\s*(?<level>高|低|普通)优先级[。.]?$/u,
];
const saying = new RegExp(
  `^\\s*(?:[:：]|-\\s|,?\\s*(?:(?:saying|that says|which says|to say)(?:\\s+that)?\\b\\s*[:：,]?|(?:${opening}|to)\\b\\s*[:：]?)|[，,]?\\s*(?:(?:上面)?(?:说|写)(?:的是|明|上|着)?|(?:标题|内容|主题|原因)(?:是|为)?|因为)\\s*[：:，,]?)\\s*(.+)$`,
  "isu",
);

/** `Open a high priority ticket for Anna Berg: Lantern overheats; serial F4-10233, …` */
export function readTicket(question: string, say: Say): Task | Unread | undefined {
  const head = (ticketHead.exec(question) ?? ticketHeadZh.exec(question))?.groups;
  if (head === undefined) return undefined;
  let { who, level, about, rest = "" } = head;
  for (const pattern of ticketSlots) {
    const found = pattern.exec(rest);
    // In English, a second priority is part of the text.
    if (!found?.groups || (found.groups.level && level && !say.zh)) continue;
    rest = rest.slice(0, found.index) + rest.slice(found.index + found[0].length);
    level ??= found.groups.level;
    who ??= found.groups.who;
  }
  const said = unquoted(saying.exec(rest)?.[1]);
  // After a comma, too, the text may stand in Chinese.
  const plain = say.zh && said === undefined ? /^\s*[，,]\s*(.+)$/su.exec(rest)?.[1] : undefined;
  const more = /^\s*[:：]/.test(rest) ? undefined : furtherStep(rest);
  if (more !== undefined) return { unread: [more] };
  if (said === undefined && plain === undefined && /[^\W_]|\p{Script=Han}/u.test(rest.replace(/[吧啊]/gu, "")))
    return { unread: [rest.trim()] };
  const text = [about, said ?? plain].filter(Boolean).join("；");
  if (text === "" || /^(?:it|this|that|them|him|her|这个?|那个?|它)$/iu.test(text))
    return {
      unread: [],
      message: say`I don't know what the ticket is to say. Write for example “open a ticket for Anna Berg: …” ‖ 工单要写什么，我没有读懂。可以这样说：“给王芳开一张工单：……”`,
    };
  return ticketTask(unquoted(who), text, priorities[level?.toLowerCase().replace("优先级", "") ?? ""] ?? "normal", say);
}

function ticketTask(named: string | undefined, text: string, priority: string, say: Say): Task {
  const who = named === undefined || /^(?:我们?|你们?|他们?|她)$/u.test(named) ? undefined : named;
  const [head = "", ...rest] = text.split(/\s*[;；\n]\s*/u);
  const title = head.replace(/[.。]$/u, "").slice(0, 200);
  const said = rest.length > 0 ? rest.join("; ") : text;
  const body = (who === undefined ? said : say`For: ${who}\n${said} ‖ 对象：${who}\n${said}`).slice(0, 5000);
  const receiver = who === undefined ? "" : say` for ${who} ‖ 给${who}`;
  return callTask<{ ticket_id: number; created_at: string }>(
    "ticket",
    "create_ticket",
    { title, body, priority },
    say`a ticket${receiver}: "${title}" ‖ ${receiver}建工单“${title}”`,
    ({ ticket_id: id, created_at }) => {
      const day = created_at.slice(0, 10);
      const person = who === undefined ? "" : `对象：${who}，`;
      return say`Ticket ${id} is open${receiver}: "${title}", priority ${priority}, ${day}. ‖ 已建工单 ${id}（${person}“${title}”，优先级${priorityNames[priority]}，${day}）。`;
    },
  );
}

function unquoted(text: string | undefined): string | undefined {
  const bare = text?.trim().replace(/^["“「](.+)["”」]$/su, "$1");
  return bare?.trim() || undefined;
}

const recordNames = wordTable("订单=order;工单=ticket;退款=refund");
const please = "(?:(?:please|can you|could you)\\s+)*";
const deleteEn = new RegExp(
  `^${please}(?:delete|remove|erase)\\s+(?:the\\s+)?(order|ticket|refund)\\s*(?:number|no\\.?|id|#)?\\s*#?(\\d{1,9})(?:\\s*,?\\s*(?:because|since|reason:?)\\s+(.+?))?\\s*[.!]?$`,
  "is",
);
const deleteZh =
  /^(?:请|麻烦|帮我)*(?:(?:删除|删掉|移除)|把(?=.*(?:删除|删掉|移除)))\s*(订单|工单|退款)\s*(?:编号|号)?\s*#?(\d{1,9})\s*号?(?:删除|删掉|移除)?(?:[，,]?\s*(?:因为|理由是?[:：]?|原因是?[:：]?)\s*(.+?))?\s*[。.!！]?$/su;
const deleting = new RegExp(
  `^(?:${please}(?:delete|remove|erase|drop)\\b|(?:请|麻烦|帮我)*(?:删除|删掉|移除|清空))\\s*(.*)$`,
  "isu",
);

/** `Delete ticket 3 because it is done.` One record, by its number: nothing else is ever deleted. */
export function readDelete(question: string, say: Say): Task | Unread | undefined {
  const [, word = "", number = "", reason] = deleteEn.exec(question) ?? deleteZh.exec(question) ?? [];
  const rest = word === "" ? deleting.exec(question)?.[1] : reason && furtherStep(reason);
  if (word === "" && rest === undefined) return undefined;
  if (rest !== undefined && (word === "" || rest !== "")) return { unread: [rest || question] };
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
    about: say`${what} deleted ‖ 删除${what}`,
    steps: [
      [{ name: "found", tool: "query_sql", input: { sql }, take: "rows" }],
      [{ name: "done", when: path("found"), tool: "delete_record", input }],
    ],
    result: ["found", "done"],
    answer({ found: { length }, done: { rows } }) {
      if (length === 0) return say`There is no ${what}; nothing was deleted. ‖ 没有${what}，什么也没有删除。`;
      if (typeof rows !== "number") return say`This did not work: no count came back. ‖ 没有成功：没有返回行数。`;
      return say`Deleted ${what} (${rows} ${rows === 1 ? "row" : "rows"}). ‖ 已删除${what}，共 ${rows} 行。`;
    },
  });
}

const announcing =
  /^(?:(?:please\s+)?(?:announce|broadcast|notify)\b(?:\s+(?:to|in))?\s*(?:the\s+)?([\w -]{0,60}?)|(?:请)?(?:通知|广播|公告|告知)\s*([^:：]{0,40}?))\s*[:：]\s*(.+)/isu;
const everybody = /^(?:everybody|everyone|all|all staff|the whole team|所有人|大家|全体|全体员工)?$/iu;

/** `Announce to the warehouse: stop shipping the lantern F4.` */
export function readNotify(question: string, say: Say): Task | undefined {
  const [, english, chinese, text] = announcing.exec(question) ?? [];
  const message = unquoted(text)?.slice(0, 5000);
  if (message === undefined) return undefined;
  const named = (english ?? chinese ?? "").trim();
  const channel = everybody.test(named) ? "all" : named;
  return callTask<{ notification_id: number; channel: string }>(
    "notify",
    "notify_broadcast",
    { channel, message },
    say`a message to everybody in "${channel}" ‖ 向“${channel}”群发消息`,
    ({ notification_id: id, channel: to }) => say`Message ${id} went out to ${to}. ‖ 消息 ${id} 已发到“${to}”。`,
  );
}

const tables = wordTable(
  "order_items=order[_ ]items|line items|订单明细;orders=orders?|订单;customers=customers?|客户|顾客;products=products?|商品|产品;refunds=refunds?|退款;tickets=tickets?|工单",
);
const exporting = /^(?:(?:please|can you)\s+)*(?:export|download)\b|^(?:请|帮我|把).{0,12}导出|^导出/iu;

/** `Export the orders`, `导出订单`: always a whole table. */
export function readExport(question: string, say: Say): Task | Unread | undefined {
  if (!exporting.test(question)) return undefined;
  const [table, words] = Object.entries(tables).find(([, pattern]) => new RegExp(pattern, "iu").test(question)) ?? [];
  if (table === undefined) return { unread: [question] };
  const form = "as (?:a )?csv(?: file)?|(?:in)?to (?:a )?(?:csv )?file|csv 文件|csv|文件|whole|输出|成";
  const unread = unreadWords(question, `${words}|export|download|导出|${form}`);
  if (unread.length > 0) return { unread };
  return callTask<{ task_id?: string; file?: string; rows?: number }>(
    "export",
    "export_table",
    { table },
    say`the table ${table} as a file ‖ 把 ${table} 表导出为文件`,
    ({ task_id, file, rows }) =>
      file === undefined
        ? say`The export is running as ${task_id}; its end shows here. ‖ 已开始导出（${task_id}），完成后会在这里显示。`
        : say`${rows} rows are in ${file}. ‖ 已写入 ${rows} 行：${file}`,
  );
}
