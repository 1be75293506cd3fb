import { copyJson } from "@toolglot/internal";
import { chainRow, firstHash } from "../audit/chain.ts";
import { checkCheckpoint, follows } from "../audit/checkpoint.ts";
import type { AuditCheckpoint, AuditEntry, AuditRow } from "../audit/types.ts";
import type { NewEvent } from "../events/types.ts";
import type {
  AuditHead,
  OutboxConsumer,
  OutboxEvent,
  OutboxPage,
  OutboxRange,
  OutboxStore,
  Retention,
} from "./log-types.ts";
import {
  type OutboxBounds,
  outboxDroppable,
  outboxPage,
  outboxPosition,
  outboxTooOld,
  outboxWindow,
} from "./outbox-rules.ts";

/** Rows that are dropped at once. */
const atOnce = 1024;

interface Waiting {
  at: number;
  entry: AuditEntry;
}

/**
 * The audit log of a `MemoryStore`. A row is chained when it is first read, or dropped after others were read: in
 * memory a hash protects nothing until somebody has seen one, and calls needn't wait for it. Rows that were dropped
 * before anything was read have left only their indexes: the chain begins behind them.
 */
export class MemoryAudit {
  readonly #keepRows: number;
  /** The oldest kept rows, chained; then those that wait for it. */
  readonly #chained: AuditRow[] = [];
  #waiting: Waiting[] = [];
  /** What the next row follows. */
  #last: Pick<AuditRow, "index" | "hash"> = { index: 0, hash: firstHash };
  #isSeen = false;
  #checkpoints: AuditCheckpoint[] = [];

  constructor(keepRows: number) {
    this.#keepRows = keepRows;
  }

  /** Copies the entries; what is returned then keeps them, and can't fail. */
  prepare(entries: readonly AuditEntry[] | undefined, at: number): () => void {
    if (!entries || entries.length === 0) return () => {};
    const rows = entries.map((entry) => ({ ...entry }));
    return () => {
      for (const entry of rows) this.#keep(at, entry);
    };
  }

  /** Keeps copies of the entries, when nothing else has to be written with them. */
  append(entries: readonly AuditEntry[], at: number): void {
    for (const entry of entries) this.#keep(at, { ...entry });
  }

  #keep(at: number, entry: AuditEntry): void {
    this.#waiting.push({ at, entry });
    if (this.#chained.length + this.#waiting.length >= this.#keepRows + atOnce) this.#drop(atOnce);
  }

  read({ after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {}): AuditRow[] {
    this.#isSeen = true;
    const last = this.#last.index;
    // Rows have no gaps, and those before the first one are dropped: a range that begins there begins with it.
    const first = last - this.#chained.length + 1;
    this.#chain(Math.max(after, first - 1) + limit - last);
    const start = Math.max(0, after + 1 - first);
    return this.#chained.slice(start, start + limit).map((row) => ({ ...row, entry: { ...row.entry } }));
  }

  head(): AuditHead {
    this.#isSeen = true;
    this.#chain(this.#waiting.length);
    const { index, hash } = this.#last;
    const checkpoint = this.#checkpoints.at(-1);
    return { ...(index > 0 && { row: { index, hash } }), ...(checkpoint && { checkpoint: { ...checkpoint } }) };
  }

  addCheckpoint(given: AuditCheckpoint): boolean {
    const checkpoint = checkCheckpoint(given);
    const { index, hash } = checkpoint;
    const [row] = this.read({ after: index - 1, limit: 1 });
    if (row?.index !== index || row.hash !== hash || !follows(checkpoint, this.#checkpoints.at(-1))) return false;
    const others = this.#checkpoints.filter((other) => other.index !== index);
    this.#checkpoints = [...others, checkpoint].sort((one, other) => one.index - other.index);
    return true;
  }

  checkpoints({ after = 0, limit }: { after?: number; limit?: number } = {}): AuditCheckpoint[] {
    const found = this.#checkpoints.filter(({ index }) => index > after).slice(0, limit);
    return found.map((checkpoint) => ({ ...checkpoint }));
  }

  /** Drops the rows before `from` of the newest checkpoint. */
  prune(): void {
    const from = this.#checkpoints.at(-1)?.from ?? 1;
    const kept = this.#chained.findIndex(({ index }) => index >= from);
    // Rows that a checkpoint lets go of were chained when it was made.
    this.#chained.splice(0, kept === -1 ? this.#chained.length : kept);
    this.#checkpoints = this.#checkpoints.filter(({ index }) => index >= from);
  }

  clear(): void {
    this.#checkpoints = [];
    this.#chained.length = 0;
    this.#waiting = [];
  }

  /** Chains the next rows, at most so many. */
  #chain(count: number): void {
    const end = Math.min(count, this.#waiting.length);
    if (!(end > 0)) return;
    for (let index = 0; index < end; index++) {
      const { at, entry } = this.#waiting[index] as Waiting;
      const row = chainRow(this.#last, at, entry);
      this.#chained.push(row);
      this.#last = row;
    }
    this.#waiting = this.#waiting.slice(end);
  }

  #drop(count: number): void {
    if (!this.#isSeen) {
      this.#last = { index: this.#last.index + count, hash: firstHash };
      this.#waiting = this.#waiting.slice(count);
      return;
    }
    this.#chain(count - this.#chained.length);
    this.#chained.splice(0, count);
  }
}

/** Events that are kept at most. */
const keepRows = 10_000;

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
