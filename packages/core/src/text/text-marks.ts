import { matchAt } from "@toolglot/internal";

/** A tag, on one line. Groups: a slash, its end; the second one is empty where the text ends before the tag does. */
const reasoning = /<(\/?)(?:think|thinking|thought)(?:[^\S\n][^<>\n]{0,200})?(>|$)/iy;

/** A reasoning tag at an index: its length and whether it opens, `undefined` for none, `"more"` when more text decides. */
export function reasoningTag(
  text: string,
  at: number,
  ended: boolean,
): { length: number; opens: boolean } | "more" | undefined {
  const match = matchAt(reasoning, text, at);
  if (match?.[2]) return { length: match[0].length, opens: !match[1] };
  if (ended) return undefined;
  const isBegun = text.length - at < 12 && "<thinking<thought".includes(text.slice(at).toLowerCase().replace("/", ""));
  return match || isBegun ? "more" : undefined;
}

const blank = "[ \\t]{0,9}";
const result = new RegExp(
  `^(?:\\[{1,2}${blank}["']?tool[_ -]?results?["']?${blank}\\]{1,2}|<${blank}\\|${blank}\\[${blank}TOOL_RESULT${blank}\\]${blank}\\|${blank}>` +
    `|<${blank}results(?=[\\s/>])|<\\|?tool_response\\|?>|<function_results>|<[｜|]tool[▁_]outputs?[▁_]begin[｜|]>)`,
  "i",
);
const resultStart = new RegExp(`^(?:\\[{1,2}${blank}(?:["']?t|["']?$)|<(?:${blank}[|rtf｜]|${blank}$)|$)`, "i");

/**
 * The length of the result marker that a line begins with, its white space apart: what only the host may write, in any format.
 * `undefined` for none, `"more"` when only the rest of the line decides.
 */
export function resultMarker(line: string, isComplete: boolean): number | "more" | undefined {
  return !isComplete && line.length < 80 && resultStart.test(line) ? "more" : result.exec(line)?.[0].length;
}
