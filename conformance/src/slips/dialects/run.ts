import { isDeepStrictEqual } from "node:util";
import { createParser, type Dialect, type DialectBlock, type DialectId } from "@toolglot/dialects";
import { randomPieces } from "../../chunking.ts";
import type { SlipBody } from "../bodies.ts";
import { judge, type Reading } from "../judge.ts";
import { reader } from "../readers.ts";
import type { Judged } from "../run.ts";
import type { Value } from "../slip.ts";
import { casesOf } from "./slips.ts";
import { type Input, isValid, textOf, tool } from "./write.ts";

const isWrong = ({ name, input }: DialectBlock["calls"][number]): boolean => name !== tool.name || !isValid(input);

const readerOf = (dialect: DialectId | "auto") =>
  reader<DialectBlock>(
    (options) => createParser({ ...options, tools: [tool], dialect }),
    [],
    ({ calls }) =>
      calls
        .filter((call) => !isWrong(call))
        .map(({ name, input, span }) => ({ value: JSON.parse(JSON.stringify({ name, input })) as Value, span })),
    ({ calls }) => calls.some(isWrong),
  );

/** Whether a text is, to the letter, a right output for what was read. */
function isRight(row: Dialect, text: string, { runs }: Reading): boolean {
  const inputs = runs.map(({ value }) => (value as unknown as { input: Input }).input);
  return textOf(row, inputs)?.trim() === text.trim();
}

/** All cases of a dialect, read as that dialect and by what calls begin with, each at once and in chunks. */
export function runDialect(row: Dialect, bodies: readonly SlipBody[], every: number): Judged[] {
  const reads = [readerOf(row.id as DialectId), readerOf("auto")] as const;
  const judged: Judged[] = [];
  let number = 0;
  for (const body of bodies)
    for (const slipCase of casesOf(row, body)) {
      number += 1;
      if (number % every > 0) continue;
      for (const [index, read] of reads.entries()) {
        const reading = read(slipCase, [slipCase.text]);
        const streamed = read(slipCase, randomPieces(slipCase.text, 12, number));
        const outcome = isDeepStrictEqual(reading, streamed) ? judge(slipCase, reading) : "wrong";
        if (outcome === "wrong" && isRight(row, slipCase.text, reading)) continue;
        const variant = index === 0 ? slipCase.variant : `${slipCase.variant}, auto`;
        judged.push({ slipCase: { ...slipCase, variant }, outcome, reading });
      }
    }
  return judged;
}
