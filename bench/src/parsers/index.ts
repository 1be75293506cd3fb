import type { Findings } from "../report.ts";
import { attp } from "./attp.ts";
import { oneShot } from "./one-shot.ts";
import type { Own } from "./parser.ts";
import { hostilePeers, streamingHostile, streamingPlain } from "./streaming.ts";
import { tam } from "./tam.ts";
import { toolsxml } from "./toolsxml.ts";

const own: Readonly<Record<Own["id"], Own>> = { attp, tam, toolsxml };

/** Measures one of this project's parsers beside its peers. */
export async function measureParser(id: Own["id"], progress: (text: string) => void): Promise<Findings> {
  const measured = own[id];
  const report = (text: string): void => progress(`${id}, ${text}`);
  const whole = await oneShot(measured, report);
  const plain = await streamingPlain(measured, report);
  const hard = await streamingHostile(measured, report);
  const peers = await hostilePeers(measured, report);
  return {
    bars: [...whole.bars, ...plain.bars, ...hard.bars],
    tables: [whole.table, plain.table, hard.table, peers],
  };
}
