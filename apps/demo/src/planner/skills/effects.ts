import type { Locale } from "@toolglot/core";
import { furtherStep, type Unread, unreadWords } from "../reading/unread.ts";
import { PlanError, type Task, task } from "../task.ts";
import { literal } from "../text.ts";

/** One call that changes something, and its answer. */
function callTask<Value>(
  kind: string,
  name: string,
  input: Record<string, string>,
  words: { wanted: Record<Locale, string>; answer: (value: Value) => string },
  language: Locale,
): Task {
  const zh = language === "zh";
  return task<Value>({
    kind,
    tools: [name],
    understanding: zh ? `用户要${words.wanted.zh}。` : `The user wants ${words.wanted.en}.`,
    plan: zh ? `调用一次 ${name}。` : `Call ${name} once.`,
    target: zh ? words.wanted.zh : words.wanted.en,
    code: {
      python: `__result__ = ${name}(${pythonArguments(input)})`,
      javascript: `__result__ = await ${name}(${javascriptArguments(input)});`,
    },
    *calls() {
      const [value] = yield [{ name, input }];
      return value as Value;
    },
    answer: words.answer,
  });
}

function pythonArguments(input: Record<string, string>): string {
  const list = Object.entries(input).map(([key, value]) => `${key}=${literal(value)}`);
  return list.length > 1 ? `\n    ${list.join(",\n    ")},\n` : list.join();
}

function javascriptArguments(input: Record<string, string>): string {
  const list = Object.entries(input).map(([key, value]) => `${key}: ${literal(value)}`);
  return list.length > 1 ? `{\n  ${list.join(",\n  ")},\n}` : `{ ${list.join()} }`;
}

const priorities: Record<string, string> = {
  high: "high",
  urgent: "high",
  low: "low",
  normal: "normal",
  高: "high",
  紧急: "high",
  加急: "high",
  低: "low",
  中: "normal",
  普通: "normal",
};

/** The slots of a ticket: who it is for, and what it says. */
interface Ticket {
  who: string | undefined;
  text: string | undefined;
  priority: string;
}

const ticketEn =
  /^(?:(?:please|can you|could you|would you)\s+)*(?:create|open|file|raise|log|make|write|add)\s+(?:me\s+)?(?:(?:an?|one|another|the)\s+)?(?:new\s+)?(?:(high|low|normal|urgent)(?:[- ]priority)?\s+)?(?:support\s+)?ticket\b(.*)$/isu;
const ticketZh =
  /^(?:请|麻烦你?|帮我|你?能不能|再)*(?:(?:给|为|替|帮)\s*(.{1,40}?))?\s*(?:创建|新建|开|建|提交|提|登记|写)(?:一)?[张个份]?(?:新的?)?\s*(?:(高|低|中|普通)优先级|(紧急|加急))?的?(?:关于(.{1,200}?)的)?工单(.*)$/su;
const sayingEn =
  /^\s*(?:[:：]|-\s|,?\s*(?:saying|that says|which says|to say)(?:\s+that)?\b\s*[:：,]?|,?\s*(?:about|titled|called|because|to|with the (?:text|title|message))\b\s*[:：]?)\s*(.+)$/isu;
const sayingZh =
  /^\s*[，,]?\s*(?:[：:]|(?:上面)?(?:说|写)(?:的是|明|上|着)?|(?:标题|内容|主题|原因)(?:是|为)?|因为)\s*[：:，,]?\s*(.+)$/su;

/** `Open a high priority ticket for Anna Berg: Lantern overheats; serial F4-10233, …` */
export function readTicket(question: string, language: Locale): Task | Unread | undefined {
  const slots = ticketEn.test(question)
    ? englishTicket(question)
    : ticketZh.test(question)
      ? chineseTicket(question)
      : undefined;
  if (slots === undefined || "unread" in slots) return slots;
  const zh = language === "zh";
  const { who, text, priority } = slots;
  if (text === undefined || /^(?:it|this|that|them|him|her|这个?|那个?|它)$/iu.test(text)) {
    const example = zh ? "给王芳开一张工单，说……" : "open a ticket for Anna Berg: …";
    return {
      unread: [],
      message: zh
        ? `工单要写什么，我没有读懂。可以这样说：“${example}”`
        : `I don't know what the ticket is to say. Write for example “${example}”`,
    };
  }
  const [head = "", ...rest] = text.split(/\s*[;；\n]\s*/u);
  const title = head.replace(/[.。]$/u, "").slice(0, 200);
  const said = rest.length > 0 ? rest.join("; ") : text;
  const body = (who === undefined ? said : zh ? `对象：${who}\n${said}` : `For: ${who}\n${said}`).slice(0, 5000);
  return callTask<{ ticket_id: number; created_at: string }>(
    "ticket",
    "create_ticket",
    { title, body, priority },
    {
      wanted: {
        en: `a ticket${who === undefined ? "" : ` for ${who}`}: "${title}"`,
        zh: `${who === undefined ? "" : `给${who}`}建工单“${title}”`,
      },
      answer: ({ ticket_id, created_at }) =>
        zh
          ? `已建工单 ${ticket_id}（${who === undefined ? "" : `对象：${who}，`}“${title}”，优先级${{ high: "高", normal: "普通", low: "低" }[priority]}，${created_at.slice(0, 10)}）。`
          : `Ticket ${ticket_id} is open${who === undefined ? "" : ` for ${who}`}: "${title}", priority ${priority}, ${created_at.slice(0, 10)}.`,
    },
    language,
  );
}

function englishTicket(question: string): Ticket | Unread {
  const [, level, tail = ""] = ticketEn.exec(question) ?? [];
  let rest = tail;
  let priority = level?.toLowerCase();
  const slot = (pattern: RegExp): string | undefined => {
    const match = pattern.exec(rest);
    if (match) rest = rest.slice(0, match.index) + rest.slice(match.index + match[0].length);
    return match?.[1];
  };
  priority ??= slot(/^\s*(?:with|of|at)\s+(?:an?\s+)?(high|low|normal)\s+priority\b/i);
  const who = slot(
    /^\s*for\s+(.+?)(?=\s*[:：]|,?\s+(?:saying|that says|which says|to say|about|titled|called|because|with the (?:text|title|message))\b|\s*$)/is,
  );
  const colon = /^\s*[:：]/.test(rest);
  priority ??=
    slot(/,?\s*(?:with\s+)?(?:a\s+)?(?:priority\s*[:：]?\s*(?=(?:high|low|normal)\.?$))(high|low|normal)\.?$/i) ??
    slot(/,\s*(?:with\s+)?(high|low|normal)\s+priority\.?$/i);
  const text = unquoted(sayingEn.exec(rest)?.[1]);
  if (text === undefined && rest.trim() !== "" && !/^\W*$/u.test(rest)) return { unread: [rest.trim()] };
  const more = colon ? undefined : furtherStep(rest);
  if (more !== undefined) return { unread: [more] };
  return { who: unquoted(who), text, priority: priorities[priority?.toLowerCase() ?? "normal"] ?? "normal" };
}

function chineseTicket(question: string): Ticket | Unread {
  const [, who, level, urgent, about, tail = ""] = ticketZh.exec(question) ?? [];
  const late = /[，,]\s*优先级(?:为|是|：|:)?\s*(高|低|中|普通)[。.]?$|[，,]\s*(高|低|普通)优先级[。.]?$/u.exec(tail);
  const rest = late ? tail.slice(0, late.index) : tail;
  const colon = /^\s*[：:]/.test(rest);
  const said = unquoted(sayingZh.exec(rest)?.[1]);
  if (said === undefined && !/^[吧啊。！!\s]*$/u.test(rest)) {
    // What follows a comma is the text, unless it is another request.
    const plain = /^\s*[，,]\s*(.+)$/su.exec(rest)?.[1];
    if (plain === undefined || furtherStep(rest) !== undefined) return { unread: [rest.replace(/^[，,\s]+/u, "")] };
    return {
      who: person(who),
      text: plain,
      priority: priorities[level ?? urgent ?? late?.[1] ?? late?.[2] ?? "普通"] ?? "normal",
    };
  }
  const more = colon ? undefined : furtherStep(rest);
  if (more !== undefined) return { unread: [more] };
  const text = about === undefined ? said : said === undefined ? about : `${about}；${said}`;
  return {
    who: person(who),
    text,
    priority: priorities[level ?? urgent ?? late?.[1] ?? late?.[2] ?? "普通"] ?? "normal",
  };
}

function person(who: string | undefined): string | undefined {
  return who === undefined || /^(?:我们?|你们?|他们?|她)$/u.test(who.trim()) ? undefined : who.trim();
}

function unquoted(text: string | undefined): string | undefined {
  return (
    text
      ?.trim()
      .replace(/^["“「](.+)["”」]$/su, "$1")
      .trim() || undefined
  );
}

const kinds: Record<string, "order" | "ticket" | "refund"> = {
  order: "order",
  ticket: "ticket",
  refund: "refund",
  订单: "order",
  工单: "ticket",
  退款: "refund",
};
const kindNames: Record<string, string> = { order: "订单", ticket: "工单", refund: "退款" };
const deleteEn =
  /^(?:(?:please|can you|could you)\s+)*(?:delete|remove|erase)\s+(?:the\s+)?(order|ticket|refund)\s*(?:number|no\.?|id|#)?\s*#?(\d{1,9})(?:\s*,?\s*(?:because|since|reason:?)\s+(.+?))?\s*[.!]?$/is;
const deleteZh =
  /^(?:请|麻烦|帮我)*(?:(?:删除|删掉|移除)|把(?=.*(?:删除|删掉|移除)))\s*(订单|工单|退款)\s*(?:编号|号)?\s*#?(\d{1,9})\s*号?(?:删除|删掉|移除)?(?:[，,]?\s*(?:因为|理由是?[:：]?|原因是?[:：]?)\s*(.+?))?\s*[。.!！]?$/su;

/** `Delete ticket 3 because it is done.` One record, by its number: nothing else is ever deleted. */
export function readDelete(question: string, language: Locale): Task | Unread | undefined {
  const match = deleteEn.exec(question) ?? deleteZh.exec(question);
  if (match === null) {
    const claimed =
      /^(?:(?:please|can you|could you)\s+)*(?:delete|remove|erase|drop)\b\s*(.*)$/isu.exec(question) ??
      /^(?:请|麻烦|帮我)*(?:删除|删掉|移除|清空)\s*(.*)$/su.exec(question);
    return claimed ? { unread: [claimed[1] || question] } : undefined;
  }
  const [, word = "", number = "", reason] = match;
  const more = reason && furtherStep(reason);
  if (more) return { unread: [more] };
  return deleteTask(kinds[word.toLowerCase()] ?? "ticket", Number(number), reason?.slice(0, 500), language);
}

function deleteTask(kind: string, id: number, reason: string | undefined, language: Locale): Task {
  const zh = language === "zh";
  const what = zh ? `${kindNames[kind]} ${id}` : `${kind} ${id}`;
  const sql = `SELECT id FROM ${kind}s WHERE id = ${id}`;
  const input = { resource_type: kind, resource_id: String(id), ...(reason && { reason }) };
  return task<{ found: boolean; rows: number }>({
    kind: "delete",
    tools: ["query_sql", "delete_record"],
    understanding: zh ? `用户要删除${what}。` : `The user wants ${what} deleted.`,
    plan: zh
      ? "先确认记录存在，再调用 delete_record，系统会请人确认。"
      : "Make sure that it exists, then call delete_record; a person will be asked.",
    target: zh ? `删除${what}` : `Delete ${what}`,
    code: {
      python: `found = query_sql(${literal(sql)})["rows"]
__result__ = {"found": False, "rows": 0}
if found:
    done = delete_record(${pythonArguments(input).replaceAll("\n", "\n    ")})
    __result__ = {"found": True, "rows": done["rows"]}`,
      javascript: `const { rows } = await query_sql({ sql: ${literal(sql)} });
__result__ = { found: false, rows: 0 };
if (rows.length > 0) {
  const done = await delete_record(${javascriptArguments(input).replaceAll("\n", "\n  ")});
  __result__ = { found: true, rows: done.rows };
}`,
    },
    *calls() {
      const [result] = yield [{ name: "query_sql", input: { sql } }];
      if ((result as { rows: unknown[] }).rows.length === 0) return { found: false, rows: 0 };
      const [done] = yield [{ name: "delete_record", input }];
      const { rows } = done as { rows: unknown };
      if (typeof rows !== "number") throw new PlanError("delete_record gave no count");
      return { found: true, rows };
    },
    answer({ found, rows }) {
      if (!found) return zh ? `没有${what}，什么也没有删除。` : `There is no ${what}; nothing was deleted.`;
      return zh ? `已删除${what}，共 ${rows} 行。` : `Deleted ${what} (${rows} ${rows === 1 ? "row" : "rows"}).`;
    },
  });
}

const everybody = /^(?:everybody|everyone|all|all staff|the whole team|所有人|大家|全体|全体员工)?$/iu;

/** `Announce to the warehouse: stop shipping the lantern F4.` */
export function readNotify(question: string, language: Locale): Task | undefined {
  const match =
    /^(?:please\s+)?(?:announce|broadcast|notify)\b(?:\s+(?:to|in))?\s*(?:the\s+)?([\w -]{0,60}?)\s*[:：]\s*(.+)/is.exec(
      question,
    ) ?? /^(?:请)?(?:通知|广播|公告|告知)\s*([^:：]{0,40}?)\s*[:：]\s*(.+)/su.exec(question);
  const message = unquoted(match?.[2]);
  if (!match || !message) return undefined;
  const channel = everybody.test(match[1] ?? "") ? "all" : (match[1] ?? "").trim();
  return callTask<{ notification_id: number; channel: string }>(
    "notify",
    "notify_broadcast",
    { channel, message: message.slice(0, 5000) },
    {
      wanted: { en: `a message to everybody in "${channel}"`, zh: `向“${channel}”群发消息` },
      answer: ({ notification_id, channel: to }) =>
        language === "zh" ? `消息 ${notification_id} 已发到“${to}”。` : `Message ${notification_id} went out to ${to}.`,
    },
    language,
  );
}

const tables: Record<string, RegExp> = {
  order_items: /order[_ ]items|line items|订单明细/giu,
  orders: /orders?|订单/giu,
  customers: /customers?|客户|顾客/giu,
  products: /products?|商品|产品/giu,
  refunds: /refunds?|退款/giu,
  tickets: /tickets?|工单/giu,
};

/** `Export the orders`, `导出订单`: always a whole table. */
export function readExport(question: string, language: Locale): Task | Unread | undefined {
  if (!/^(?:(?:please|can you)\s+)*(?:export|download)\b|^(?:请|帮我|把).{0,12}导出|^导出/iu.test(question))
    return undefined;
  const table = Object.keys(tables).find((name) => question.search(tables[name] as RegExp) >= 0);
  if (table === undefined) return { unread: [question] };
  const words = new RegExp(
    `${tables[table]?.source}|export|download|as (?:a )?csv(?: file)?|(?:in)?to (?:a )?(?:csv )?file|csv|whole|导出|输出|成|csv 文件|文件`,
    "giu",
  );
  const unread = unreadWords(question, words);
  if (unread.length > 0) return { unread };
  return callTask<{ task_id?: string; file?: string; rows?: number }>(
    "export",
    "export_table",
    { table },
    {
      wanted: { en: `the table ${table} as a file`, zh: `把 ${table} 表导出为文件` },
      answer: ({ task_id, file, rows }) => {
        if (file !== undefined)
          return language === "zh" ? `已写入 ${rows} 行：${file}` : `${rows} rows are in ${file}.`;
        return language === "zh"
          ? `已开始导出（${task_id}），完成后会在这里显示。`
          : `The export is running as ${task_id}; its end shows here.`;
      },
    },
    language,
  );
}
