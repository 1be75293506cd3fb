import { columnText, textOfColumn } from "@toolglot/internal";
import type { Database } from "../database/database.ts";

/** Names in a page. */
const maxNames = 500;

/** Lists the names of logs or blobs that begin with a text, a page at a time, in order of their bytes. */
export async function* namesIn(database: Database, table: "logs" | "blobs", prefix: string): AsyncIterable<string> {
  const sql = `SELECT name FROM @${table} WHERE name > $1 AND name >= $2 AND starts_with(name, $2)
    ORDER BY name LIMIT ${maxNames}`;
  for (let after = ""; ; ) {
    const rows = await database.statement({ sql, values: [after, columnText(prefix)] });
    for (const { name } of rows) yield textOfColumn(name as string);
    if (rows.length < maxNames) return;
    after = rows.at(-1)?.name as string;
  }
}
