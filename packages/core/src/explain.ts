/** What a model reads about its own mistakes, for those who write a protocol. */
import { checkKeys } from "@toolglot/internal";
import type { Diagnostic } from "./diagnostic.ts";
import { findingLines } from "./finding-lines.ts";
import type { BlockBase, Locale, ParseResult, ProtocolMode } from "./protocol.ts";

/** How mistakes are explained to the model. */
export interface ExplainOptions {
  /** The text that was parsed: with it, findings name their line and show it. */
  source?: string | undefined;
  /** Default `en`. */
  locale?: Locale;
  /** In `single` mode an answer without a block is a mistake too. Default `loop`. */
  mode?: ProtocolMode;
}

/** The sentences of a protocol in one language. */
export interface ExplainWording {
  /** Shows how a block is written. */
  template: string;
  /** Nothing could be run. */
  failed: string;
  noBlock: string;
  severalBlocks(count: number): string;
  inReasoning: string;
  afterFabricatedResult: string;
  repairedValue: string;
  /** What to do about a code. For codes that are not here, the diagnostic's own message and hint, in English, stand. */
  advice: Readonly<Record<string, string>>;
}

/** What a protocol knows of a result. */
export interface ExplainedResult {
  words: ExplainWording;
  /** A block was run. */
  runs: boolean;
  /** The findings to explain. */
  findings: readonly Diagnostic[];
  /** How many blocks the answer holds, also those that were not read. */
  blocks: number;
  /** What was run was repaired, and a value may be another one. */
  repaired: boolean;
  /** What else there is to say. */
  remark?: string | false | undefined;
  /** Options that only this protocol has, as words of `checkKeys`. */
  options?: readonly string[];
}

/**
 * The points of an explanation, as a list: what no single finding says, then the findings. Undefined when the text is a plain
 * answer; empty when there is nothing to explain. Throws `TypeError` for unknown options.
 */
export function explainResult<Block extends BlockBase>(
  result: ParseResult<Block>,
  options: ExplainOptions,
  { words, runs, findings, blocks, repaired, remark, options: own = [] }: ExplainedResult,
): string | undefined {
  checkKeys<object, string>("explain", options, ['source:string locale:"zh"|"en" mode:"single"|"loop"', ...own]);
  const found = result.blocks;
  const shown = found.filter((block) => block.shown);
  // What is shown only has to be read by people.
  let next = 0;
  const told = [...findings]
    .sort((a, b) => a.span.start - b.span.start)
    .filter(({ code, span }) => {
      while ((shown[next]?.span.end ?? span.start) < span.start) next += 1;
      const one = shown[next]?.span;
      return code.startsWith("core/") || !one || span.start < one.start || span.end > one.end;
    });
  const sent = blocks - shown.length;
  // In the loop, text without a block is the answer: slips around it are no reason to send it back.
  if (found.length === 0 && options.mode !== "single" && !told.some(isMeantAsCall)) return undefined;
  const lines = [
    found.length === 0 && options.mode === "single" && words.noBlock,
    sent > 1 && runs && words.severalBlocks(sent),
    remark,
    !runs && found.some((block) => block.inReasoning) && words.inReasoning,
    found.some((block) => block.afterFabricatedResult) && words.afterFabricatedResult,
    runs && repaired && words.repairedValue,
  ].filter((one) => typeof one === "string");
  if (told.length > 0) lines.push(...findingLines(told, { ...options, advice: words.advice }));
  return lines.map((line) => `- ${line}`).join("\n");
}

/** Whether a finding shows that text without a block was to do something. */
function isMeantAsCall({ code, severity }: Diagnostic): boolean {
  return severity === "error" || /^core\/(?:foreign-format|unread-block|shown-block|fabricated-\w+)$/.test(code);
}
