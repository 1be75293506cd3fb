import type { Bundled } from "../../../trp-core/test/chaos/bundle.ts";
import { type ChaosOptions, type ChaosReport, chaos } from "../../../trp-core/test/chaos/chaos.ts";
import { allUnrest, stageOn, withServer } from "./stage.ts";

/** What is done twice, lost, or told and not so, in lines. */
export function safetyFaultsOf(report: ChaosReport): string[] {
  const { duplicates, lost, hidden, unrecorded, contradictions, ghosts, parts, outbox, audit } = report;
  const found = { duplicates, lost, hidden, unrecorded, contradictions, ghosts, parts, outbox };
  const faults = Object.entries(found).flatMap(([kind, lines]) => lines.map((line) => `${kind}: ${line}`));
  return audit.ok ? faults : [...faults, `audit: ${audit.problem}`];
}

/** All that must not be in a report of so many operations, as many of each kind of effect. */
export function faultsOf(report: ChaosReport, operations: number): string[] {
  const faults = [...safetyFaultsOf(report), ...report.gaveUp.map((line) => `gave up: ${line}`)];
  // Of effects that are `opaque` or `probe`: what was cancelled midway, and nobody asks for again, is in doubt with every effect.
  const counted = Object.entries(report.doubts).filter(([reason]) => !reason.startsWith("The call was cancelled"));
  const inDoubt = counted.reduce((sum, [, count]) => sum + count, 0);
  const most = (operations * 2) / 3 / 33;
  if (operations >= 1_000 && inDoubt > most) faults.push(`in doubt: ${inDoubt}, more than ${Math.floor(most)}`);
  return faults;
}

const options = { operations: 80, routers: 4, clients: 16, lease: 1_000, every: 500 } as const;

/** Called after each round with its figures. */
type OnRound = (line: string) => void;
type Tried = (scripts: Pick<Bundled, "path">, onRound?: OnRound) => Promise<string[]>;

const tried =
  (run: ChaosOptions, share?: number): Tried =>
  async (scripts, onRound) => {
    const schema = `weak_${run.variant.replaceAll("-", "_")}`;
    const found: string[] = [];
    // Where a kill falls is chance: what is wrong shows within nine rounds, or the verdict is blind.
    for (let round = 0; round < 9 && found.length === 0; round++) {
      const report = await withServer((server) =>
        chaos(stageOn(scripts, { url: server.url, schema }, allUnrest(server, schema, 5_000), share), run),
      );
      found.push(...safetyFaultsOf(report));
      const { told, states, unrest, seconds } = report;
      onRound?.(JSON.stringify({ variant: run.variant, round, faults: found.length, told, states, unrest, seconds }));
    }
    return found;
  };

/** Ways to guard effects that look right. Each must be found out. */
export const weak: Record<string, Tried> = {
  "reads, runs, records": tried({ ...options, variant: "naive", kinds: [2], ways: [{}] }),
  "a lease without a fence": tried({ ...options, variant: "lease", kinds: [2], ways: [{}], slow: 200 }),
  "a commit taken for failed": tried({ ...options, variant: "commit-taken-for-failed", ways: [{}] }, 0.1),
  "a commit taken for done": tried({ ...options, variant: "commit-taken-for-done", ways: [{}] }, 0.1),
};
