import { Client } from "pg";

/** A commit that is about to be sent. */
export interface Commit {
  client: Client;
  /** All statements of its transaction. */
  sql: string;
  /** Sends it. Resolves when the database says that it is done. */
  send(): Promise<unknown>;
}

type Query = (this: Client, ...args: unknown[]) => unknown;

/** Hands each commit of this process to `act`, in place of sending it: of transactions, and of statements that are one. */
export function atCommits(act: (commit: Commit) => Promise<unknown>): void {
  const query = Client.prototype.query as unknown as Query;
  const open = new WeakMap<Client, string[]>();
  const patched: Query = function (...args) {
    const sql = String((args[0] as { text?: string }).text ?? args[0]);
    const before = open.get(this);
    if (/^BEGIN\b(?!.*READ ONLY)/.test(sql)) open.set(this, []);
    before?.push(sql);
    const isAlone = before === undefined && /^WITH\b[\s\S]*\b(INSERT|UPDATE|DELETE)\b/.test(sql);
    if (/^(COMMIT|ROLLBACK)\b/.test(sql)) open.delete(this);
    if (!isAlone && !(before !== undefined && sql === "COMMIT")) return query.apply(this, args);
    return act({
      client: this,
      sql: [...(before ?? []), sql].join("\n"),
      send: async () => await query.apply(this, args),
    });
  };
  Client.prototype.query = patched as typeof Client.prototype.query;
}

/** Ends the connection as a network does that fails, and says so as the driver does. */
export function cut(client: Client): never {
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  throw new Error("Connection terminated unexpectedly");
}

/** Breaks the connection in so many of all commits; half of those are done by then. What happens then: `cut`, or something else. */
export function ambiguous(share: number, end: (commit: Commit) => never = ({ client }) => cut(client)): void {
  atCommits(async (commit) => {
    if (Math.random() >= share) return await commit.send();
    if (Math.random() < 0.5) await commit.send();
    return end(commit);
  });
}
