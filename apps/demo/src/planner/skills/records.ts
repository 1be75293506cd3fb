import type { Locale } from "@toolglot/core";
import { type Skill, type Task, task } from "../task.ts";
import { literal, markdownTable } from "../text.ts";

type Row = Record<string, string | number | null>;

const kinds = {
  order: {
    words: /\border\b|订单/iu,
    sql: "SELECT o.id, o.status, o.ordered_on, o.promised_on, o.delivered_on, o.total, c.name AS customer, c.city, p.sku, p.name AS product, i.quantity FROM orders o JOIN customers c ON c.id = o.customer_id JOIN order_items i ON i.order_id = o.id JOIN products p ON p.id = i.product_id WHERE o.id = %ID% ORDER BY p.sku",
    columns: ["sku", "product", "quantity"],
  },
  ticket: {
    words: /\btickets?\b|工单/iu,
    sql: "SELECT id, title, body, priority, status, created_at FROM tickets WHERE id = %ID%",
    columns: [],
  },
  refund: {
    words: /\brefund\b|退款/iu,
    sql: "SELECT id, order_id, requested_on, paid_on, reason, amount FROM refunds WHERE id = %ID%",
    columns: [],
  },
  customer: {
    words: /\bcustomer\b|客户/iu,
    sql: "SELECT id, name, city, country, tier, joined_on FROM customers WHERE id = %ID%",
    columns: [],
  },
  product: {
    words: /\bproduct\b|商品|产品/iu,
    sql: "SELECT id, sku, name, name_zh, category, price, stock FROM products WHERE id = %ID%",
    columns: [],
  },
} as const;

type Kind = keyof typeof kinds;

/** Finds a kind of record and its number, as in `order #1042` or `工单 3`. */
export function namedRecord(question: string): { kind: Kind; id: number } | undefined {
  for (const kind of Object.keys(kinds) as Kind[]) {
    const found = new RegExp(
      `(?:${kinds[kind].words.source})\\s*(?:number|no\\.?|id|号|编号)?\\s*#?\\s*(\\d{1,9})\\b`,
      "iu",
    ).exec(question);
    if (found?.[1]) return { kind, id: Number(found[1]) };
  }
  return undefined;
}

/** `Show order 1042.` */
export const showSkill: Skill = {
  id: "show",
  title: { en: "show one record", zh: "查看一条记录" },
  example: { en: "show order 1042", zh: "查看订单 1024" },
  read(question, language) {
    const named = namedRecord(question);
    return named ? showTask(named.kind, named.id, language) : undefined;
  },
};

/** Programs that leave the rows of a query. */
function rowsOf(sql: string): NonNullable<Task["code"]> {
  return {
    python: `__result__ = query_sql(${literal(sql)})["rows"]`,
    javascript: `const { rows } = await query_sql({ sql: ${literal(sql)} });\n__result__ = rows;`,
  };
}

function showTask(kind: Kind, id: number, language: Locale): Task {
  const zh = language === "zh";
  const sql = kinds[kind].sql.replace("%ID%", String(id));
  return task<Row[]>({
    kind: "show",
    tools: ["query_sql"],
    understanding: zh ? `用户想看 ${kind} ${id}。` : `The user wants to see ${kind} ${id}.`,
    plan: zh ? "按编号查询一次。" : "Look it up by its number.",
    target: zh ? `查看 ${kind} ${id}` : `Show ${kind} ${id}`,
    code: rowsOf(sql),
    *calls() {
      const [result] = yield [{ name: "query_sql", input: { sql } }];
      return (result as { rows: Row[] }).rows;
    },
    answer(rows) {
      const first = rows[0];
      if (!first) return zh ? `没有编号为 ${id} 的记录（${kind}）。` : `There is no ${kind} ${id}.`;
      const lines: readonly string[] = kinds[kind].columns;
      const facts = Object.entries(first).filter(([name]) => !lines.includes(name));
      const head = facts.map(([name, value]) => `- ${name}: ${value ?? "–"}`).join("\n");
      if (lines.length === 0) return head;
      return `${head}\n\n${markdownTable(
        [...lines],
        rows.map((row) => lines.map((name) => row[name])),
      )}`;
    },
  });
}

/** `List the open tickets.` */
export const ticketsSkill: Skill = {
  id: "tickets",
  title: { en: "list the tickets", zh: "列出工单" },
  example: { en: "list the open tickets", zh: "列出未关闭的工单" },
  read(question, language) {
    if (
      !/\b(?:list|show|which|all)\b.*\btickets\b|(?:列出|显示|查看|有哪些|所有).*工单|工单.*(?:有哪些|列表)/iu.test(
        question,
      )
    )
      return undefined;
    const zh = language === "zh";
    const status = /\bopen\b|未关闭|未完成|待处理/iu.test(question)
      ? "open"
      : /\bclosed\b|已关闭/iu.test(question)
        ? "closed"
        : undefined;
    const sql = `SELECT id, title, priority, status, created_at FROM tickets${status ? ` WHERE status = '${status}'` : ""} ORDER BY id`;
    return task<Row[]>({
      kind: "tickets",
      tools: ["query_sql"],
      understanding: zh ? "用户想看工单列表。" : "The user wants a list of tickets.",
      plan: zh ? "查询 tickets 表。" : "Query the tickets table.",
      target: zh ? "列出工单" : "List tickets",
      code: rowsOf(sql),
      *calls() {
        const [result] = yield [{ name: "query_sql", input: { sql } }];
        return (result as { rows: Row[] }).rows;
      },
      answer(rows) {
        if (rows.length === 0) return zh ? "没有这样的工单。" : "There is no such ticket.";
        const headers = zh
          ? ["编号", "标题", "优先级", "状态", "创建"]
          : ["no.", "title", "priority", "status", "created"];
        return markdownTable(
          headers,
          rows.map((row) => [String(row.id), row.title, row.priority, row.status, String(row.created_at).slice(0, 10)]),
        );
      },
    });
  },
};
