import { copyJson } from "@toolglot/internal";
import type { NewEvent } from "../events/types.ts";
import type { OutboxConsumer, OutboxEvent, OutboxPage, OutboxRange, OutboxStore, Retention } from "./log-types.ts";
import {
  type OutboxBounds,
  outboxDroppable,
  outboxPage,
  outboxPosition,
  outboxTooOld,
  outboxWindow,
} from "./outbox-rules.ts";

/** The number of events to keep. Older ones are dropped `atOnce` at a time. */
const keepRows = 10_000;
const atOnce = 1024;

/** The outbox of a `MemoryStore`. It keeps at least the newest 10,000 events. */
export class MemoryOutbox implements OutboxStore {
  readonly #enter: () => number;
  #events: OutboxEvent[] = [];
  readonly #consumers = new Map<string, OutboxConsumer>();
  #dropped = 0;

  constructor(enter: () => number) {
    this.#enter = enter;
  }

  /** Copies the events. The returned function stores the copies and can't fail. */
  prepare(events: readonly NewEvent[] | undefined, at: number): () => void {
    if (!events || events.length === 0) return () => {};
    const copies = copyJson(events as NewEvent[]);
    return () => {
      for (const event of copies) this.#events.push({ index: this.#bounds.last + 1, event: { at, ...event } });
      if (this.#events.length >= keepRows + atOnce) this.#drop(this.#dropped + atOnce);
    };
  }

  async read(range: OutboxRange): Promise<OutboxPage> {
    this.#enter();
    const { after: given, consumer, limit } = outboxWindow(range);
    const after = consumer === undefined ? given : (this.#consumers.get(consumer)?.position ?? 0);
    const start = Math.max(0, after - this.#dropped);
    return outboxPage(copyJson(this.#events.slice(start, start + limit)), after, this.#bounds);
  }

  async acknowledge(consumer: string, upTo: number): Promise<number> {
    const at = this.#enter();
    const position = outboxPosition(consumer, upTo, this.#consumers.get(consumer)?.position ?? 0, this.#bounds);
    this.#consumers.set(consumer, { name: consumer, position, at });
    return position;
  }

  async consumers(): Promise<OutboxConsumer[]> {
    this.#enter();
    const all = [...this.#consumers.values()].map((consumer) => ({ ...consumer }));
    return all.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  async forget(consumer: string): Promise<boolean> {
    this.#enter();
    return this.#consumers.delete(consumer);
  }

  prune(now: number, retention?: Retention): void {
    const positions = [...this.#consumers.values()].map(({ position }) => position);
    this.#drop(outboxDroppable(positions, this.#bounds, retention));
    const limit = outboxTooOld(now, retention);
    const kept = this.#events.findIndex(({ event }) => event.at > limit);
    this.#drop(kept === -1 ? this.#bounds.last : this.#dropped + kept);
  }

  clear(): void {
    this.#events = [];
    this.#consumers.clear();
  }

  get #bounds(): OutboxBounds {
    return { dropped: this.#dropped, last: this.#dropped + this.#events.length };
  }

  #drop(upTo: number): void {
    if (upTo <= this.#dropped) return;
    this.#events = this.#events.slice(upTo - this.#dropped);
    this.#dropped = upTo;
  }
}
