import { isDeepStrictEqual } from "node:util";
import { randomPieces } from "../chunking.ts";
import type { SlipBody } from "./bodies.ts";
import { type Generated, generate, type Selection } from "./generate.ts";
import { judge, type Outcome, type Reading } from "./judge.ts";
import { type SlipPeer, trimmed } from "./peers.ts";
import { readers } from "./readers.ts";
import type { Format, SlipCase } from "./slip.ts";

/** A case with what became of it. */
export interface Judged {
  slipCase: SlipCase;
  outcome: Outcome;
  reading: Reading;
}

/** All cases of a format, read by this project's parser: at once and in chunks. What differs by chunks is silently wrong. */
export function runOwn<Call>(
  format: Format<Call>,
  bodies: readonly SlipBody[],
  { every = 1, ...selection }: Selection & { every?: number } = {},
): { judged: Judged[] } & Generated {
  const generated = generate(format, bodies, selection);
  const read = readers[format.id]?.(format.tools);
  if (!read) throw new TypeError(`no parser for the format ${format.id}`);
  const cases = generated.cases.filter((_, index) => index % every === 0);
  const judged = cases.map((slipCase, index) => {
    const reading = read(slipCase, [slipCase.text]);
    const streamed = read(slipCase, randomPieces(slipCase.text, 12, index));
    const outcome = isDeepStrictEqual(reading, streamed) ? judge(slipCase, reading) : "wrong";
    return { slipCase, outcome, reading };
  });
  return { ...generated, judged };
}

/** The cases of a peer's format that are its business, as it reads them. */
export async function runPeer(peer: SlipPeer, bodies: readonly SlipBody[], every: number): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const [index, found] of generate(peer.format, bodies).cases.entries()) {
    if (index % every > 0) continue;
    if (!peer.classes.has(found.slip) || (peer.wholeDocuments && /^(?:fenced|two)/.test(found.variant))) continue;
    const slipCase = { ...found, meant: found.meant.map(trimmed) };
    const reading = await peer.read(slipCase);
    judged.push({ slipCase, outcome: judge(slipCase, reading), reading });
  }
  return judged;
}
