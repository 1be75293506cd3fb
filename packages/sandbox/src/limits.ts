import { defined } from "@toolglot/internal";
import { checkNumbers } from "./check-numbers.ts";
import type { SandboxLanguage, SandboxLimits } from "./types.ts";

/** Limits of a run when none are given, but for its memory. */
const defaultLimits: Readonly<Omit<SandboxLimits, "memoryMb">> = {
  timeoutMs: 8000,
  toolTimeMs: 60_000,
  maxToolCalls: 100,
  maxSourceBytes: 131_072,
  maxResultBytes: 1_048_576,
  maxLogBytes: 65_536,
};

/** Megabytes: default, least, most. The interpreters themselves take about 30 and 17 of them. */
const memory: Readonly<Record<SandboxLanguage, readonly [number, number, number]>> = {
  python: [256, 64, 2048],
  javascript: [64, 24, 2048],
};

/** Smallest and largest value of each limit. Timers of Node end at 2^31 ms. */
const ranges: Readonly<Record<keyof typeof defaultLimits, readonly [number, number]>> = {
  timeoutMs: [1, 2 ** 31 - 1000],
  toolTimeMs: [0, 2 ** 31 - 1000],
  maxToolCalls: [0, 1_000_000],
  maxSourceBytes: [1, 64 * 1024 * 1024],
  maxResultBytes: [1, 64 * 1024 * 1024],
  maxLogBytes: [0, 64 * 1024 * 1024],
};

/** Fills in defaults. Throws `TypeError` for what is no object, for an unknown limit and for a value out of range. */
export function resolveLimits(language: SandboxLanguage, given?: Partial<SandboxLimits>): SandboxLimits {
  const [memoryMb, least, most] = memory[language];
  checkNumbers("limits", given, { ...ranges, memoryMb: [least, most] });
  return { ...defaultLimits, memoryMb, ...defined(given ?? {}) };
}
