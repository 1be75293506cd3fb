import { storeError } from "../errors.ts";
import type { Client } from "./pool.ts";

/** A parameter of a statement. Texts of callers go through `columnText`. */
export type Value = string | number | boolean | null | Uint8Array | readonly (string | number | null | Uint8Array)[];

/** A row of a result, by the names of its columns. */
export type Row = Record<string, unknown>;

/** What statements need of the database. */
export interface Context {
  readonly connections: {
    /** The address without user and password. */
    readonly database: string;
  };
  /** Returns the statement with the names of its tables and sequences: `@operations` becomes `"toolglot".operations`. */
  text(sql: string): string;
  /** Returns the value for the parameter `now` of statements: null, for the database's clock, outside of tests. */
  now(): number | null;
  /** Notes that so many audit rows and events were committed. */
  noteStaged(count: number): void;
}

/** The milliseconds of the database's clock, at the moment when the statement gets there. */
const clock = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint";

/**
 * A part of a statement: `t.now`, the time by which it decides. The parameter `$1` is {@link Context.now}. A row whose
 * lock is waited for is to be locked by an earlier statement.
 */
export const timed: string = `t AS MATERIALIZED (SELECT coalesce($1::bigint, ${clock}) AS now)`;

/** Whether a backend's name is that of the connection `$1`. Poolers may add something to it. */
export const isBackendOf = (name: string): string => `starts_with(${name}, $1)`;

/** Statements of one transaction, or of one moment. */
export class Reader {
  protected readonly client: Client;
  protected readonly database: Context;
  #now: Promise<number> | undefined;

  constructor(client: Client, database: Context) {
    this.client = client;
    this.database = database;
  }

  async all(sql: string, ...values: Value[]): Promise<Row[]> {
    return (await this.client.query<Row>(this.database.text(sql), values as unknown[])).rows;
  }

  async get(sql: string, ...values: Value[]): Promise<Row | undefined> {
    return (await this.all(sql, ...values))[0];
  }

  /** Returns the time of the database's clock when it was first asked for: after the locks were taken. It stays the same in a transaction. */
  now(): Promise<number> {
    this.#now ??= this.all(`WITH ${timed} SELECT now FROM t`, this.database.now()).then((rows) => Number(rows[0]?.now));
    return this.#now;
  }

  /** Whether the server knows this connection by its name, by which its backend is found when it is lost. */
  async isNamed(): Promise<boolean> {
    const sql = `SELECT ${isBackendOf("current_setting('application_name')")} AS named`;
    return (await this.get(sql, this.client.connectionName))?.named === true;
  }

  /** Parses the JSON of a column. Throws `trp/store-damaged` when it can't be read. */
  parse<T>(text: unknown, table: string, key: string, check: (value: T) => boolean): T {
    return parseColumn(this.database, text, table, key, check);
  }
}

/** A transaction that writes. */
export class Transaction extends Reader {
  /** Whether there is anything to commit. */
  hasWritten = false;
  readonly #begun: Promise<unknown>;
  #afterCommit: (() => void)[] = [];

  /** `begun`: until BEGIN has been answered nothing is written, because it would be a transaction of its own. */
  constructor(client: Client, database: Context, begun: Promise<unknown>) {
    super(client, database);
    this.#begun = begun;
  }

  /** Runs a statement that writes, and returns its rows. */
  async write(sql: string, ...values: Value[]): Promise<Row[]> {
    await this.#begun;
    this.hasWritten = true;
    return await this.all(sql, ...values);
  }

  /** Runs a statement that writes, and returns how many rows it changed. */
  async change(sql: string, ...values: Value[]): Promise<number> {
    await this.#begun;
    this.hasWritten = true;
    return (await this.client.query(this.database.text(sql), values as unknown[])).rowCount ?? 0;
  }

  /** Registers an action that runs right after the commit. */
  afterCommit(act: () => void): void {
    this.#afterCommit.push(act);
  }

  /** Notes that this transaction has added so many audit rows and events. */
  noteStaged(count: number): void {
    this.afterCommit(() => this.database.noteStaged(count));
  }

  /** To be called after COMMIT. */
  committed(): void {
    for (const act of this.#afterCommit.splice(0)) act();
  }
}

/** Parses the JSON of a column. Throws `trp/store-damaged` when it can't be read. */
function parseColumn<T>(database: Context, text: unknown, table: string, key: string, check: (value: T) => boolean): T {
  try {
    const value = JSON.parse(text as string) as T;
    if (typeof value === "object" && value !== null && check(value)) return value;
  } catch {
    // Thrown below.
  }
  const name = database.connections.database;
  const message = `A row of ${name} can't be read: ${table}, ${JSON.stringify(key)}.`;
  throw storeError("trp/store-damaged", message, { database: name, table, key });
}
