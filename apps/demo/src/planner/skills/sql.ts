import { readWording, says } from "../reading/requests.ts";
import { callTask, type Task } from "../task.ts";
import { markdownTable, type Say } from "../text.ts";

/** A query that the user typed is run as it stands. */
export function readSql(question: string, say: Say): Task | undefined {
  const sql = readWording("sql", question)?.sql?.trim();
  // "Select the best customers" is no query.
  if (sql === undefined || says("selectInEnglish", sql)) return undefined;
  type Found = { rows: Record<string, unknown>[]; truncated: boolean };
  return callTask<Found>(["sql", "query_sql"], { sql }, ({ rows, truncated }) => {
    if (rows[0] === undefined) return say`The query gave no rows. ‖ 查询没有返回任何行。`;
    const count = say`${rows.length} ${rows.length === 1 ? "row" : "rows"}: ‖ ${rows.length} 行：`;
    const more = truncated ? say`\n\nThere are more rows. ‖ \n\n还有更多的行。` : "";
    return `${count}\n\n${markdownTable(Object.keys(rows[0]), rows.map(Object.values))}${more}`;
  });
}
