import { checkLogLines, checkStoredName, type LogStore } from "@toolglot/core/storage";
import { columnText, textOfColumn } from "@toolglot/internal";
import type { Database } from "../database/database.ts";
import { namesIn } from "./names.ts";

/** Logs in PostgreSQL, a row for each line. The row of the log is what its writers lock. */
export function postgresLogs(database: Database): LogStore {
  return {
    async append(name, lines, at) {
      checkStoredName(name);
      checkLogLines(lines);
      const key = columnText(name);
      const texts = lines.map(columnText);
      return database.write(async (tx) => {
        const row = await tx.get("SELECT count FROM @logs WHERE name = $1 FOR UPDATE", key);
        if (Number(row?.count ?? 0) !== at) return false;
        if (texts.length === 0) return true;
        const sql =
          row === undefined
            ? "INSERT INTO @logs (name, count) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING"
            : "UPDATE @logs SET count = count + $2 WHERE name = $1";
        if ((await tx.change(sql, key, texts.length)) === 0) return false;
        const add = `INSERT INTO @log_lines (name, n, line)
          SELECT $1, $2 + n, line FROM unnest($3::text[]) WITH ORDINALITY AS new (line, n)`;
        await tx.change(add, key, at, texts);
        return true;
      });
    },
    async read(name) {
      checkStoredName(name);
      const sql = "SELECT line FROM @log_lines WHERE name = $1 ORDER BY n";
      const rows = await database.statement({ sql, values: [columnText(name)] });
      return rows.length === 0 ? undefined : rows.map(({ line }) => textOfColumn(line as string));
    },
    async delete(name, at) {
      checkStoredName(name);
      const key = columnText(name);
      await database.write(async (tx) => {
        const drop = "DELETE FROM @logs WHERE name = $1 AND ($2::bigint IS NULL OR count = $2)";
        if ((await tx.change(drop, key, at ?? null)) > 0)
          await tx.change("DELETE FROM @log_lines WHERE name = $1", key);
      });
    },
    list: (prefix) => namesIn(database, "logs", prefix),
  };
}
