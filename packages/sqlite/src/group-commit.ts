import { storeClosed } from "@toolglot/trp-core/store";
import { backoff } from "./backoff.ts";
import { isBusy } from "./driver.ts";
import type { Connection } from "./drivers/types.ts";
import { storeError } from "./errors.ts";
import { FileWatch } from "./file-watch.ts";
import { Health } from "./health.ts";
import { Stale, type Transaction } from "./transaction.ts";

/** A method of the store: it reads, then writes. Whatever it throws, it must throw before its first write. */
type Work<T> = (transaction: Transaction) => T;

/** How long a committed pulse is good for. Milliseconds. */
const pulseMs = 1_000;

/** More than one commit of many calls. Bytes. */
const fillBytes = 1024 * 1024;

interface Job {
  work: Work<unknown>;
  /** It is no part of a call: its result is no sign of whether calls can be written. */
  isPulse: boolean;
  /** Of `performance.now()`: when waiting for the lock is over. Set when another process was first found to hold it. */
  until: number | undefined;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export interface GroupCommitOptions {
  /** Of the store, for messages. */
  name: string;
  /** How long to wait for another process's lock. Milliseconds. */
  lockTimeoutMs: number;
  /** No more is begun in a transaction after so long: neither this process nor others shall wait for it. Default 10. */
  maxMs?: number;
}

/**
 * Runs all methods that are called in one round of the event loop, or while a commit is under way, in one transaction.
 * Their promises are settled after the COMMIT. When the COMMIT fails, all are rejected and nothing has happened. When
 * another process holds the lock, it waits asynchronously. Reads have separate transactions, because they need no lock.
 */
export class GroupCommit {
  readonly #connection: Connection;
  readonly #transaction: Transaction;
  readonly #name: string;
  readonly #health: Health;
  readonly #files: FileWatch;
  readonly #reading: Lane;
  readonly #writing: Lane;
  #pulsing: Promise<void> | undefined;
  /** When the last pulse was committed. */
  #pulsed = Number.NEGATIVE_INFINITY;
  #closing: Promise<void> | undefined;

  constructor(connection: Connection, transaction: Transaction, options: GroupCommitOptions) {
    this.#connection = connection;
    this.#transaction = transaction;
    this.#name = options.name;
    const { file } = transaction;
    this.#health = new Health(file);
    this.#files = new FileWatch(file);
    this.#reading = new Lane("BEGIN", connection, transaction, this.#health, undefined, options);
    this.#writing = new Lane("BEGIN IMMEDIATE", connection, transaction, this.#health, this.#files, options);
  }

  /**
   * Rejects unless a write would be committed now, to the files that the path names: commits one, at most once in
   * {@link pulseMs}. In between, the fault of the last transaction and the files themselves are looked at. A pulse is
   * small, and fits where calls don't: after a write of calls that failed, one larger than theirs must be committed too.
   */
  async pulse(work: Work<void>): Promise<void> {
    this.#health.check();
    this.#files.check();
    if (this.#pulsing === undefined && performance.now() - this.#pulsed < pulseMs) {
      this.#health.checkLast();
      return;
    }
    this.#pulsing ??= this.#pulse(work).finally(() => {
      this.#pulsing = undefined;
    });
    await this.#pulsing;
  }

  async #pulse(work: Work<void>): Promise<void> {
    this.#pulsed = Number.NEGATIVE_INFINITY;
    await this.#write(true, (transaction) => {
      // Pages that are cached in memory would hide a damaged file.
      transaction.forget();
      work(transaction);
    });
    if (this.#health.callsFailed) {
      // In two commits: SQLite does not write what a transaction itself has made free.
      await this.#write(true, (transaction) => transaction.fill(fillBytes));
      await this.#write(true, (transaction) => transaction.empty());
      this.#health.worked(true);
    }
    this.#pulsed = performance.now();
  }

  read<T>(work: Work<T>): Promise<T> {
    return this.#closing ? Promise.reject(storeClosed(this.#name)) : this.#reading.submit(work);
  }

  write<T>(work: Work<T>): Promise<T> {
    return this.#write(false, work);
  }

  #write<T>(isPulse: boolean, work: Work<T>): Promise<T> {
    return this.#closing ? Promise.reject(storeClosed(this.#name)) : this.#writing.submit(work, isPulse);
  }

  /** Finishes the methods that were called, then closes the file. Later calls are rejected. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      await Promise.all([this.#reading.idle(), this.#writing.idle()]);
      // Into the file itself: libsql lets go of it only when its statements are collected.
      this.#transaction.checkpoint();
      this.#connection.close();
    })();
    return this.#closing;
  }
}

/** Transactions of one kind, one after another. */
class Lane {
  readonly #begin: string;
  readonly #connection: Connection;
  readonly #transaction: Transaction;
  readonly #health: Health;
  /** Of lanes that write. */
  readonly #files: FileWatch | undefined;
  readonly #lockTimeoutMs: number;
  readonly #maxMs: number;
  #queue: Job[] = [];
  #running = false;
  #drained: (() => void) | undefined;

  constructor(
    begin: string,
    connection: Connection,
    transaction: Transaction,
    health: Health,
    files: FileWatch | undefined,
    options: GroupCommitOptions,
  ) {
    this.#begin = begin;
    this.#connection = connection;
    this.#transaction = transaction;
    this.#health = health;
    this.#files = files;
    this.#lockTimeoutMs = options.lockTimeoutMs;
    this.#maxMs = options.maxMs ?? 10;
  }

  submit<T>(work: Work<T>, isPulse = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#queue.push({ work, isPulse, until: undefined, resolve: resolve as Job["resolve"], reject });
      if (this.#running) return;
      this.#running = true;
      setImmediate(() => void this.#drain());
    });
  }

  /** When nothing is left to do. */
  async idle(): Promise<void> {
    if (!this.#running) return;
    await new Promise<void>((resolve) => {
      this.#drained = resolve;
    });
  }

  async #drain(): Promise<void> {
    let attempt = 0;
    while (this.#queue.length > 0) {
      const end = this.#runBatch();
      if (end === "done") {
        attempt = 0;
        // Callers that were just answered ask again now: their next methods share the next transaction.
        if (this.#queue.length === 0) break;
        await new Promise((resolve) => setImmediate(resolve));
      } else {
        this.#rejectLate(end.busy);
        await backoff(attempt++);
      }
    }
    this.#running = false;
    this.#drained?.();
  }

  /** Runs one transaction over the queue. Takes from the queue what it settles. */
  #runBatch(): "done" | { busy: unknown } {
    try {
      this.#health.check();
      this.#files?.check();
      this.#connection.exec(this.#begin);
    } catch (error) {
      if (isBusy(error)) return { busy: error };
      this.#rejectAll(this.#queue.splice(0), error);
      return "done";
    }
    const settle: (() => void)[] = [];
    const jobs: Job[] = [];
    try {
      const start = performance.now();
      this.#transaction.begin();
      while (jobs.length < this.#queue.length) {
        const job = this.#queue[jobs.length] as Job;
        jobs.push(job);
        settle.push(this.#runJob(job));
        if (performance.now() - start > this.#maxMs) break;
      }
      this.#transaction.flush();
      this.#connection.exec("COMMIT");
    } catch (error) {
      this.#rollback();
      if (isBusy(error)) return { busy: error };
      // All of them again, at once.
      if (error instanceof Stale) return "done";
      // What failed half-way is undone with all the others, which then run again without it.
      const failed = error instanceof HalfDone ? [error.job] : jobs;
      this.#queue = this.#queue.filter((job) => !failed.includes(job));
      this.#rejectAll(failed, error instanceof HalfDone ? error.cause : error);
      return "done";
    }
    this.#queue.splice(0, jobs.length);
    try {
      // A commit to a file that other processes will not see does not count.
      this.#files?.check();
    } catch (error) {
      this.#rejectAll(jobs, error);
      return "done";
    }
    if (this.#files !== undefined) this.#health.worked(this.#ofCalls(jobs));
    this.#transaction.committed();
    for (const settleJob of settle) settleJob();
    return "done";
  }

  /** Runs one; what is returned settles it. */
  #runJob(job: Job): () => void {
    this.#transaction.next();
    try {
      const value = job.work(this.#transaction);
      return () => job.resolve(value);
    } catch (error) {
      if (isBusy(error) || error instanceof Stale) throw error;
      if (this.#transaction.dirty) throw new HalfDone(job, error);
      return () => job.reject(this.#health.failed(error, this.#ofCalls([job])));
    }
  }

  #ofCalls(jobs: readonly Job[]): boolean {
    return this.#files !== undefined && jobs.some(({ isPulse }) => !isPulse);
  }

  #rollback(): void {
    try {
      this.#connection.exec("ROLLBACK");
    } catch {
      // SQLite has done so itself.
    }
    this.#transaction.undone();
  }

  #rejectLate(error: unknown): void {
    const now = performance.now();
    const late: Job[] = [];
    for (const job of this.#queue) {
      job.until ??= now + this.#lockTimeoutMs;
      if (job.until <= now) late.push(job);
    }
    if (late.length === 0) return;
    this.#queue = this.#queue.filter((job) => !late.includes(job));
    const waitedMs = this.#lockTimeoutMs;
    const { file } = this.#transaction;
    const text = `${file} has been locked by another process for ${waitedMs} ms.`;
    this.#rejectAll(late, storeError("trp/store-busy", text, { file, waitedMs }, error));
  }

  #rejectAll(jobs: Job[], error: unknown): void {
    const fault = this.#health.failed(error, this.#ofCalls(jobs));
    for (const job of jobs) job.reject(fault);
  }
}

/** A job that threw after it had written something. */
class HalfDone extends Error {
  readonly job: Job;

  constructor(job: Job, cause: unknown) {
    super("half done", { cause });
    this.job = job;
  }
}
