import { collectedHeap, quick } from "../measure.ts";
import { atMost, type Findings, figure, ms, type Run } from "../report.ts";
import { aiSdkRun, ownRun } from "./runs.ts";

/** What one run took. */
interface Cost {
  /** Processor time, milliseconds. */
  ms: number;
  /** Memory that the run holds at its end, with its result kept, in MB. */
  mb: number;
}

const sizes = quick ? [5, 10] : [40, 80, 160, 320];

/** Runs the same script with each loop, alternating, and reports how time and memory grow. */
export async function measureAgent({ progress }: Run): Promise<Findings> {
  const cost = async (run: (turns: number) => Promise<unknown>, turns: number): Promise<Cost> => {
    const heap = collectedHeap();
    const before = process.cpuUsage();
    const kept = await run(turns);
    const { user, system } = process.cpuUsage(before);
    const mb = (collectedHeap() - heap) / 1e6;
    if (kept === undefined) throw new Error("the run has no result");
    return { ms: (user + system) / 1000, mb };
  };
  for (const run of [ownRun, aiSdkRun]) await run(10);
  const costs: [turns: number, own: Cost, peer: Cost][] = [];
  for (const turns of sizes) {
    progress(`${turns} turns`);
    costs.push([turns, await cost(ownRun, turns), await cost(aiSdkRun, turns)]);
  }
  const [[half, before], [turns, own, peer]] = costs.slice(-2) as [(typeof costs)[0], (typeof costs)[0]];
  return {
    bars: [
      atMost(`time of ${turns} turns, beside ${half}`, own.ms / before.ms, 2.5, " ×"),
      atMost(`time of ${turns} turns, beside AI SDK's`, own.ms / peer.ms, 1, " ×"),
      atMost(`memory held after ${turns} turns, beside AI SDK's`, own.mb / peer.mb, 1, " ×"),
    ],
    tables: [
      {
        title: "Long runs",
        note: "Processor time of the process, and memory held at the end with the run's result kept, garbage collected. One run each: compare the rows, not the last digits.",
        columns: ["turns", "toolglot", "memory", "AI SDK `ToolLoopAgent`", "memory"],
        rows: costs.map(([turns, ...both]) => [
          String(turns),
          ...both.flatMap((one) => [ms(one.ms), `${figure(one.mb)} MB`]),
        ]),
      },
    ],
  };
}
