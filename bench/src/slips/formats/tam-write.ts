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
export function raw(calls: readonly TamCall[], changed: Partial<Style> = {}): Written {
  const style = { ...template, ...changed };
  let written = style.start;
  const seams: number[] = [];
  const values: [number, number][] = [];
  let valueEnd = 0;
  let complete = 0;
  for (const [index, call] of calls.entries()) {
    const number = calls.length > 1 ? `_${index + 1}` : "";
    for (const [key, param] of [["command", call.tool] as const, ...call.params]) {
      const carries = carriers.has(key);
      seams.push(written.length);
      written += style.key(key + number) + style.colon;
      written += (carries ? style.bodyOpen : undefined) ?? style.open;
      const laid = laidOut(param);
      valueEnd = written.length + laid.trimEnd().length;
      values.push([written.length, valueEnd]);
      written += laid + ((carries ? style.bodyClose : undefined) ?? style.close);
      complete = written.length;
      written += "\n";
    }
  }
  return { text: written + style.end, begun: style.start.length, valueEnd, complete, values, seams };
}
