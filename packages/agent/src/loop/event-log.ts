import type { AgentEvent } from "../events.ts";

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
