import { chainRow } from "../audit/chain.ts";
import type { AuditEntry, AuditRow } from "../audit/types.ts";

/** Rows that are dropped at once. */
const atOnce = 1024;

interface Waiting {
  at: number;
  entry: AuditEntry;
}

/**
 * The audit log of a `MemoryStore`. A row is chained when it is first read, or dropped: in memory a hash protects nothing
 * until somebody has seen it, and calls needn't wait for it.
 */
export class MemoryAudit {
  readonly #keepRows: number;
  /** The oldest kept rows, chained; then those that wait for it. */
  readonly #chained: AuditRow[] = [];
  #waiting: Waiting[] = [];
  #last: AuditRow | undefined;

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

  /** Keeps copies of the entries, when nothing else has to go along with them. */
  append(entries: readonly AuditEntry[], at: number): void {
    for (const entry of entries) this.#keep(at, { ...entry });
  }

  #keep(at: number, entry: AuditEntry): void {
    this.#waiting.push({ at, entry });
    if (this.#chained.length + this.#waiting.length >= this.#keepRows + atOnce) this.#drop(atOnce);
  }

  read({ after = 0, limit = Number.POSITIVE_INFINITY }: { after?: number; limit?: number } = {}): AuditRow[] {
    const last = this.#last?.index ?? 0;
    // Rows have no gaps, and those before the first one are dropped: a range that begins there begins with it.
    const first = last - this.#chained.length + 1;
    this.#chain(Math.max(after, first - 1) + limit - last);
    const start = Math.max(0, after + 1 - first);
    return this.#chained.slice(start, start + limit).map((row) => ({ ...row, entry: { ...row.entry } }));
  }

  clear(): void {
    this.#chained.length = 0;
    this.#waiting = [];
  }

  /** Chains the next rows, at most so many. */
  #chain(count: number): void {
    const end = Math.min(count, this.#waiting.length);
    if (!(end > 0)) return;
    for (let index = 0; index < end; index++) {
      const { at, entry } = this.#waiting[index] as Waiting;
      this.#last = chainRow(this.#last, at, entry);
      this.#chained.push(this.#last);
    }
    this.#waiting = this.#waiting.slice(end);
  }

  #drop(count: number): void {
    this.#chain(count - this.#chained.length);
    this.#chained.splice(0, count);
  }
}
