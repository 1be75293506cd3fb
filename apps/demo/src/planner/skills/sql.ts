import { plannedTask, type Task } from "../task.ts";
import { markdownTable, type Say } from "../text.ts";

const select =
  /^(?:(?:run|execute)(?:\s+(?:the|this))?(?:\s+query)?\s*[:：]?|(?:执行|运行)(?:这条|查询|SQL|语句)*\s*[:：]?)?\s*[`"“]{0,3}((?:SELECT\b|WITH\s+\w+(?:\s*\([^)]*\))?\s+AS\s*\().+?)[`"”]{0,3}$/isu;
/** "Select the best customers" is no query. */
const english = /^select\s+(?:the|all|a|some|my|our|me)\s(?!(?<=all\s).+\sfrom\s+\w)/is;

/** A query that the user typed is run as it stands. */
export function readSql(question: string, say: Say): Task | undefined {
  const sql = select.exec(question)?.[1]?.trim();
  if (sql === undefined || english.test(sql)) return undefined;
  return plannedTask<{ rows: Record<string, unknown>[]; truncated: boolean }>({
    kind: "sql",
    steps: [[{ name: "found", tool: "query_sql", input: { sql } }]],
    answer({ rows, truncated }) {
      if (rows[0] === undefined) return say`The query gave no rows. ‖ 查询没有返回任何行。`;
      const count = say`${rows.length} ${rows.length === 1 ? "row" : "rows"}: ‖ ${rows.length} 行：`;
      const more = truncated ? say`\n\nThere are more rows. ‖ \n\n还有更多的行。` : "";
      return `${count}\n\n${markdownTable(Object.keys(rows[0]), rows.map(Object.values))}${more}`;
    },
  });
}
