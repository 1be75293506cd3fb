import type { Locale } from "@toolglot/core";
import { type Task, task } from "../task.ts";
import { literal, markdownTable } from "../text.ts";

const select =
  /^(?:(?:please\s+)?(?:run|execute)(?:\s+(?:the|this))?(?:\s+query)?\s*[:：]?|请?(?:执行|运行)(?:这条|查询|SQL|语句)*\s*[:：]?)?\s*[`"“]{0,3}((?:SELECT\b|WITH\s+\w+(?:\s*\([^)]*\))?\s+AS\s*\().+?)[`"”]{0,3}$/isu;

/** A query that the user typed is run as it stands. */
export function readSql(question: string, language: Locale): Task | undefined {
  const sql = select.exec(question)?.[1]?.trim();
  // "Select the best customers" is English.
  if (
    sql === undefined ||
    (/^select\s+(?:the|all|a|some|my|our|me)\s/i.test(sql) && !/^select\s+all\s+.+\sfrom\s+\w+/is.test(sql))
  )
    return undefined;
  const zh = language === "zh";
  return task<{ rows: Record<string, unknown>[]; truncated: boolean }>({
    kind: "sql",
    tools: ["query_sql"],
    understanding: zh ? "用户写了一条 SQL 查询。" : "The user wrote a query.",
    plan: zh ? "原样执行。" : "Run it as it stands.",
    target: zh ? "执行查询" : "Run a query",
    code: {
      python: `__result__ = query_sql(${literal(sql)})`,
      javascript: `__result__ = await query_sql({ sql: ${literal(sql)} });`,
    },
    *calls() {
      const [result] = yield [{ name: "query_sql", input: { sql } }];
      return result as { rows: Record<string, unknown>[]; truncated: boolean };
    },
    answer({ rows, truncated }) {
      const names = Object.keys(rows[0] ?? {});
      if (names.length === 0) return zh ? "查询没有返回任何行。" : "The query gave no rows.";
      const more = truncated ? (zh ? "\n\n还有更多的行。" : "\n\nThere are more rows.") : "";
      const count = zh ? `${rows.length} 行：` : `${rows.length} ${rows.length === 1 ? "row" : "rows"}:`;
      return `${count}\n\n${markdownTable(
        names,
        rows.map((row) => names.map((name) => row[name])),
      )}${more}`;
    },
  });
}
