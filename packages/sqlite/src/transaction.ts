import type { KeptOperation } from "@toolglot/core/operation-log";
import { type ChainedText, chainText } from "@toolglot/trp-core/store";
import type { Connection, Row, Statement, Value } from "./drivers/types.ts";
import { storeError } from "./errors.ts";

/** An operation whose start this process has committed, as it was then. */
export interface StartedOperation {
  /** The number of its row. */
  n: number;
  kept: KeptOperation;
}

/** The most started operations to remember. One that is forgotten is read again. */
const maxStarted = 4_096;

/** What the next fence and the next audit row follow. */
interface Heads {
  /** The last fence that was given out. */
  fence: number;
  /** The last one that the file says is taken: others give out none up to it. */
  reserved: number;
  audit: Pick<ChainedText, "index" | "hash"> | undefined;
}

/** Thrown when another process has written since the heads were read. The same transaction is then run again. */
export class Stale extends Error {
  override readonly name = "Stale";
}

/** How long the heads of a file that others write, too, are read in each transaction. Milliseconds. */
const sharedMs = 1_000;

/** How many fences are reserved at once, by a process that was alone for {@link aloneAfter} commits with fences. */
const reservedAtOnce = 64;
const aloneAfter = 2;

/**
 * The tools of a store's method inside a transaction. A statement is prepared once. A value that several methods of the
 * same transaction need is read once.
 */
export class Transaction {
  readonly file: string;
  /** Whether anything was written since this was last set to false. */
  dirty = false;
  readonly #connection: Connection;
  readonly #statements = new Map<string, Statement>();
  readonly #now: () => number;
  /** The time when the present method first asked for it. */
  #at: number | undefined;
  #afterCommit: (() => void)[] = [];
  readonly #held = new Map<string, unknown>();
  readonly #deferred = new Map<string, () => void>();
  readonly #started = new Map<string, StartedOperation>();
  /**
   * As they were read, or as this process has left them. Most files have one writer, so they are not read again in each
   * transaction: the first write that relies on them finds out whether they still hold.
   */
  #heads: Heads | undefined;
  /** Whether they are sure in this transaction. */
  #isSure = false;
  /** Whether this transaction gives out a fence. */
  #takesFence = false;
  /** The transactions with fences since the heads were read. */
  #alone = 0;
  /** Of `performance.now()`: until then others are expected to write. */
  #sharedUntil = 0;
  /** The identity of the store when it was first read. */
  #id: string | undefined;

  constructor(connection: Connection, file: string, now: () => number) {
    this.#connection = connection;
    this.file = file;
    this.#now = now;
  }

  /** Returns the time. It stays the same during one method. */
  now(): number {
    this.#at ??= this.#now();
    return this.#at;
  }

  /** To be called before each method. */
  next(): void {
    this.dirty = false;
    this.#at = undefined;
  }

  /** Registers an action that runs right after the commit, before any promise is settled. */
  afterCommit(act: () => void): void {
    this.#afterCommit.push(act);
  }

  /** To be called after COMMIT. */
  committed(): void {
    const acts = this.#afterCommit;
    this.#afterCommit = [];
    for (const act of acts) act();
  }

  /** Remembers an operation that this transaction has started, once it is committed. */
  noteStarted(scope: string, key: string, started: StartedOperation): void {
    this.afterCommit(() => {
      this.#started.set(`${scope}\n${key}`, started);
      if (this.#started.size > maxStarted) this.#started.delete(this.#started.keys().next().value as string);
    });
  }

  /** Returns a started operation, and forgets it: it is about to end. */
  takeStarted(scope: string, key: string): StartedOperation | undefined {
    const name = `${scope}\n${key}`;
    const found = this.#started.get(name);
    this.#started.delete(name);
    return found;
  }

  get(sql: string, ...parameters: Value[]): Row | undefined {
    return this.#prepare(sql).get(parameters);
  }

  all(sql: string, ...parameters: Value[]): Row[] {
    return this.#prepare(sql).all(parameters);
  }

  run(sql: string, ...parameters: Value[]): void {
    this.dirty = true;
    this.#prepare(sql).run(parameters);
  }

  /** Runs a statement and returns how many rows it changed. */
  change(sql: string, ...parameters: Value[]): number {
    this.dirty = true;
    return this.#prepare(sql).change(parameters);
  }

  /** Runs a statement that writes and also returns rows. */
  write(sql: string, ...parameters: Value[]): Row | undefined {
    this.dirty = true;
    return this.#prepare(sql).get(parameters);
  }

  /**
   * A value that several methods of one transaction need. It is made once, and forgotten at the end of the transaction.
   */
  held<T>(key: string, make: () => T): T {
    const found = this.#held.get(key) as T | undefined;
    if (found !== undefined) return found;
    const made = make();
    this.#held.set(key, made);
    return made;
  }

  /** Returns the value under the key, when it was made in this transaction. */
  peek<T>(key: string): T | undefined {
    return this.#held.get(key) as T | undefined;
  }

  /** Forgets the value under the key, because it is no longer true. */
  drop(key: string): void {
    this.#held.delete(key);
  }

  /** Delays a write to the end of the transaction. Of several writes with one key only the last one is done. */
  defer(key: string, write: () => void): void {
    this.dirty = true;
    this.#deferred.set(key, write);
  }

  /** Throws `trp/store-replaced` when the file is no longer the store that was opened. */
  checkIdentity(): void {
    this.#identity(this.get("SELECT id FROM identity")?.id);
  }

  /** Writes so many bytes that belong to nobody; see {@link empty}. */
  fill(bytes: number): void {
    this.dirty = true;
    this.#connection.exec(
      `CREATE TABLE IF NOT EXISTS filling (bytes BLOB) STRICT; INSERT INTO filling VALUES (zeroblob(${bytes}))`,
    );
  }

  /** Releases what {@link fill} took. */
  empty(): void {
    this.dirty = true;
    this.#connection.exec("DROP TABLE IF EXISTS filling");
  }

  /** Drops the pages that are cached in memory, so that the next reads come from the file. */
  forget(): void {
    this.#connection.exec("PRAGMA shrink_memory");
  }

  #identity(id: Value | undefined): void {
    this.#id ??= String(id);
    if (this.#id === id) return;
    const text = `${this.file} holds another store than when it was opened: nothing is claimed in it. Put the file back, or restart.`;
    throw storeError("trp/store-replaced", text, { file: this.file });
  }

  #read(): Heads {
    if (this.#heads !== undefined) return this.#heads;
    const row = this.get(readHeads);
    this.#identity(row?.id);
    const fence = Number(row?.fence);
    if (!Number.isSafeInteger(fence)) throw this.damaged("counters", "fence");
    const audit = row?.hash == null ? undefined : { index: Number(row.n), hash: String(row.hash) };
    this.#isSure = true;
    this.#alone = 0;
    this.#heads = { fence, reserved: fence, audit };
    return this.#heads;
  }

  /** The next fence, never used before. It is not taken until {@link takeFence}. */
  nextFence(): number {
    return this.#read().fence + 1;
  }

  takeFence(): void {
    this.#read().fence += 1;
    this.#takesFence = true;
  }

  /**
   * Adds entries in canonical JSON to the audit log. Each row gets a hash over the row before. The hash is computed
   * here because inside the transaction no other process can add rows.
   */
  audit(entries: readonly string[]): void {
    if (entries.length === 0) return;
    const at = this.now();
    const heads = this.#read();
    for (const entry of entries) {
      const row = chainText(heads.audit, at, entry);
      const values = [row.index, at, entry, row.prevHash, row.hash];
      if (this.#isSure) this.run(`${intoAudit} VALUES (?, ?, ?, ?, ?)`, ...values);
      else {
        const relied = [heads.audit?.hash ?? null, heads.reserved, this.#id as string];
        this.#relyOn(this.change(`${intoAudit} ${ifLast}`, ...values, ...relied));
      }
      heads.audit = row;
    }
  }

  /** Takes the number of rows that a write has changed which relied on the heads: they are sure, or it throws. */
  #relyOn(changed: number): void {
    this.#isSure = changed > 0;
    if (this.#isSure) return;
    this.#sharedUntil = performance.now() + sharedMs;
    throw new Stale();
  }

  /** Parses the JSON of a column. Throws `trp/store-damaged` when it can't be read. */
  parse<T>(text: Value | undefined, table: string, key: string, check: (value: T) => boolean): T {
    try {
      const value = JSON.parse(text as string) as T;
      if (typeof value === "object" && value !== null && check(value)) return value;
    } catch {
      // Thrown below.
    }
    throw this.damaged(table, key);
  }

  damaged(table: string, key: string): Error {
    const text = `A row of ${this.file} can't be read: ${table}, ${JSON.stringify(key)}.`;
    return storeError("trp/store-damaged", text, { file: this.file, table, key });
  }

  /** To be called after BEGIN: others may have written meanwhile. */
  begin(): void {
    this.#held.clear();
    this.#afterCommit = [];
    this.#deferred.clear();
    this.#isSure = false;
    this.#takesFence = false;
    if (performance.now() < this.#sharedUntil) this.#heads = undefined;
    this.next();
  }

  /** To be called after ROLLBACK. */
  undone(): void {
    this.#heads = undefined;
    this.begin();
  }

  /** To be called before COMMIT: writes what was deferred. */
  flush(): void {
    for (const write of this.#deferred.values()) write();
    this.#deferred.clear();
    if (this.#takesFence) this.#keepFence(this.#read());
  }

  /**
   * Sees to it that no other process gives out a fence of this transaction. A process that is alone with the file reserves
   * some at once. Those of a process that ends are left out: fences only rise.
   */
  #keepFence(heads: Heads): void {
    const { fence, reserved } = heads;
    if (fence > reserved) heads.reserved = this.#alone < aloneAfter ? fence : fence + reservedAtOnce;
    else if (this.#isSure) return;
    this.#alone += 1;
    if (this.#isSure) this.run(writeFence, heads.reserved);
    else this.#relyOn(this.change(`${writeFence} ${ifFence}`, heads.reserved, reserved, this.#id as string));
  }

  /** Brings everything from the write-ahead log into the file, unless another process is at it. To be called last. */
  checkpoint(): void {
    this.#statements.clear();
    try {
      this.#connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").all([]);
    } catch {
      // The log stays, and is read when the file is opened again.
    }
  }

  #prepare(sql: string): Statement {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#connection.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

const readHeads = `SELECT value AS fence, (SELECT id FROM identity) AS id, last.n, last.hash FROM counters
  LEFT JOIN (SELECT n, hash FROM audit ORDER BY n DESC LIMIT 1) AS last WHERE name = 'fence'`;
const writeFence = "UPDATE counters SET value = ? WHERE name = 'fence'";
const ifFence = "AND value = ? AND (SELECT id FROM identity) = ?";
const intoAudit = "INSERT INTO audit (n, at, entry, prev_hash, hash)";
const ifLast = `SELECT ?, ?, ?, ?, ? WHERE (SELECT hash FROM audit ORDER BY n DESC LIMIT 1) IS ?
  AND (SELECT value FROM counters WHERE name = 'fence') = ? AND (SELECT id FROM identity) = ?`;
