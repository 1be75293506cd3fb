import type { Diagnostic } from "../diagnostic.ts";
import type { BlockBase, Segment } from "../protocol.ts";
import type { ToolDefinition } from "../tool.ts";
import type { FenceRange } from "./code.ts";
import { ForeignFinder } from "./find-foreign.ts";

const reasoning = /<(\/?)(?:think|thinking|thought)(?:\s[^<>\n]{0,200})?>/iy;
const reasoningStart =
  /^<\/?(?:t|th|thi|thin|think|thinki|thinkin|thinking|tho|thou|thoug|though|thought)?$|^<\/?(?:think|thinking|thought)\s[^<>\n]{0,200}$/i;

/** The longest text that may still become a reasoning tag. */
const longestTag = 220;

/** A reasoning tag at an index: its length and whether it opens, `undefined` for none, `"more"` when more text decides. */
export function reasoningTag(
  text: string,
  at: number,
  ended: boolean,
): { length: number; opens: boolean } | "more" | undefined {
  reasoning.lastIndex = at;
  const match = reasoning.exec(text);
  if (match) return { length: match[0].length, opens: match[1] === "" };
  if (ended || text.length - at > longestTag) return undefined;
  return reasoningStart.test(text.slice(at)) ? "more" : undefined;
}

const blank = "[ \\t]{0,9}";
const result = new RegExp(
  `^[ \\t]*(\\[{1,2}${blank}["']?tool[_ -]?results?["']?${blank}\\]{1,2}|<${blank}\\|${blank}\\[${blank}TOOL_RESULT${blank}\\]${blank}\\|${blank}>` +
    `|<${blank}results(?=[\\s/>])|<\\|?tool_response\\|?>|<function_results>|<[｜|]tool[▁_]outputs?[▁_]begin[｜|]>)`,
  "i",
);
const resultStart = new RegExp(`^(?:\\[{1,2}${blank}(?:["']?t|["']?$)|<(?:${blank}[|rtf｜]|${blank}$)|$)`, "i");

/** The result marker that a line opens, of any format: what only the host may write. */
export function resultMarker(line: string): string | undefined {
  return result.exec(line)?.[1];
}

/** Whether an unfinished line may still open a result marker. */
export function mayBecomeResult(line: string): boolean {
  const text = line.trimStart();
  return text.length < 80 && resultStart.test(text);
}

/** A result that only the host may write, and that the model wrote. */
export interface ResultMarker {
  start: number;
  text: string;
}

/** A finding of the text layer: a warning that affects no value. */
function finding(code: string, start: number, end: number, message: string, hint?: string): Diagnostic {
  const made: Diagnostic = {
    code: `core/${code}`,
    severity: "warning",
    affects: "none",
    message,
    span: { start, end },
    source: "core",
  };
  if (hint) made.hint = hint;
  return made;
}

/** A tag closes reasoning that was never opened. */
export function reasoningUnopened(start: number, end: number): Diagnostic {
  const message = "A reasoning block is closed that was never opened; what stands before it is not run.";
  return finding("reasoning-unopened", start, end, message);
}

/** The text ends inside reasoning. */
export function reasoningUnclosed(start: number, end: number): Diagnostic {
  return finding("reasoning-unclosed", start, end, "The reasoning block is not closed.");
}

export function fabricatedResult({ start, text }: ResultMarker): Diagnostic {
  return finding(
    "fabricated-result",
    start,
    start + text.length,
    "The model wrote a result itself; calls after it are not run.",
    "Stop after the call, and wait for the result.",
  );
}

/** Every call in another format holds one of these. */
const callMark = /[<[{(>`~:=＞]|&gt;/;

/** Calls in other formats, in the text segments of a whole message. */
export function foreignCalls<Block>(
  protocol: string,
  tools: readonly ToolDefinition[],
  fences: readonly FenceRange[],
  segments: readonly Segment<Block>[],
): Diagnostic[] {
  let finder: ForeignFinder | undefined;
  for (const segment of segments) {
    if (segment.type !== "text" || !callMark.test(segment.text)) continue;
    finder ??= new ForeignFinder(
      protocol,
      tools.map(({ name }) => name),
      fences,
    );
    finder.find(segment.text, segment.span.start);
  }
  const found = finder?.end() ?? [];
  return found.map(({ format, start, end }) =>
    finding("foreign-format", start, end, `This is ${format}, which is not read here.`),
  );
}

/**
 * Results in fences that were no examples: they stand behind a call that was lost, or written in another format. Blocks behind
 * them are not run.
 */
export function fencedResults(
  markers: readonly ResultMarker[],
  diagnostics: readonly Diagnostic[],
  blocks: readonly BlockBase[],
): Diagnostic[] {
  const calls = diagnostics.filter(({ code, severity }) => severity === "error" || code === "core/foreign-format");
  const first = Math.min(...calls.map(({ span }) => span.start));
  const made = markers.filter(({ start }) => start >= first);
  for (const { start } of made)
    for (const block of blocks) if (block.span.start > start) block.afterFabricatedResult = true;
  return made.map(fabricatedResult);
}

/** The text was longer than a parser reads: none of its blocks may run. */
export function rejectAll(blocks: readonly BlockBase[], source: string, maxLength: number, end: number): Diagnostic {
  for (const block of blocks) block.status = "invalid";
  const message = `The text is longer than ${maxLength} units; nothing of it is run.`;
  const made = finding("", end, end, message);
  return { ...made, code: `${source}/input-too-long`, severity: "error", affects: "value", source };
}
