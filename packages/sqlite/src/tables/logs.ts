import { checkLogLines, checkStoredName, type LogStore } from "@toolglot/core/storage";
import type { GroupCommit } from "../group-commit.ts";
import type { Transaction } from "../transaction.ts";
import { bytesOf, listed, type Paged, pageOf, textOf } from "./names.ts";

/** Logs in SQLite, a row for each line. */
export function sqliteLogs(commits: GroupCommit): Paged<LogStore> {
  return listed<LogStore>({
    async append(name, lines, at) {
      checkStoredName(name);
      checkLogLines(lines);
      const key = bytesOf(name);
      const texts = lines.map(bytesOf);
      return commits.write((tx) => {
        if (countOf(tx, key) !== at) return false;
        const sql = "INSERT INTO logs (name, n, line) VALUES (?, ?, ?)";
        for (const [index, text] of texts.entries()) tx.run(sql, key, at + index + 1, text);
        return true;
      });
    },
    async read(name) {
      checkStoredName(name);
      return commits.read((tx) => {
        const rows = tx.all("SELECT line FROM logs WHERE name = ? ORDER BY n", bytesOf(name));
        return rows.length === 0 ? undefined : rows.map((row) => textOf(tx, row, "line", "logs"));
      });
    },
    async delete(name, at) {
      checkStoredName(name);
      const key = bytesOf(name);
      return commits.write((tx) => {
        if (at === undefined || countOf(tx, key) === at) tx.run("DELETE FROM logs WHERE name = ?", key);
      });
    },
    page: (prefix, after) => commits.read((tx) => pageOf(tx, "logs", prefix, after)),
  });
}

/** Lines are numbered from 1, and go all at once. */
function countOf(tx: Transaction, key: Uint8Array): number {
  return Number(tx.get("SELECT max(n) AS n FROM logs WHERE name = ?", key)?.n ?? 0);
}
