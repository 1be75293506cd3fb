import type { BlockBase, ProtocolEvent } from "@toolglot/core";
import { rounds } from "@toolglot/internal/testing";
import { randomNumbers } from "../chunking.ts";
import { type CommonFixture, inText } from "./fixture.ts";
import type { CommonCase } from "./text-cases.ts";

type Fixture = Pick<
  CommonFixture<BlockBase, ProtocolEvent>,
  "block" | "endsItself" | "opener" | "stop" | "hostile" | "pieces"
>;

const anything: CommonCase["expect"] = { diagnostics: [], moreDiagnostics: true, mayNotSerialize: true };
/** Cut in few ways; how the work grows is measured in the tests of the parsers (`growth.test.ts`). */
const coarse = { units: false, everySplitUpTo: 0, longestPieces: [4097] };

/** Values of a megabyte, and texts full of what begins and never ends. */
export function largeCases(fixture: Fixture): CommonCase[] {
  const { block, opener, hostile } = fixture;
  const line = "abc 0123456789 (x) => { return 'y'; } # ";
  const value = (join: string): string => Array(25_000).fill(line).join(join).trimEnd();
  const runs = { blocks: [{ status: "complete" as const }], runnable: 1, diagnostics: [] };
  const many = rounds(2_000, 50_000);
  const within = rounds(5_000, 20_000);
  return [
    { name: "a value of 1 MB", input: block(value("\n")), values: [value("\n")], expect: runs, chunking: coarse },
    { name: "a value of 1 MB on a line", input: block(value("")), values: [value("")], expect: runs, chunking: coarse },
    {
      name: "a value of 1 MB that is cut off",
      input: block(value("\n")).slice(0, 900_000),
      expect: { runnable: 0, ...anything },
      chunking: coarse,
    },
    {
      name: "1 MB of prose before a block",
      input: `${value("\n")}\n\n${inText(fixture, "x")}\n`,
      values: ["x"],
      expect: runs,
      chunking: coarse,
    },
    ...[...new Set([opener, ...hostile, "```\n", "`", "<think>", "</think>", "<thi", "<|", " "])].flatMap((piece) =>
      (piece.endsWith("\n") ? [""] : ["\n", ""]).map((join) => ({
        name: `${JSON.stringify(piece)} ${many} times${join && ` with ${JSON.stringify(join)} between`}`,
        input: [{ repeat: piece, times: many, join }],
        expect: anything,
        chunking: coarse,
      })),
    ),
    ...hostile
      .filter((piece) => piece.length < 20)
      .map((piece) => ({
        name: `a block and ${JSON.stringify(piece)} ${within} times`,
        input: block(Array(within).fill(piece).join(" ")),
        expect: anything,
        chunking: coarse,
      })),
  ];
}

/** Pieces of all protocols in random order: whatever comes out has to be the same for every chunking. */
export function mixedCases(fixture: Fixture, others: readonly Fixture[], rounds: number): CommonCase[] {
  const all = [fixture, ...others];
  const pieces = [
    ...all.flatMap((one) => [one.opener, ...(one.stop ? [one.stop] : []), ...one.hostile]),
    ...all.flatMap((one) => one.block("x = '<y>'").split(/(?<=\n)/)),
    ...[fixture, fixture, ...others].map((one) => `\n${inText(one, "v")}\n`),
    ...[
      "\n",
      "\n",
      "\n",
      "\r\n",
      "\n\n",
      " ",
      "  ",
      "\t",
      "prose ",
      "prose\n",
      "`",
      "``",
      "\n```\n",
      "\n~~~~\n",
      "\n```text\n",
    ],
    ...[
      "<think>",
      "</think>",
      "\n<thinking>\n",
      "</thought>",
      "\n[tool_result]\n",
      "\n<results>\n",
      "😀",
      "\ufeff",
      "é",
    ],
  ];
  return Array.from({ length: rounds }, (_, round) => {
    const next = randomNumbers(round * 104_729 + fixture.opener.length);
    const length = 3 + Math.floor(next() * 22);
    const input = Array.from({ length }, () => pieces[Math.floor(next() * pieces.length)]).join("");
    return {
      name: `pieces in random order ${round}`,
      input,
      expect: anything,
      chunking: { everySplitUpTo: 0, longestPieces: [3, 17] },
    };
  });
}

/** Pieces of one protocol in random order, mostly behind an opener. */
export function denseCases({ opener, pieces }: Fixture, rounds: number): CommonCase[] {
  return Array.from({ length: rounds }, (_, round) => {
    const next = randomNumbers(round * 65_537 + pieces.length);
    const start = next() < 0.8 ? `${opener}\n` : "";
    const rest = Array.from({ length: 2 + Math.floor(next() * 20) }, () => pieces[Math.floor(next() * pieces.length)]);
    return {
      name: `own pieces in random order ${round}`,
      input: start + rest.join(""),
      expect: { ...anything, encodedText: true },
      chunking: { everySplitUpTo: 0, longestPieces: [3, 17] },
    };
  });
}
