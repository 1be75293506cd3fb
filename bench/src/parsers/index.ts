import type { Findings } from "../report.ts";
import { oneShot } from "./one-shot.ts";
import { hostilePeers, streamingHostile, streamingPlain } from "./streaming.ts";

/** Measures the ATTP parser beside its peers. */
export async function measureParsers(progress: (text: string) => void): Promise<Findings> {
  const whole = await oneShot(progress);
  const plain = await streamingPlain(progress);
  const hard = await streamingHostile(progress);
  const peers = await hostilePeers(progress);
  return {
    bars: [...whole.bars, ...plain.bars, ...hard.bars],
    tables: [whole.table, plain.table, hard.table, peers],
  };
}
