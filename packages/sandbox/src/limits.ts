import type { SandboxLimits } from "./types.ts";

/** Limits of a Python run when none are given. */
const defaultLimits: Readonly<SandboxLimits> = {
  timeoutMs: 8000,
  toolTimeMs: 60_000,
  memoryMb: 256,
  maxToolCalls: 100,
  maxSourceBytes: 131_072,
  maxResultBytes: 1_048_576,
  maxLogBytes: 65_536,
};

/** Smallest and largest value of each limit. Timers of Node end at 2^31 ms. */
const ranges: Readonly<Record<keyof SandboxLimits, readonly [number, number]>> = {
  timeoutMs: [1, 2 ** 31 - 1000],
  toolTimeMs: [0, 2 ** 31 - 1000],
  memoryMb: [64, 2048],
  maxToolCalls: [0, 1_000_000],
  maxSourceBytes: [1, 64 * 1024 * 1024],
  maxResultBytes: [1, 64 * 1024 * 1024],
  maxLogBytes: [0, 64 * 1024 * 1024],
};

/** Fills in defaults. Throws `TypeError` for an unknown limit or a value out of range. */
export function resolveLimits(given: Partial<SandboxLimits> = {}): SandboxLimits {
  const limits = { ...defaultLimits };
  for (const [name, value] of Object.entries(given)) {
    if (!(name in ranges)) {
      throw new TypeError(`limits.${name} is unknown: there are ${Object.keys(ranges).join(", ")}.`);
    }
    if (value === undefined) continue;
    const [least, most] = ranges[name as keyof SandboxLimits];
    if (typeof value !== "number" || !Number.isInteger(value) || value < least || value > most) {
      throw new TypeError(`limits.${name} must be a whole number from ${least} to ${most}, not ${String(value)}.`);
    }
    limits[name as keyof SandboxLimits] = value;
  }
  return limits;
}
