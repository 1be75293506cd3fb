import { join } from "node:path";
import { once } from "@toolglot/core/once";
import { openSqlite } from "@toolglot/sqlite";
import { inFolder } from "../machine.ts";
import type { Findings, Run } from "../report.ts";
import { openDatabase } from "./bare.ts";
import { faster, loadTable, type Peer, underLoad } from "./load.ts";

/** Measures what `once` costs beside the statements of its three commits, for one caller that waits for each. */
export const measureOnce = ({ progress }: Run): Promise<Findings> =>
  inFolder(async (folder) => {
    const file = join(folder, "once.db");
    const store = await openSqlite({ file });
    const log = store.operations;
    let count = 0;
    const subjects: [own: Peer, ...others: Peer[]] = [
      {
        name: "once",
        call: () => once(log, { scope: "bench", input: { order: ++count } }, () => ({ line: "12 bis" })),
        close: () => store.close(),
      },
      {
        name: "its three writes to the log",
        async call() {
          const key = { scope: "bench", key: `key-${++count}` };
          const found = await log.claim({ ...key, fingerprint: "f", owner: "bench", leaseMs: 60_000 });
          if (found.status !== "claimed") throw new Error(found.status);
          await log.begin(found.claim);
          await log.finish(found.claim, { state: "done", outcome: { value: { line: "12 bis" } } });
        },
        async close() {},
      },
    ];
    await subjects[0].call();
    const bare = bareOnce("its rows by bare statements", file);
    try {
      progress("one caller");
      const loads = [await underLoad([...subjects, bare], 1)];
      const [own, writes] = subjects as [Peer, Peer];
      const note =
        "A claim, a beginning and an end on SQLite (libsql), FULL: three commits, each on disk before the next. Below them the same statements in this thread, with nothing read out of them, decided or put into JSON.";
      return {
        bars: [
          ...faster("once, beside its rows by bare statements", own, bare, 1 / 1.15, loads),
          ...faster("once, beside its three writes to the log", own, writes, 1 / 1.15, loads),
        ],
        tables: [loadTable("Once", note, loads, bare)],
      };
    } finally {
      bare.close();
      for (const subject of subjects) await subject.close();
    }
  });

/** The rows of a `once` by statements alone, with the texts of the last one. */
function bareOnce(name: string, file: string): Peer {
  const database = openDatabase(file);
  database.exec("PRAGMA synchronous = FULL");
  const statement = (sql: string): ((...values: unknown[]) => unknown) => {
    const prepared = database.prepare(sql);
    return (...values) => prepared.get(values);
  };
  const row = statement("SELECT * FROM operations ORDER BY rowid DESC LIMIT 1")() as Record<string, unknown>;
  const find = statement("SELECT kept, data, outcome FROM operations WHERE scope = ? AND key = ?");
  const claim = statement(
    "INSERT INTO operations (scope, key, state, open, fence, lease_until, due_at, kept) VALUES (?, ?, 'claimed', 1, ?, ?, ?, ?)",
  );
  const takeFence = statement("UPDATE counters SET value = ? WHERE name = 'fence'");
  const begin = statement(
    "UPDATE operations SET state = 'started', due_at = NULL, kept = ? WHERE scope = ? AND key = ?",
  );
  const finish = statement(
    "UPDATE operations SET state = 'done', open = 0, due_at = ?, kept = ?, outcome = ? WHERE scope = ? AND key = ?",
  );
  const commit = (work: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    work();
    database.exec("COMMIT");
  };
  let count = 0;
  return {
    name,
    async call() {
      const [scope, key] = [row.scope, `bare-${"0".repeat(50)}-${++count}`];
      commit(() => {
        find(scope, key);
        claim(scope, key, Number(row.fence) + 1e6 + count, row.lease_until, row.due_at, row.kept);
        takeFence(Number(row.fence) + 1e6 + count);
      });
      for (const write of [
        () => begin(row.kept, scope, key),
        () => finish(row.due_at, row.kept, row.outcome, scope, key),
      ]) {
        commit(() => {
          find(scope, key);
          write();
        });
      }
    },
    close: async () => database.close(),
  };
}
