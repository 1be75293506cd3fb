import type { Storage } from "@toolglot/core/storage";
import { isObject, parseJson } from "@toolglot/internal";

/** A line of the log. */
type Entry =
  /** A run begins. */
  | { run: string; at: number }
  /** A write of the last run begins. `windowMs`: how long the tool's effect is not to happen again. */
  | { call: number; at: number; windowMs: number }
  /** The last run has ended, well or not. */
  | { end: boolean; at: number };

/** The last run in a log, or another one. */
export interface LoggedRun {
  receipt: string;
  /** When its writes were begun, by the numbers of the calls. */
  begun: ReadonlyMap<number, number>;
  end?: { isOk: boolean; at: number; windowMs: number };
}

const folder = "gateway/programs/";
/** Other writers that may be faster one after another. */
const maxAttempts = 50;
/** A program that is run again and again begins a new log after so many lines. */
const maxLines = 1_000;

/**
 * What is kept of a principal's program besides the journal of each run: which run goes on when the same program is asked for again, and
 * when its writes were begun. Methods reject when the storage does.
 */
export class ProgramLog {
  readonly #logs: Storage["logs"];
  readonly #now: () => number;
  readonly #name: string;
  #entries: Entry[] = [];
  #tail: Promise<unknown> = Promise.resolve();

  private constructor({ logs, now }: Pick<Storage, "logs" | "now">, place: string) {
    this.#logs = logs;
    this.#now = now;
    this.#name = folder + place;
  }

  static async read(storage: Pick<Storage, "logs" | "now">, place: string): Promise<ProgramLog> {
    const log = new ProgramLog({ logs: storage.logs, now: () => storage.now() }, place);
    await log.#read();
    return log;
  }

  get last(): LoggedRun | undefined {
    const begin = this.#entries.findLast((entry) => "run" in entry);
    return begin && this.run(begin.run);
  }

  /** Undefined when it did not begin here. */
  run(receipt: string): LoggedRun | undefined {
    const first = this.#entries.findIndex((entry) => "run" in entry && entry.run === receipt);
    if (first < 0) return undefined;
    const next = this.#entries.findIndex((entry, index) => index > first && "run" in entry);
    const own = this.#entries.slice(first, next < 0 ? undefined : next);
    const calls = own.filter((entry) => "call" in entry);
    const ended = own.find((entry) => "end" in entry);
    const windowMs = Math.max(0, ...calls.map((call) => call.windowMs));
    return {
      receipt,
      begun: new Map(calls.map(({ call, at }) => [call, at])),
      ...(ended && { end: { isOk: ended.end, at: ended.at, windowMs } }),
    };
  }

  /** Begins a run, unless another one has begun since the log was read: then that is the last one now. */
  async begin(receipt: string): Promise<void> {
    const seen = this.#entries.length;
    if (seen >= maxLines && this.last?.end !== undefined) {
      await this.#logs.delete(this.#name, seen);
      this.#entries = [];
    }
    const entry = { run: receipt, at: this.#now() };
    if (await this.#logs.append(this.#name, [JSON.stringify(entry)], this.#entries.length)) this.#entries.push(entry);
    else await this.#read();
  }

  /** Notes that a write of a run begins, or when it did at first. */
  beginCall(receipt: string, call: number, windowMs: number): Promise<{ at: number; isFirst: boolean }> {
    return this.#inTurn(async () => {
      const known = this.run(receipt)?.begun.get(call);
      if (known !== undefined) return { at: known, isFirst: false };
      const at = this.#now();
      await this.#add(receipt, { call, at, windowMs });
      return { at, isFirst: true };
    });
  }

  /** Notes that a run has ended. */
  end(receipt: string, isOk: boolean): Promise<void> {
    return this.#inTurn(async () => {
      if (this.run(receipt)?.end === undefined) await this.#add(receipt, { end: isOk, at: this.#now() });
    });
  }

  async #add(receipt: string, entry: Entry): Promise<void> {
    for (let attempt = 0; attempt < maxAttempts && this.last?.receipt === receipt; attempt++) {
      if (await this.#logs.append(this.#name, [JSON.stringify(entry)], this.#entries.length)) {
        this.#entries.push(entry);
        return;
      }
      await this.#read();
    }
    throw new Error("another run of the program has begun");
  }

  async #read(): Promise<void> {
    const lines = (await this.#logs.read(this.#name)) ?? [];
    this.#entries = lines.map((line) => parseJson(line)).filter(isObject) as unknown as Entry[];
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const done = this.#tail.then(work);
    this.#tail = done.catch(() => {});
    return done;
  }
}

/** Deletes what is kept of programs that nobody has run in this time. Returns how many. */
export async function forgetPrograms(storage: Pick<Storage, "logs" | "now">, olderThanMs: number): Promise<number> {
  let count = 0;
  for await (const name of storage.logs.list(folder)) {
    const lines = (await storage.logs.read(name)) ?? [];
    const last = parseJson(lines.at(-1) ?? "{}") as Partial<Entry>;
    if ((last.at ?? 0) + olderThanMs > storage.now()) continue;
    await storage.logs.delete(name, lines.length);
    count++;
  }
  return count;
}
