import { ignoreRejection, sleep } from "@toolglot/internal";
import { busy, failed, isCollision, isGone, isLost, isReadOnly, NotReplicated, unsettled } from "../errors.ts";
import type { Settings } from "../options.ts";
import type { Client, Connections } from "./pool.ts";
import { PreparedStatements } from "./prepared-statements.ts";
import { type Context, isBackendOf, Reader, type Row, Transaction, type Value } from "./transaction.ts";
import { newWriteId } from "./write-id.ts";

/** A statement that is a transaction of its own. */
export interface Statement {
  sql: string;
  values: Value[];
  /** It is prepared under this name, so that the server need not plan it again and again. */
  name?: string;
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
/** For so long at least it is tried to find out what was committed. Milliseconds. */
const settleMs = 2_000;

/** What a lost transaction came to when it was committed; undefined when it was not, and never will be. */
type Settled<T> = { value: T } | undefined;

/**
 * Each transaction of several statements notes itself in the row of its connection. Its number alone (`pg_xact_status`) would not show
 * whether it was committed: after a crash or a failover the server gives numbers anew that never reached its log.
 */
const noteSql = `INSERT INTO @commits (connection, write_id, at) VALUES ($1, $2, (extract(epoch FROM clock_timestamp()) * 1000)::bigint)
  ON CONFLICT (connection) DO UPDATE SET write_id = excluded.write_id, at = excluded.at`;
/** It writes, because what was committed may not have reached the standbys yet: once this is acknowledged, all before it has. */
const notedSql = "UPDATE @commits SET at = at + 1 WHERE connection = $1 AND write_id = $2";

/**
 * The database as the store's methods use it. Each of them is one transaction, READ COMMITTED, that locks the rows it decides
 * on: a statement of its own where nothing stands in the way, else a transaction of several. What others' locks or a lost connection made
 * fail is run again, but never when it may have been committed: then that is found out first.
 */
export class Database implements Context {
  readonly connections: Connections;
  /** Called on each new connection before its first use. */
  onConnect: (reader: Reader) => Promise<void> = async () => undefined;
  /** Asked while the database is stopped: resolves once a person has accepted it, else rejects. */
  isAccepted: (reader: Reader) => Promise<boolean> = async () => false;
  /** Called after the commit of so many audit rows and events. */
  onStaged: (count: number) => void = () => undefined;
  readonly #schema: string;
  readonly #now: (() => number) | undefined;
  readonly #texts = new Map<string, string>();
  readonly #prepared = new PreparedStatements();
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
  async statement({ sql, values, name, recover }: Statement): Promise<Row[]> {
    const text = this.text(sql);
    const run = (client: Client): Promise<Row[]> => this.#prepared.rows(client, text, values, name);
    const settle = async ({ connectionName: connection }: Client, until: number): Promise<Settled<Row[]>> => {
      if (recover === undefined) return undefined;
      await this.#ended(connection, until, sql);
      const value = await this.#on(until, sql, (client) => recover(this.#reader(client)));
      // What another connection sees may not have reached the standbys yet. A later commit that is acknowledged has, and so has this.
      if (value !== undefined)
        await this.#on(until, sql, (client) => client.query(this.text(noteSql), [connection, 0]));
      return value && { value };
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
    let commit: { writeId: number; tx: Transaction; result: T } | undefined;
    return await this.#run({
      run: async (client) => {
        commit = undefined;
        // It goes out together with the first statement of the work.
        const begun = client.query(isAsync ? "BEGIN; SET LOCAL synchronous_commit = off" : "BEGIN");
        ignoreRejection(begun);
        const tx = new Transaction(client, this, begun);
        const result = await work(tx);
        await begun;
        const writeId = newWriteId();
        commit = { writeId, tx, result };
        const noted = tx.hasWritten ? client.query(this.text(noteSql), [client.connectionName, writeId]) : begun;
        ignoreRejection(noted);
        const { command } = await client.query("COMMIT");
        await noted;
        if (command !== "COMMIT") throw new Error(`a transaction ended with ${command}`);
        tx.committed();
        return result;
      },
      settle: async ({ connectionName: connection }, until) => {
        if (commit === undefined) return undefined;
        const { writeId, tx, result } = commit;
        if (tx.hasWritten) {
          await this.#ended(connection, until, "COMMIT");
          const found = await this.#on(until, "COMMIT", (client) =>
            client.query(this.text(notedSql), [connection, writeId]),
          );
          if (found.rowCount === 0) return undefined;
        }
        tx.committed();
        return { value: result };
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

  /** `settle` is asked when the connection ended: if it returns undefined, the work is run again. */
  async #run<T>({
    run,
    settle,
  }: {
    run: (client: Client) => Promise<T>;
    settle?: (lost: Client, until: number) => Promise<Settled<T>>;
  }): Promise<T> {
    const until = this.connections.deadline();
    for (let collisions = 0, attempt = 0; ; ) {
      const client = await this.#take(until);
      let isOver = false;
      try {
        const result = await replicated(client, run);
        client.release();
        return result;
      } catch (error) {
        isOver = !isGone(error) && (await rolledBack(client));
        client.release(!isOver);
        if (isCollision(error)) {
          collisions += 1;
          if (collisions > maxCollisions) throw busy(this.connections.database, error);
          await sleep(5 + Math.random() * 75);
        } else if (isGone(error)) {
          // What a standby refuses is not written.
          const settled = isReadOnly(error) ? undefined : await settle?.(client, until);
          if (settled !== undefined) return settled.value;
          await this.connections.again(attempt, until, error);
          attempt += 1;
        } else throw failed(this.connections.database, error);
      }
    }
  }

  /** Takes a connection, and looks whether the database is still the one that it was. */
  async #take(until: number): Promise<Client> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#fault !== undefined && !(await this.#accepted(until))) throw this.#fault;
      const client = await this.connections.take(until);
      if (client.isKnown) return client;
      try {
        await this.onConnect(this.#reader(client));
        client.isKnown = true;
        if (this.#fault === undefined) return client;
        client.release();
      } catch (error) {
        client.release(true);
        if (!isGone(error)) throw failed(this.connections.database, error);
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

  /** Does something on any connection, to find out what was committed; again when that connection ends, too. */
  async #on<T>(until: number, what: string, act: (client: Client) => Promise<T>): Promise<T> {
    const last = Math.max(until, performance.now() + settleMs);
    for (let attempt = 0; ; attempt += 1) {
      const client = await this.#take(last).catch((error: unknown) => {
        throw isLost(error) ? error : this.#unsettled(what, error);
      });
      try {
        const result = await replicated(client, act);
        client.release();
        return result;
      } catch (error) {
        client.release(true);
        if (!isGone(error) || performance.now() >= last) throw this.#unsettled(what, error);
        await sleep(20 * 2 ** Math.min(attempt, 5));
      }
    }
  }

  /**
   * Ends the backend of a connection that is gone, and waits until it has ended: what it was doing is committed then, or will never
   * be, also if it still waits for a lock, or for bytes that are on their way.
   */
  async #ended(connection: string, until: number, what: string): Promise<void> {
    const last = Math.max(until, performance.now() + settleMs);
    const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${isBackendOf("application_name")}`;
    while ((await this.#on(until, what, (client) => client.query(sql, [connection]))).rows.length > 0) {
      if (performance.now() >= last) throw this.#unsettled(what, new Error("its backend does not end"));
      await sleep(20);
    }
  }

  #unsettled(what: string, cause: unknown): Error {
    return unsettled(this.connections.database, what.slice(0, 40), cause);
  }
}

/** Does something on a connection. What was committed without the standby that it should be on is to be looked at again. */
async function replicated<T>(client: Client, act: (client: Client) => Promise<T>): Promise<T> {
  const result = await act(client);
  if (client.isNotReplicated) throw new NotReplicated();
  return result;
}

/** Undoes what was begun, if anything was. False when the connection can't be used any more. */
async function rolledBack(client: Client): Promise<boolean> {
  return await client.query("ROLLBACK").then(
    () => true,
    () => false,
  );
}
