import { ToolglotError } from "@toolglot/core";
import { errorText, ignoreRejection, sleep } from "@toolglot/internal";
import { isCollision, isGone, isReadOnly, sqlStateOf, storeError } from "../errors.ts";
import type { Settings } from "../options.ts";
import type { Client, Connections } from "./pool.ts";
import { Reader, type Row, Transaction, type Value } from "./transaction.ts";

/** A statement that is a transaction of its own. */
export interface Statement {
  sql: string;
  values: Value[];
  /**
   * For a statement that writes: returns its rows when it was committed, though the connection ended before its answer came;
   * undefined when it was not, so that it may be sent again.
   */
  recover?: (reader: Reader) => Promise<Row[] | undefined>;
}

/** How often a transaction is run again because others stood in its way. */
const maxCollisions = 5;
/** How often a stopped database is asked whether it was accepted. Milliseconds. */
const acceptMs = 1_000;
/** How long to wait for the end of a backend whose connection is gone. Milliseconds. */
const settleMs = 2_000;

/**
 * The database as the store's methods use it. Each of them is one transaction, READ COMMITTED, that locks the rows it decides
 * on: a statement of its own where nothing stands in the way, else a transaction of several. What others' locks or a lost connection made
 * fail is run again, but never when it may have been committed: then that is found out first.
 */
export class Database {
  readonly connections: Connections;
  /** Called on a connection before its first use after another one was lost. */
  onReconnect: (reader: Reader) => Promise<void> = async () => undefined;
  /** Asked while the database is stopped: resolves once a person has accepted it, else rejects. */
  isAccepted: (reader: Reader) => Promise<boolean> = async () => false;
  /** Called after the commit of so many audit rows and events. */
  onStaged: (count: number) => void = () => undefined;
  readonly #schema: string;
  readonly #now: (() => number) | undefined;
  readonly #texts = new Map<string, string>();
  #isSuspect = false;
  #fault: unknown;
  #askedAt = 0;

  constructor(connections: Connections, { schema, now }: Pick<Settings, "schema" | "now">) {
    this.connections = connections;
    this.#schema = schema;
    this.#now = now;
  }

  /** From now on each method rejects with this. */
  stop(fault: unknown): void {
    this.#fault ??= fault;
    this.#askedAt = performance.now();
  }

  /** Returns the statement with the names of its tables and sequences: `@operations` becomes `"toolglot".operations`. */
  text(sql: string): string {
    let text = this.#texts.get(sql);
    if (text === undefined) {
      text = sql.replace(/@(?=[a-z])/g, `"${this.#schema}".`);
      this.#texts.set(sql, text);
    }
    return text;
  }

  /** Returns the value for the parameter `now` of statements: null, for the database's clock, outside of tests. */
  now(): number | null {
    return this.#now === undefined ? null : this.#now();
  }

  /** Runs one statement, which is a transaction of its own. */
  async statement({ sql, values, recover }: Statement): Promise<Row[]> {
    const run = async (client: Client): Promise<Row[]> => (await client.query<Row>(this.text(sql), values)).rows;
    const settle = async (pid: number | undefined, until: number): Promise<Row[] | undefined> => {
      if (recover === undefined) return undefined;
      await this.#backendGone(pid, until, sql.slice(0, 40));
      return await this.#on(until, sql, (client) => recover(this.#reader(client)));
    };
    return await this.#run({ run, settle });
  }

  /** Reads with several statements, all of one moment. */
  async read<T>(work: (reader: Reader) => Promise<T>): Promise<T> {
    return await this.#run({
      run: async (client) => {
        // They go out together with the statements of the work, and nobody waits for the end.
        ignoreRejection(client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"));
        const result = await work(this.#reader(client));
        ignoreRejection(client.query("COMMIT"));
        return result;
      },
    });
  }

  /**
   * Runs a transaction of several statements. `work` may run more than once, and must lock the rows that it decides on. What
   * it throws undoes everything. `isAsync`: the commit need not be on the disk.
   */
  async write<T>(work: (tx: Transaction) => Promise<T>, { isAsync = false }: { isAsync?: boolean } = {}): Promise<T> {
    let commit: { xid: string; result: T } | undefined;
    return await this.#run({
      run: async (client) => {
        commit = undefined;
        // They go out together with the first statement of the work.
        const begun = client.query(isAsync ? "BEGIN; SET LOCAL synchronous_commit = off" : "BEGIN");
        const id = client.query<Row>("SELECT pg_current_xact_id()::text AS xid");
        const begin = Promise.all([begun, id]);
        ignoreRejection(begin);
        const tx = new Transaction(client, this, begin);
        const result = await work(tx);
        const xid = String((await begin)[1].rows[0]?.xid);
        commit = { xid, result };
        const { command } = await client.query("COMMIT");
        if (command !== "COMMIT") throw new Error(`a transaction ended with ${command}`);
        tx.committed();
        return result;
      },
      settle: async (pid, until) => {
        if (commit === undefined) return undefined;
        const { xid, result } = commit;
        await this.#backendGone(pid, until, "COMMIT");
        const sql = "SELECT pg_xact_status($1::xid8) AS status";
        const status = await this.#on(until, sql, async (client) => (await client.query(sql, [xid])).rows[0]?.status);
        if (status === "committed") return result;
        if (status === "aborted") return undefined;
        throw this.#unsettled("COMMIT", status);
      },
    });
  }

  /** Notes that a statement has added so many audit rows and events. */
  noteStaged(count: number): void {
    if (count > 0) this.onStaged(count);
  }

  /** Ends everything. */
  async close(): Promise<void> {
    await this.connections.close();
  }

  #reader(client: Client): Reader {
    return new Reader(client, this);
  }

  /**
   * `settle` is asked when the connection ended: it returns what the work came to when it was committed, else undefined, and the work is
   * run again.
   */
  async #run<T>({
    run,
    settle,
  }: {
    run: (client: Client) => Promise<T>;
    settle?: (pid: number | undefined, until: number) => Promise<T | undefined>;
  }): Promise<T> {
    const until = this.connections.deadline();
    for (let collisions = 0, attempt = 0; ; ) {
      const client = await this.#take(until);
      let isOver = false;
      try {
        const result = await run(client);
        client.release();
        return result;
      } catch (error) {
        isOver = !isGone(error) && (await rolledBack(client));
        client.release(!isOver);
        if (isCollision(error)) {
          collisions += 1;
          if (collisions > maxCollisions) throw this.#busy(error);
          await sleep(5 + Math.random() * 75);
        } else if (isGone(error)) {
          this.#isSuspect = true;
          const settled = await settle?.(pidOf(client), until);
          if (settled !== undefined) return settled;
          await this.connections.again(attempt, until, error);
          attempt += 1;
        } else throw this.#failed(error);
      }
    }
  }

  /** Takes a connection, and looks whether the database is still the one that it was. */
  async #take(until: number): Promise<Client> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#fault !== undefined && !(await this.#accepted(until))) throw this.#fault;
      const client = await this.connections.take(until);
      if (!this.#isSuspect) return client;
      try {
        await this.onReconnect(this.#reader(client));
        this.#isSuspect = false;
        if (this.#fault === undefined) return client;
        client.release();
      } catch (error) {
        client.release(true);
        if (!isGone(error)) throw this.#failed(error);
        await this.connections.again(attempt, until, error);
      }
    }
  }

  /** Looks, at most once a second, whether a person has accepted a database that was stopped. */
  async #accepted(until: number): Promise<boolean> {
    if (performance.now() - this.#askedAt < acceptMs) return false;
    this.#askedAt = performance.now();
    const client = await this.connections.take(until);
    const isAccepted = await this.isAccepted(this.#reader(client)).catch(() => false);
    client.release();
    if (isAccepted) this.#fault = undefined;
    return isAccepted;
  }

  /** Does something on any connection, again when the connection ends. */
  async #on<T>(until: number, what: string, act: (client: Client) => Promise<T>): Promise<T> {
    const last = Math.max(until, performance.now() + settleMs);
    for (let attempt = 0; ; attempt += 1) {
      const client = await this.#take(last).catch((error: unknown) => {
        throw ToolglotError.isInstance(error) && error.code === "trp/store-unavailable"
          ? this.#unsettled(what, error)
          : error;
      });
      try {
        const result = await act(client);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        if (!isGone(error)) throw this.#failed(error);
        if (performance.now() >= last) throw this.#unsettled(what, error);
        await sleep(20 * 2 ** Math.min(attempt, 5));
      }
    }
  }

  /** Waits until a backend has ended, so that what it was doing is committed, or will never be. */
  async #backendGone(pid: number | undefined, until: number, what: string): Promise<void> {
    const end = performance.now() + settleMs;
    const sql = "SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND state <> 'idle'";
    for (let isThere = pid !== undefined; isThere && performance.now() < end; ) {
      isThere = await this.#on(until, what, async (client) => (await client.query(sql, [pid])).rows.length > 0);
      if (isThere) await sleep(20);
    }
  }

  #unsettled(what: string, cause: unknown): Error {
    const { database } = this.connections;
    const text = `The connection to ${database} ended in ${JSON.stringify(what)}, and whether it was committed is not known.`;
    return storeError("trp/store-unsettled", text, { database, what }, cause);
  }

  #busy(cause: unknown): Error {
    const { database } = this.connections;
    const text = `Rows of ${database} were locked or changed by others for too long. Nothing was written.`;
    return storeError("trp/store-busy", text, { database, sqlState: sqlStateOf(cause) }, cause);
  }

  /** Returns the error that a method's caller gets. */
  #failed(error: unknown): unknown {
    if (ToolglotError.isInstance(error) || (error instanceof TypeError && sqlStateOf(error) === undefined))
      return error;
    const { database } = this.connections;
    if (isReadOnly(error)) {
      const text = `${database} takes no writes: it is a standby, or its transactions are read-only.`;
      return storeError("trp/store-readonly", text, { database }, error);
    }
    const data = { database, sqlState: sqlStateOf(error) };
    return storeError("trp/store-failed", `${database} failed: ${errorText(error)}`, data, error);
  }
}

function pidOf(client: Client): number | undefined {
  return (client as unknown as { processID?: number }).processID;
}

/** Undoes what was begun, if anything was. False when the connection can't be used any more. */
async function rolledBack(client: Client): Promise<boolean> {
  return await client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}
