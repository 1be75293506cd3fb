import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Findings, figure } from "../report.ts";
import { aiSdkRun, ownRun } from "./runs.ts";

/** What one run took. */
interface Cost {
  /** Processor time, milliseconds. */
  ms: number;
  /** Memory that the run holds at its end, with its result kept, in MB. */
  mb: number;
}

const sizes = [40, 80, 160, 320];

/** Runs the same script with each loop, alternating, and reports how time and memory grow. */
export async function measureAgent(progress: (text: string) => void): Promise<Findings> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const cost = async (run: (turns: number) => Promise<unknown>, turns: number): Promise<Cost> => {
    collect();
    const heap = process.memoryUsage().heapUsed;
    const before = process.cpuUsage();
    const kept = await run(turns);
    const { user, system } = process.cpuUsage(before);
    collect();
    const mb = (process.memoryUsage().heapUsed - heap) / 1e6;
    if (kept === undefined) throw new Error("the run has no result");
    return { ms: (user + system) / 1000, mb };
  };
  for (const run of [ownRun, aiSdkRun]) await run(10);
  const own: Cost[] = [];
  const peer: Cost[] = [];
  for (const turns of sizes) {
    progress(`agent: ${turns} turns`);
    own.push(await cost(ownRun, turns));
    peer.push(await cost(aiSdkRun, turns));
  }
  const last = sizes.length - 1;
  const at = (costs: readonly Cost[], index: number): Cost => costs[index] as Cost;
  const growth = at(own, last).ms / at(own, last - 1).ms;
  const share = at(own, last).ms / at(peer, last).ms;
  const held = at(own, last).mb / at(peer, last).mb;
  const bar = (what: string, value: number, limit: number) => ({
    what,
    limit: `≤ ${limit} ×`,
    measured: `${figure(value)} ×`,
    met: value <= limit,
  });
  return {
    bars: [
      bar(`time of ${sizes[last]} turns, beside ${sizes[last - 1]}`, growth, 2.5),
      bar(`time of ${sizes[last]} turns, beside AI SDK's`, share, 1),
      bar(`memory held after ${sizes[last]} turns, beside AI SDK's`, held, 1),
    ],
    tables: [
      {
        title: "Long runs",
        note: "Processor time of the process, and memory held at the end with the run's result kept, garbage collected. One run each: compare the rows, not the last digits.",
        columns: ["turns", "toolglot", "memory", "AI SDK `ToolLoopAgent`", "memory"],
        rows: sizes.map((turns, index) => [
          String(turns),
          `${figure(at(own, index).ms)} ms`,
          `${figure(at(own, index).mb)} MB`,
          `${figure(at(peer, index).ms)} ms`,
          `${figure(at(peer, index).mb)} MB`,
        ]),
      },
    ],
  };
}
