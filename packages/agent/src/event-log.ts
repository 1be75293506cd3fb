import type { AgentEvent } from "./events.ts";

/** Keeps the events of a run, so that they can be iterated while it goes on, afterwards, twice, or never. */
export class EventLog implements AsyncIterable<AgentEvent> {
  readonly #events: AgentEvent[] = [];
  #closed = false;
  #waiting: (() => void)[] = [];

  push(event: AgentEvent): void {
    this.#events.push(event);
    this.#wake();
  }

  close(): void {
    this.#closed = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<AgentEvent> {
    for (let index = 0; ; index += 1) {
      let event = this.#events[index];
      while (event === undefined) {
        if (this.#closed) return;
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
        event = this.#events[index];
      }
      yield event;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
