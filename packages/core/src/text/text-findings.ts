import { matchAt } from "@toolglot/internal";
import type { Diagnostic } from "../diagnostic.ts";
import type { BlockBase, Segment } from "../protocol.ts";
import type { ToolDefinition } from "../tool.ts";
import type { FenceRange } from "./code.ts";
import { ForeignFinder } from "./find-foreign.ts";

const reasoning = /<(\/?)(?:think|thinking|thought)(?:\s[^<>\n]{0,200})?>/iy;
const withAttributes = /^<\/?(?:think|thinking|thought)\s[^<>\n]{0,200}$/i;

/** The longest text that may still become a reasoning tag. */
const longestTag = 220;

/** A reasoning tag at an index: its length and whether it opens, `undefined` for none, `"more"` when more text decides. */
export function reasoningTag(
  text: string,
  at: number,
  ended: boolean,
): { length: number; opens: boolean } | "more" | undefined {
  const match = matchAt(reasoning, text, at);
  if (match) return { length: match[0].length, opens: !match[1] };
  if (ended || text.length - at > longestTag) return undefined;
  const rest = text.slice(at).toLowerCase();
  return "<thinking<thought".includes(rest.replace("/", "")) || withAttributes.test(rest) ? "more" : undefined;
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

/** A finding of the text layer: a warning that affects no value, unless it is said otherwise. */
export function finding(
  code: string,
  start: number,
  end: number,
  message: string,
  more?: Partial<Diagnostic>,
): Diagnostic {
  return {
    code: `core/${code}`,
    severity: "warning",
    affects: "none",
    message,
    span: { start, end },
    source: "core",
    ...more,
  };
}

/** A result that only the host may write, and that the model wrote. */
export function fabricatedResult(start: number, end: number): Diagnostic {
  return finding("fabricated-result", start, end, "The model wrote a result itself; calls after it are not run.", {
    hint: "Stop after the call, and wait for the result.",
  });
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
    finder ??= new ForeignFinder(protocol, tools, fences);
    finder.find(segment.text, segment.span.start);
  }
  const found = finder?.end() ?? [];
  return found.map(([format, { start, end }]) =>
    finding("foreign-format", start, end, `This is ${format}, which is not read here.`),
  );
}

/**
 * Results in fences that were no examples: they stand behind a call that was lost, or written in another format. Blocks behind
 * them are not run.
 */
export function fencedResults(
  results: readonly Diagnostic[],
  diagnostics: readonly Diagnostic[],
  blocks: readonly BlockBase[],
): Diagnostic[] {
  const isCall = ({ code, severity }: Diagnostic): boolean => severity === "error" || code === "core/foreign-format";
  const first = Math.min(...diagnostics.filter(isCall).map(({ span }) => span.start));
  const made = results.filter(({ span }) => span.start >= first);
  for (const { span } of made)
    for (const block of blocks) if (block.span.start > span.start) block.afterFabricatedResult = true;
  return made;
}

/** The text was longer than a parser reads: none of its blocks may run. */
export function rejectAll(blocks: readonly BlockBase[], source: string, maxLength: number, end: number): Diagnostic {
  for (const block of blocks) block.status = "invalid";
  const message = `The text is longer than ${maxLength} units; nothing of it is run.`;
  return finding("", end, end, message, {
    code: `${source}/input-too-long`,
    severity: "error",
    affects: "value",
    source,
  });
}
