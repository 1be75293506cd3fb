import type { Bundled } from "../../../trp-core/test/chaos/bundle.ts";
import { type ChaosOptions, type ChaosReport, chaos } from "../../../trp-core/test/chaos/chaos.ts";
import { allUnrest, stageOn, withServer } from "./stage.ts";

/** What must not be in a report, in lines; `operations`: as many of each kind of effect. */
export function faultsOf(report: ChaosReport, operations: number): string[] {
  const { duplicates, lost, hidden, unrecorded, contradictions, ghosts, parts, gaveUp, outbox, audit } = report;
  const found = { duplicates, lost, hidden, unrecorded, contradictions, ghosts, parts, gaveUp, outbox };
  const faults = Object.entries(found).flatMap(([kind, lines]) => lines.map((line) => `${kind}: ${line}`));
  if (!audit.ok) faults.push(`audit: ${audit.problem}`);
  // Of effects that are `opaque` or `probe`.
  const inDoubt = report.states["in-doubt"] ?? 0;
  const most = (operations * 2) / 3 / 33;
  if (operations >= 1_000 && inDoubt > most) faults.push(`in doubt: ${inDoubt}, more than ${Math.floor(most)}`);
  return faults;
}

const options = { operations: 240, routers: 4, clients: 32, lease: 400, every: 100 } as const;

async function tried(scripts: Pick<Bundled, "path">, run: ChaosOptions): Promise<string[]> {
  const schema = `weak_${run.variant.replaceAll("-", "_")}`;
  const found: string[] = [];
  // Where a kill falls is chance: what is wrong shows within nine rounds, or the verdict is blind.
  for (let round = 0; round < 9 && found.length === 0; round++) {
    const report = await withServer((server) =>
      chaos(stageOn(scripts, { url: server.url, schema }, allUnrest(server, schema, 3_000)), run),
    );
    found.push(...faultsOf(report, run.operations));
  }
  return found;
}

/** Ways to guard effects that look right. Each must be found out. */
export const weak: Record<string, (scripts: Pick<Bundled, "path">) => Promise<string[]>> = {
  "reads, runs, records": (scripts) => tried(scripts, { ...options, variant: "naive", kinds: [2], ways: [{}] }),
  "a lease without a fence": (scripts) =>
    tried(scripts, { ...options, variant: "lease", kinds: [2], ways: [{}], slow: 200 }),
};
