import type { SlipBody } from "../bodies.ts";
import { damageOne } from "../damage.ts";
import type { Random } from "../random.ts";
import type { Slipped } from "../slip.ts";
import { type TamCall, value } from "./tam-write.ts";

/** What stands before the fields and values of a block, and before the second of two blocks. */
interface Layout {
  name: string;
  step: string;
  field: string;
  /** White space before every line. */
  indent: string;
  /** Values of several lines stand on lines of their own. */
  lines: boolean;
  /** Each step has its own block. */
  blocks: boolean;
}

const usual: Layout = { name: "", step: "\n", field: "\n", indent: "", lines: true, blocks: false };

const layouts: readonly Layout[] = [
  { ...usual, name: "a field a line" },
  { ...usual, name: "a step a line", field: " ", lines: false },
  { ...usual, name: "tight", step: "", field: "", lines: false },
  { ...usual, name: "all on one line", step: " ", field: " ", lines: false },
  { ...usual, name: "indented", indent: "  " },
  { ...usual, name: "indented, a step a line", field: " ", indent: "    ", lines: false },
  { ...usual, name: "blank lines", step: "\n\n", field: "\n\n" },
  { ...usual, name: "a block each", blocks: true },
  { ...usual, name: "a block each, on one line", field: " ", lines: false, blocks: true },
];

/** Delimiters can be damaged: markers, keys with their openers, closers. */
type Piece = string | { delimiter: string };

function fields(call: TamCall, suffix: string, layout: Layout, isFirst: boolean): Piece[] {
  return [["command", call.tool] as const, ...call.params].flatMap(([key, text], index): Piece[] => [
    index === 0 ? (isFirst ? "" : layout.step) : layout.field,
    { delimiter: `${key}${suffix}:»»»` },
    layout.lines && text.includes("\n") ? `\n${text}\n` : text,
    { delimiter: "«««" },
  ]);
}

function textOf(pieces: readonly Piece[], { indent }: Layout): string {
  const text = pieces.map((piece) => (typeof piece === "string" ? piece : piece.delimiter)).join("");
  return indent === "" ? text : text.replace(/^(?=[^\n])/gm, indent);
}

function piecesOf(calls: readonly TamCall[], layout: Layout): Piece[] {
  const start = { delimiter: "<|[REQUEST_TOOL]|>" };
  const end = { delimiter: "<|[END_TOOL]|>" };
  // Markers stand on lines of their own.
  const block = (list: readonly TamCall[]): Piece[] => [
    start,
    "\n",
    ...list.flatMap((call, index) => fields(call, list.length > 1 ? `_${index + 1}` : "", layout, index === 0)),
    "\n",
    end,
    "\n",
  ];
  return layout.blocks ? calls.flatMap((call) => block([call])) : block(calls);
}

/** Three calls: one before, and one behind, the one that carries the body. */
const around = (call: TamCall): TamCall[] => [
  { tool: "Search.Web", params: [["query", "how to write it"]] },
  call,
  {
    tool: "File.Write",
    params: [
      ["file_path", "/b.txt"],
      ["content", "b"],
    ],
  },
];

/** So many damaged delimiters of each layout of a call. */
const perLayout = 4;

/** Several calls in other layouts, right ones and such with one damaged delimiter. */
export const layoutSlips = {
  layouts: (call: TamCall): Slipped[] =>
    layouts.map((layout) => ({
      variant: layout.name,
      text: textOf(piecesOf(around(call), layout), layout),
      meant: around(call).map(value),
    })),

  "damaged-in-layout": (call: TamCall, _: SlipBody, random: Random): Slipped[] =>
    layouts.flatMap((layout) => {
      const pieces = piecesOf(around(call), layout);
      const delimiters = pieces.flatMap((piece, index) => (typeof piece === "string" ? [] : [{ ...piece, index }]));
      return Array.from({ length: perLayout }, () => {
        const { index, delimiter } = random.pick(delimiters);
        const { what, text } = damageOne(delimiter, random);
        return {
          variant: `${layout.name}: ${delimiter} ${what}`,
          text: textOf(pieces.with(index, text), layout),
          meant: around(call).map(value),
        };
      });
    }),
};
