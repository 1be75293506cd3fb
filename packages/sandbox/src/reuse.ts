import { defined } from "@toolglot/internal";
import type { Ranges } from "./check-numbers.ts";

/**
 * Limits within which an interpreter is used again. What is used again is what it runs in: for Python a process whose interpreter is
 * set back to what it was before its first program, for JavaScript a thread, in which each program has an engine and a
 * memory of its own. It ends after a program that did not end by itself and in its limits, whatever is given here.
 */
export interface ReuseOptions {
  /** Programs that it runs one after another, 1 to 10,000. Default 200; 1: each program gets a new one. */
  maxPrograms?: number;
  /** Milliseconds after its start in which it takes new programs, 0 to 86,400,000. Default 600,000. */
  maxMs?: number;
  /** Megabytes that a program's memory may have grown by, 0 to 2048. After one that took more it ends. Default 64. */
  maxGrownMb?: number;
}

export const reuseRanges: Ranges = {
  maxPrograms: [1, 10_000],
  maxMs: [0, 86_400_000],
  maxGrownMb: [0, 2048],
};

/**
 * Reason why an interpreter takes no further program: `programs`, `age` and `grown`, the three of {@link ReuseOptions};
 * `not-at-rest`, it can't be set back; `failed`, its program ended in a limit or was ended, or it ended itself.
 */
export type RetireReason = "programs" | "age" | "grown" | "not-at-rest" | "failed";

/** A guest that was renewed rejects its `ready` with it when its interpreter can't be set back. It is no fault. */
export class NotAtRestError extends Error {}

/** Use of an interpreter so far. */
export interface InterpreterUse {
  programs: number;
  /** When it was started, of `performance.now()`. */
  readonly born: number;
  /** Of the programs that it ran. */
  domain: string | undefined;
}

/** Decides when an interpreter takes no further program. */
export class ReuseRule {
  readonly #limits: Required<ReuseOptions>;
  readonly retired: Record<RetireReason, number> = { programs: 0, age: 0, grown: 0, "not-at-rest": 0, failed: 0 };

  /** `options` were checked. */
  constructor(options: ReuseOptions = {}) {
    this.#limits = { maxPrograms: 200, maxMs: 600_000, maxGrownMb: 64, ...defined(options) };
  }

  /** Returns why it is not used again after its program; undefined when it may be. */
  reasonToRetire({ programs, born }: InterpreterUse, grownMb: number): RetireReason | undefined {
    const { maxPrograms, maxMs, maxGrownMb } = this.#limits;
    if (programs >= maxPrograms) return "programs";
    if (performance.now() - born >= maxMs) return "age";
    return grownMb > maxGrownMb ? "grown" : undefined;
  }
}
