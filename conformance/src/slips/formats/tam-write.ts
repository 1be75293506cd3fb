import type { SlipBody } from "../bodies.ts";
import { type LaidOut, layoutSlips, type Piece } from "../layouts.ts";
import type { Value, Written } from "../slip.ts";

/** One step: its tool, and its parameters in the order they are written. */
export interface TamCall {
  tool: string;
  params: [string, string][];
}

/** How fields are written. */
export interface Style {
  start: string;
  end: string;
  open: string;
  close: string;
  colon: string;
  /** Spells a key; the last key of the block may be spelled apart. */
  key: (key: string) => string;
  /** Opener and closer of the field that carries the body. */
  bodyOpen?: string;
  bodyClose?: string;
}

const template: Style = {
  start: "<|[REQUEST_TOOL]|>\n",
  end: "<|[END_TOOL]|>\n",
  open: "»»»",
  close: "«««",
  colon: ":",
  key: (key) => key,
};

/** The parameter that carries the body. */
export const carriers = new Set(["content", "script", "query"]);

export const value = ({ tool: name, params }: TamCall): Value => ({
  tool: name,
  // Only a text of one line loses its outer white space.
  params: Object.fromEntries(params.map(([key, param]) => [key, param.includes("\n") ? param : param.trim()])),
});

/** Bodies of many lines begin on a line of their own. */
const laidOut = (param: string): string => (param.includes("\n") ? `\n${param}\n` : param);

/** Steps in one block, whatever their values do to it. */
export function written(calls: readonly TamCall[], changed: Partial<Style> = {}): Written {
  const style = { ...template, ...changed };
  let text = style.start;
  const seams: number[] = [];
  const values: [number, number][] = [];
  let valueEnd = 0;
  let complete = 0;
  for (const [index, call] of calls.entries()) {
    const number = calls.length > 1 ? `_${index + 1}` : "";
    for (const [key, param] of [["command", call.tool] as const, ...call.params]) {
      const carries = carriers.has(key);
      seams.push(text.length);
      text += style.key(key + number) + style.colon + ((carries ? style.bodyOpen : undefined) ?? style.open);
      const laid = laidOut(param);
      valueEnd = text.length + laid.trimEnd().length;
      values.push([text.length, valueEnd]);
      text += laid + ((carries ? style.bodyClose : undefined) ?? style.close);
      complete = text.length;
      text += "\n";
    }
  }
  return { text: text + style.end, begun: style.start.length, valueEnd, complete, values, seams };
}

/** What stands before the fields and values of a block, and before the second of two blocks. */
interface Layout {
  name: string;
  step?: string;
  field?: string;
  indent?: string;
  /** Values of several lines stand on lines of their own. */
  lines?: boolean;
  /** Each step has its own block. */
  blocks?: boolean;
}

const layouts: readonly Layout[] = [
  { name: "a field a line" },
  { name: "a step a line", field: " ", lines: false },
  { name: "tight", step: "", field: "", lines: false },
  { name: "all on one line", step: " ", field: " ", lines: false },
  { name: "indented", indent: "  " },
  { name: "indented, a step a line", field: " ", indent: "    ", lines: false },
  { name: "blank lines", step: "\n\n", field: "\n\n" },
  { name: "a block each", blocks: true },
  { name: "a block each, on one line", field: " ", lines: false, blocks: true },
];

function piecesOf(calls: readonly TamCall[], { step = "\n", field = "\n", lines = true }: Layout): Piece[] {
  const fields = ({ tool, params }: TamCall, at: number): Piece[] => {
    const suffix = calls.length > 1 ? `_${at + 1}` : "";
    return [["command", tool] as const, ...params].flatMap(([key, text], index): Piece[] => [
      index > 0 ? field : at > 0 ? step : "",
      { delimiter: `${key}${suffix}:»»»` },
      lines ? laidOut(text) : text,
      { delimiter: "«««" },
    ]);
  };
  // Markers stand on lines of their own.
  return [
    { delimiter: "<|[REQUEST_TOOL]|>" },
    "\n",
    ...calls.flatMap(fields),
    "\n",
    { delimiter: "<|[END_TOOL]|>" },
    "\n",
  ];
}

/** Three calls: one before, and one behind, the one that carries the body. */
const around = (call: TamCall): TamCall[] => [
  { tool: "Search.Web", params: [["query", "how to write it"]] },
  call,
  { tool: "File.Write", params: Object.entries({ file_path: "/b.txt", content: "b" }) },
];

/** A call among others, in every layout. */
export const layoutsOfTam = layoutSlips((call: TamCall, _: SlipBody): LaidOut[] => {
  const calls = around(call);
  return layouts.map((layout) => ({
    ...layout,
    pieces: layout.blocks ? calls.flatMap((one) => piecesOf([one], layout)) : piecesOf(calls, layout),
    meant: calls.map(value),
  }));
});
