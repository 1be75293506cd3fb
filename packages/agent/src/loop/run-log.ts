import type { AgentEvent } from "../events.ts";
import { plainJson } from "../plain-json.ts";
import type { RunSnapshot } from "../result.ts";
import { lineText } from "../session/lines.ts";
import type { RunLogs } from "../session/run-logs.ts";
import type { SessionEntry } from "../session/types.ts";

/** The log of one run: kept in memory, and added to the store where there is one. */
export class RunLog {
  readonly #runId: string;
  readonly #owner: string;
  readonly #store: RunLogs | undefined;
  /** Of the run so far: texts as they were read, entries as this process adds them. */
  readonly #lines: (string | { entry: SessionEntry; n: number })[];
  /** How many of them the store has, and how many are on their way. */
  #stored: number;
  #sent: number;
  #sending: Promise<void> = Promise.resolve();
  readonly #onFault: () => void;
  /** Why the store failed. */
  fault: { error: unknown } | undefined;

  /** `known`: lines that the store has already. `onFault` is called once, when the store has failed. */
  constructor(
    { runId, owner, store }: { runId: string; owner: string; store: RunLogs | undefined },
    known: readonly string[],
    onFault: () => void,
  ) {
    this.#runId = runId;
    this.#owner = owner;
    this.#store = store;
    this.#lines = [...known];
    this.#stored = known.length;
    this.#sent = known.length;
    this.#onFault = onFault;
  }

  /** Adds an entry; resolves once the store has it. Rejects when the store failed, now or before. */
  async add(entry: SessionEntry): Promise<void> {
    this.#lines.push({ entry: plainJson(entry), n: this.#lines.length });
    if (this.#store === undefined) return;
    const wanted = this.#lines.length;
    this.#sending = this.#sending.then(() => this.#send());
    await this.#sending;
    if (this.fault && this.#stored < wanted) throw this.fault.error;
  }

  /** How many lines the store has. */
  get stored(): number {
    return this.#stored;
  }

  /** Sends entries that were added meanwhile together. */
  async #send(): Promise<void> {
    if (this.fault || this.#sent === this.#lines.length) return;
    const at = this.#sent;
    this.#sent = this.#lines.length;
    try {
      await this.#store?.append(this.#runId, this.#texts(at), at);
      this.#stored = this.#sent;
    } catch (error) {
      this.fault = { error };
      this.#onFault();
    }
  }

  snapshot(): RunSnapshot {
    return { version: 1, runId: this.#runId, lines: this.#texts(0) };
  }

  #texts(from: number): string[] {
    return this.#lines
      .slice(from)
      .map((line) => (typeof line === "string" ? line : lineText(line.entry, line.n, this.#owner)));
  }
}

/** Keeps the events of a run, or the newest of them, so that they can be iterated while it is under way, afterwards, twice, or never. */
export class EventLog implements AsyncIterable<AgentEvent> {
  readonly #keep: number;
  #events: AgentEvent[] = [];
  /** Number of the event that is first in `#events`: so many were dropped, or are about to be. */
  #first = 0;
  #closed = false;
  #waiting: (() => void)[] = [];

  constructor(keep: number = Number.POSITIVE_INFINITY) {
    this.#keep = keep;
  }

  push(event: AgentEvent): void {
    this.#events.push(event);
    // Half of them at once: dropping one costs as much as moving all.
    if (this.#events.length >= 2 * this.#keep) {
      this.#first += this.#events.length - this.#keep;
      this.#events = this.#events.slice(-this.#keep);
    }
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    for (let index = 0; ; ) {
      const kept = Math.max(this.#first, this.#first + this.#events.length - this.#keep);
      const event = this.#events[Math.max(index, kept) - this.#first];
      if (event !== undefined && index < kept) {
        yield { type: "events-dropped", count: kept - index, at: event.at };
        index = kept;
      } else if (event !== undefined) {
        index += 1;
        yield event;
      } else {
        if (this.#closed) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      }
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
