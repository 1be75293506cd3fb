import { createRequire } from "node:module";
import type { Peer } from "./load.ts";

type Row = Readonly<Record<string, string | number | null>>;

/** What is used of libsql. */
interface Database {
  exec(sql: string): void;
  prepare(sql: string): { get(values: readonly unknown[]): Row | undefined };
  close(): void;
}

/** What a keyed call leaves behind: the rows of one, to be written again for each. */
type Kept = Record<"call" | "operation" | "audit", Row>;

/**
 * The rows of a keyed call by statements alone, and nothing else: no session, no claim, no JSON, no hash is looked at. In
 * the same groups as the store's, two commits each; `file` is a store's that keyed calls were written to. Faster than
 * this no store on the same binding can be.
 */
export function bareStatements(name: string, file: string): Peer {
  // The binding that the store uses, which is no dependency of this package.
  const Binding: new (file: string) => Database = createRequire(import.meta.resolve("@toolglot/sqlite"))("libsql");
  const database = new Binding(file);
  database.exec("PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON");
  const last = (table: string): Row => {
    const row = database.prepare(`SELECT * FROM ${table} ORDER BY rowid DESC LIMIT 1`).get([]);
    if (row === undefined) throw new Error(`${name}: no row in ${table}`);
    return row;
  };
  const write = steps(database, { call: last("calls"), operation: last("operations"), audit: last("audit") });
  let waiting: (() => void)[] = [];
  let count = 0;
  return {
    name,
    call: () =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length > 1) return;
        setImmediate(() => {
          const group = waiting;
          waiting = [];
          const first = count;
          count += group.length;
          write(first, count);
          for (const tell of group) tell();
        });
      }),
    close: async () => database.close(),
  };
}

/** Admission with start, and end, of the calls from `first` to `end`: two commits. */
function steps(database: Database, { call, operation, audit }: Kept): (first: number, end: number) => void {
  const at = Number(audit.n);
  const seq = Number(call.seq);
  const { session } = call;
  const { scope, kept } = operation;
  const statement = (sql: string): ((...values: unknown[]) => unknown) => {
    const prepared = database.prepare(sql);
    return (...values) => prepared.get(values);
  };
  const insertCall = statement(
    "INSERT INTO calls (session, call_id, seq, place, deadline, frame, frame_digest, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
  );
  const takeSeq = statement("UPDATE sessions SET expected_seq = ? WHERE n = ?");
  const insertOperation = statement(
    "INSERT INTO operations (scope, key, state, open, fence, lease_until, kept, data) VALUES (?, ?, 'started', 1, ?, ?, ?, ?)",
  );
  const takeFence = statement("UPDATE counters SET value = ? WHERE name = 'fence'");
  const insertAudit = statement("INSERT INTO audit (n, at, entry, prev_hash, hash) VALUES (?, ?, ?, ?, ?)");
  const endCall = statement("UPDATE calls SET reply = ? WHERE session = ? AND call_id = ?");
  const endOperation = statement(
    "UPDATE operations SET state = 'done', open = 0, due_at = ?, kept = ?, outcome = ? WHERE scope = ? AND key = ?",
  );
  const auditRow = (n: number): unknown => insertAudit(n, audit.at, audit.entry, audit.prev_hash, audit.hash);
  const admit = (n: number, id: string): void => {
    const { place, deadline, frame, frame_digest: digest, record } = call;
    insertCall(session, `${call.call_id}${id}`, seq + n, place, deadline, `${frame}${id}`, digest, record);
  };
  const start = (n: number, id: string): void => {
    insertOperation(scope, `${operation.key}${id}`, at + n, operation.lease_until, kept, operation.data);
    auditRow(at + 2 * n + 1);
  };
  const finish = (n: number, id: string): void => {
    endOperation(operation.due_at, kept, operation.outcome, scope, `${operation.key}${id}`);
    auditRow(at + 2 * n + 2);
    endCall(call.reply, session, `${call.call_id}${id}`);
  };
  const commit = (work: () => void): void => {
    database.exec("BEGIN IMMEDIATE");
    work();
    database.exec("COMMIT");
  };
  return (first, end) => {
    const each = (step: (n: number, id: string) => void): void => {
      for (let n = first; n < end; n += 1) step(n, `${n}`.padStart(12, "0"));
    };
    commit(() => {
      each(admit);
      each(start);
      takeSeq(seq + end, session);
      takeFence(at + end);
    });
    commit(() => each(finish));
  };
}
