import { plannedTask, type Task } from "../task.ts";
import { markdownTable, type Say } from "../text.ts";

const select =
  /^(?:(?:please\s+)?(?:run|execute)(?:\s+(?:the|this))?(?:\s+query)?\s*[:：]?|请?(?:执行|运行)(?:这条|查询|SQL|语句)*\s*[:：]?)?\s*[`"“]{0,3}((?:SELECT\b|WITH\s+\w+(?:\s*\([^)]*\))?\s+AS\s*\().+?)[`"”]{0,3}$/isu;

/** A query that the user typed is run as it stands. */
export function readSql(question: string, say: Say): Task | undefined {
  const sql = select.exec(question)?.[1]?.trim();
  // "Select the best customers" is English.
  const english = /^select\s+(?:the|all|a|some|my|our|me)\s(?!(?<=all\s).+\sfrom\s+\w)/is;
  if (sql === undefined || english.test(sql)) return undefined;
  return plannedTask<{ rows: Record<string, unknown>[]; truncated: boolean }>({
    kind: "sql",
    steps: [[{ name: "found", tool: "query_sql", input: { sql } }]],
    answer({ rows, truncated }) {
      const names = Object.keys(rows[0] ?? {});
      if (names.length === 0) return say`The query gave no rows. ‖ 查询没有返回任何行。`;
      const count = say`${rows.length} ${rows.length === 1 ? "row" : "rows"}: ‖ ${rows.length} 行：`;
      const cells = rows.map((row) => names.map((name) => row[name]));
      const more = truncated ? [say`There are more rows. ‖ 还有更多的行。`] : [];
      return [count, markdownTable(names, cells), ...more].join("\n\n");
    },
  });
}
