import { defined } from "@toolglot/internal";
import { checkNumbers } from "./check-numbers.ts";
import type { SandboxLanguage, SandboxLimits } from "./types.ts";

type Limit = readonly [normal: number, least: number, most: number];

/** Of each limit: its default, and its range. Timers of Node end at 2^31 ms. */
const common: Readonly<Record<Exclude<keyof SandboxLimits, "memoryMb">, Limit>> = {
  timeoutMs: [8000, 1, 2 ** 31 - 1000],
  toolTimeMs: [60_000, 0, 2 ** 31 - 1000],
  maxToolCalls: [100, 0, 1_000_000],
  maxSourceBytes: [131_072, 1, 64 * 1024 * 1024],
  maxResultBytes: [1_048_576, 1, 64 * 1024 * 1024],
  maxLogBytes: [65_536, 0, 64 * 1024 * 1024],
};

/** Megabytes. The interpreters themselves take about 30 and 17 of them. */
const memoryMb: Readonly<Record<SandboxLanguage, Limit>> = { python: [256, 64, 2048], javascript: [64, 24, 2048] };

/** Fills in defaults. Throws `TypeError` for what is no object, for an unknown limit and for a value out of range. */
export function resolveLimits(language: SandboxLanguage, given?: Partial<SandboxLimits>): SandboxLimits {
  const all = Object.entries({ ...common, memoryMb: memoryMb[language] });
  checkNumbers("limits", given, Object.fromEntries(all.map(([name, [, ...range]]) => [name, range])));
  const defaults = Object.fromEntries(all.map(([name, [normal]]) => [name, normal]));
  return { ...defaults, ...defined(given ?? {}) } as unknown as SandboxLimits;
}
