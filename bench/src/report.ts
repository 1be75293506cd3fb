import type { Bar, Findings } from "@toolglot/internal/testing/pages";

export type { Bar, Findings, Table } from "@toolglot/internal/testing/pages";

/** What a benchmark is given: the folder of the repository, and where it says how far it is. */
export interface Run {
  root: string;
  progress(text: string): void;
}

/** Measures its subjects beside their peers. */
export type Measure = (run: Run) => Findings | Promise<Findings>;

/** A number with about three digits that count, thousands divided. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const digits = value >= 100 ? 0 : value >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export const ms = (value: number): string => `${figure(value)} ms`;
export const us = (value: number): string => `${figure(value)} µs`;

/** How many times `value` is `base`. */
export function ratio(value: number, base: number): string {
  const times = value / base;
  return Number.isFinite(times) ? `${figure(times)}×` : "–";
}

/** A figure that has to stay below a limit, or at it. The unit has its own space before it; `more` stands behind the figure. */
export const atMost = (what: string, value: number, limit: number, unit = "", more = ""): Bar => ({
  what,
  limit: `≤ ${limit.toLocaleString("en-US")}${unit}`,
  measured: `${figure(value)}${unit}${more}`,
  met: value <= limit,
});

/** As {@link atMost}, for one that has to be reached. */
export const atLeast = (what: string, value: number, limit: number, unit = "", more = ""): Bar => ({
  ...atMost(what, value, limit, unit, more),
  limit: `≥ ${limit.toLocaleString("en-US")}${unit}`,
  met: value >= limit,
});

/** The findings of several parts, one after another. */
export const together = (...parts: readonly Findings[]): Findings => ({
  bars: parts.flatMap(({ bars }) => bars),
  tables: parts.flatMap(({ tables }) => tables),
});
