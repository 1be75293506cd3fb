import type { Figures } from "./meter.ts";

/** Figures of every unit. */
export type Costs = Readonly<Record<string, Figures>>;

/** `bench/costs.json`. */
export interface CostsFile {
  /** What each unit may cost, by where that holds: everywhere, or on a version of Node and a processor. */
  scopes: Record<string, Costs>;
  /** Why figures were recorded anew, the newest first. */
  history: { date: string; commit: string; reason: string; changes: string[] }[];
}

/** Without units that can't be measured here. */
export const without = (scopes: CostsFile["scopes"], units: ReadonlySet<string>): CostsFile["scopes"] =>
  Object.fromEntries(
    Object.entries(scopes).map(([scope, costs]) => [
      scope,
      Object.fromEntries(Object.entries(costs).filter(([unit]) => !units.has(unit))),
    ]),
  );

/** How far a figure may be above what is recorded: 5 % for what can be counted. */
const slack: Readonly<Record<string, number>> = {
  time: 0.3,
  // A database writes more or less of a page, and threads wake each other by eight bytes.
  written: 0.15,
  // As it does in its log of what it writes.
  WAL: 0.15,
  "allocated, unevenly": 0.3,
};
const most = (kind: string, recorded: number): number =>
  recorded * (1 + (slack[kind] ?? 0.05)) + (kind === "written" ? 16 : 0);

/** A figure that is not what it should be, and the words for it. */
export interface Finding {
  unit: string;
  text: string;
  /** False: it is less than what is recorded, which fails nothing. */
  fails: boolean;
}

/** Returns which figures hold where: what V8 does with the same code depends on its version, and on the processor. */
export const scopesOf =
  (machine: string): ((kind: string) => string) =>
  (kind) =>
    kind === "time" || kind.startsWith("allocated") ? machine : "everywhere";

/** Sorts figures into scopes. */
export function byScope(measured: Costs, scopeOf: (kind: string) => string): Record<string, Costs> {
  const scopes: Record<string, Record<string, Record<string, number>>> = {};
  for (const [unit, figures] of Object.entries(measured)) {
    for (const [kind, value] of Object.entries(figures)) {
      const scope = scopeOf(kind);
      scopes[scope] ??= {};
      scopes[scope][unit] ??= {};
      scopes[scope][unit][kind] = value;
    }
  }
  return scopes;
}

/**
 * Compares what was measured with what is recorded. A unit or kind that is not recorded fails where its scope is, and so does a recorded
 * unit that is measured no more. `unknown`: scopes without a record, as on another processor, and units that were recorded on another one
 * only.
 */
export function compare(recorded: CostsFile["scopes"], measured: Record<string, Costs>) {
  const findings: Finding[] = [];
  const unknown: string[] = [];
  for (const [scope, units] of Object.entries(measured)) {
    const known = recorded[scope];
    if (known === undefined) {
      unknown.push(scope);
      continue;
    }
    for (const unit of new Set([...Object.keys(known), ...Object.keys(units)])) {
      const isElsewhere = Object.values(recorded).some((others) => others !== recorded.everywhere && others[unit]);
      if (known[unit] === undefined && scope !== "everywhere" && isElsewhere) {
        unknown.push(`${scope}: ${unit}`);
        continue;
      }
      const [was, is] = [known[unit] ?? {}, units[unit]];
      if (is === undefined) {
        findings.push({ unit, text: `${unit} is recorded and was not measured`, fails: true });
        continue;
      }
      for (const kind of new Set([...Object.keys(was), ...Object.keys(is)])) {
        const [before, now] = [was[kind] ?? 0, is[kind] ?? 0];
        // The machine was busy.
        if (kind === "time" && is.time === undefined) continue;
        const text = `${unit}, ${kind}: ${before} → ${now}${before > 0 ? ` (${percent(now / before - 1)})` : ""}`;
        if (now > most(kind, before)) findings.push({ unit, text, fails: true });
        else if (before > most(kind, now)) findings.push({ unit, text, fails: false });
      }
    }
  }
  return { findings, unknown };
}

function percent(share: number): string {
  return `${share > 0 ? "+" : "−"}${Math.abs(share * 100).toFixed(0)} %`;
}

/** Takes the least of some measurements of each figure. */
export const lesser = (...measured: readonly Figures[]): Figures => chosen(measured, () => 0);

/** Takes the one in the middle. */
export const middle = (...measured: readonly Figures[]): Figures => chosen(measured, (count) => count >> 1);

function chosen(measured: readonly Figures[], place: (count: number) => number): Figures {
  const kinds = new Set(measured.flatMap((figures) => Object.keys(figures)));
  const sorted = (kind: string): number[] =>
    measured
      .filter((figures) => kind !== "time" || figures.time !== undefined)
      .map((figures) => figures[kind] ?? 0)
      .sort((a, b) => a - b);
  return Object.fromEntries([...kinds].map((kind) => [kind, sorted(kind)[place(sorted(kind).length)] ?? 0]));
}
