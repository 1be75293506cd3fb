import type { Locale } from "@toolglot/core";
import { PlanError, type Skill, type Task, task } from "../task.ts";
import { literal } from "../text.ts";
import { namedRecord } from "./records.ts";

interface Ticket {
  ticket_id: number;
  status: string;
  created_at: string;
}

/** `Open a high priority ticket: Lantern overheats; Customer reports …` */
export const ticketSkill: Skill = {
  id: "ticket",
  title: { en: "create a ticket (asks you first)", zh: "建工单（会先征求同意）" },
  example: {
    en: "open a high priority ticket: Lantern overheats; serial F4-10233, send a new battery",
    zh: "建一张高优先级工单：营灯发热；序列号 F4-10233，请寄新电池",
  },
  read(question, language) {
    const match =
      /\b(?:create|open|file|raise|log|make|write)\b.{0,40}?\btickets?\b\s*(?:titled|called|about|for|saying|that says|to)?\s*[:：-]?\s*(.+)/is.exec(
        question,
      ) ??
      /(?:创建|新建|开|建|提|提交|登记).{0,12}?工单\s*(?:，?(?:标题|内容|主题)(?:是|为)?)?\s*[:：，,]?\s*(.+)/su.exec(
        question,
      );
    const text = match?.[1]?.trim().replace(/^["“「](.+)["”」]$/su, "$1");
    if (!text) return undefined;
    const [head = "", ...rest] = text.split(/\s*[;；\n]\s*/u);
    const title = head.replace(/[.。]$/u, "").slice(0, 200);
    const body = rest.join("; ").slice(0, 5000) || text.slice(0, 5000);
    const priority = /\b(?:high|urgent)\b|高优先|紧急|加急/iu.test(question)
      ? "high"
      : /\blow\b|低优先/iu.test(question)
        ? "low"
        : "normal";
    return ticketTask({ title, body, priority }, language);
  },
};

function ticketTask(input: { title: string; body: string; priority: string }, language: Locale): Task {
  const zh = language === "zh";
  return task<Ticket>({
    kind: "ticket",
    tools: ["create_ticket"],
    understanding: zh ? `用户要建一张工单：“${input.title}”。` : `The user wants a ticket: "${input.title}".`,
    plan: zh ? "调用一次 create_ticket，系统会请人确认。" : "Call create_ticket once; a person will be asked.",
    target: zh ? "建工单" : "Open a ticket",
    code: {
      python: `ticket = create_ticket(
    title=${literal(input.title)},
    body=${literal(input.body)},
    priority=${literal(input.priority)},
)
__result__ = ticket`,
      javascript: `const ticket = await create_ticket({
  title: ${literal(input.title)},
  body: ${literal(input.body)},
  priority: ${literal(input.priority)},
});
__result__ = ticket;`,
    },
    *calls() {
      const [ticket] = yield [{ name: "create_ticket", input }];
      return ticket as Ticket;
    },
    answer: ({ ticket_id, created_at }) =>
      zh
        ? `已建工单 ${ticket_id}（“${input.title}”，优先级 ${input.priority}，${created_at.slice(0, 10)}）。`
        : `Ticket ${ticket_id} is open: "${input.title}", priority ${input.priority}, ${created_at.slice(0, 10)}.`,
  });
}

interface Deletion {
  found: boolean;
  rows: number;
}

const tables: Record<string, string> = { ticket: "tickets", refund: "refunds", order: "orders" };

/** `Delete ticket 3 because it is done.` */
export const deleteSkill: Skill = {
  id: "delete",
  title: { en: "delete a record (asks you first)", zh: "删除记录（会先征求同意）" },
  example: { en: "delete ticket 1 because it is done", zh: "删除工单 1，因为已经处理完" },
  read(question, language) {
    if (!/\b(?:delete|remove|erase|drop)\b|删除|删掉|移除/iu.test(question)) return undefined;
    const named = namedRecord(question);
    if (!named || !(named.kind in tables)) return undefined;
    const reason =
      /\b(?:because|since|reason:?)\s+(.+)/i.exec(question)?.[1] ??
      /(?:因为|理由是?[:：]?)\s*(.+)/u.exec(question)?.[1];
    return deleteTask(named.kind, named.id, reason?.replace(/[.。!！]$/u, "").slice(0, 500), language);
  },
};

function deleteTask(kind: string, id: number, reason: string | undefined, language: Locale): Task {
  const zh = language === "zh";
  const sql = `SELECT id FROM ${tables[kind]} WHERE id = ${id}`;
  const input = { resource_type: kind, resource_id: String(id), ...(reason && { reason }) };
  return task<Deletion>({
    kind: "delete",
    tools: ["query_sql", "delete_record"],
    understanding: zh ? `用户要删除 ${kind} ${id}。` : `The user wants ${kind} ${id} deleted.`,
    plan: zh
      ? "先确认记录存在，再调用 delete_record，系统会请人确认。"
      : "Make sure that it exists, then call delete_record; a person will be asked.",
    target: zh ? `删除 ${kind} ${id}` : `Delete ${kind} ${id}`,
    code: {
      python: `found = query_sql(${literal(sql)})["rows"]
if found:
    done = delete_record(${Object.entries(input)
      .map(([name, value]) => `${name}=${literal(value)}`)
      .join(", ")})
    __result__ = {"found": True, "rows": done["rows"]}
else:
    __result__ = {"found": False, "rows": 0}`,
      javascript: `const { rows } = await query_sql({ sql: ${literal(sql)} });
__result__ = { found: false, rows: 0 };
if (rows.length > 0) {
  const done = await delete_record({ ${Object.entries(input)
    .map(([name, value]) => `${name}: ${literal(value)}`)
    .join(", ")} });
  __result__ = { found: true, rows: done.rows };
}`,
    },
    *calls() {
      const [result] = yield [{ name: "query_sql", input: { sql } }];
      if ((result as { rows: unknown[] }).rows.length === 0) return { found: false, rows: 0 };
      const [done] = yield [{ name: "delete_record", input }];
      if (typeof (done as Deletion).rows !== "number") throw new PlanError("delete_record gave no count");
      return { found: true, rows: (done as Deletion).rows };
    },
    answer({ found, rows }) {
      if (!found)
        return zh
          ? `没有编号为 ${id} 的记录（${kind}），什么也没有删除。`
          : `There is no ${kind} ${id}; nothing was deleted.`;
      return zh
        ? `已删除 ${kind} ${id}，共 ${rows} 行。`
        : `Deleted ${kind} ${id} (${rows} ${rows === 1 ? "row" : "rows"}).`;
    },
  });
}
