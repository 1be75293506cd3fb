import type { Value } from "../database/transaction.ts";

/** The values of a statement that is put together from parts. */
export class Parameters {
  readonly values: Value[] = [];

  /** `now`: see `timed`, which is the first part of the statement. */
  constructor(now: number | null) {
    this.values.push(now);
  }

  /** Adds a value, and returns what stands for it. */
  add(value: Value, type: "text" | "text[]" | "bigint" | "bytea"): string {
    this.values.push(value);
    return `$${this.values.length}::${type}`;
  }
}

const first = Math.floor(Math.random() * 2 ** 31) * 2 ** 21;
let count = 0;

/**
 * Returns a number that no other write of the same row has. Each statement writes one into a row that it surely changes. When the connection ends before
 * the statement's answer came, the row tells whether it was committed.
 */
export function newWriteId(): number {
  count = (count + 1) % 2 ** 21;
  return first + count;
}
