import type { Database } from "./database.ts";
import { timed } from "./transaction.ts";

/** How often the offset is measured. Milliseconds. */
const everyMs = 10_000;
/** Of so many measurements the one with the shortest way counts. */
const samples = 5;

/**
 * The database's clock, as this process knows it: the time that has passed here, and an offset. It is for display and hints. What is decided
 * is decided by the clock of the database itself, so that a process whose clock is wrong, or is set, changes nothing.
 */
export class DatabaseClock {
  readonly #database: Database;
  readonly #onError: (error: Error) => void;
  #offset = 0;
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(database: Database, onError: (error: Error) => void) {
    this.#database = database;
    this.#onError = onError;
  }

  now(): number {
    return Math.round(performance.now() + this.#offset);
  }

  /** Measures the offset, now and from now on. */
  async start(): Promise<void> {
    await this.#measure();
    this.#timer = setInterval(() => void this.#measure().catch(this.#onError), everyMs);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #measure(): Promise<void> {
    let best = { way: Number.POSITIVE_INFINITY, offset: 0 };
    for (let sample = 0; sample < samples; sample += 1) {
      const before = performance.now();
      const [row] = await this.#database.statement({ sql: `WITH ${timed} SELECT now FROM t`, values: [null] });
      const way = performance.now() - before;
      if (way < best.way) best = { way, offset: Number(row?.now) + way / 2 - performance.now() };
    }
    this.#offset = best.offset;
  }
}
