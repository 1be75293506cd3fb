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

/** What a protocol has to say for itself in one language. */
export interface ExplainWording {
  /** Shows how a block is written. */
  template: string;
  /** What a block is called: `TAM block`. */
  block: string;
  /** What to do instead of sending several. */
  several: string;
  /** What to do about a code. For codes that are not here, the diagnostic's own message and hint, in English, stand. */
  advice: Readonly<Record<string, string>>;
}

/** Sentence for an answer of which nothing could be run. */
export const nothingRan: Readonly<Record<Locale, string>> = {
  en: "Your answer could not be used; nothing of it was run.",
  zh: "你的回答无法使用，没有执行任何内容。",
};

/** Sentences about the whole answer that no single finding covers, whatever the format. */
const sentences: Readonly<
  Record<
    Locale,
    (
      block: string,
      several: string,
      count: number,
    ) => Record<"noBlock" | "severalBlocks" | "inReasoning" | "afterFabricatedResult" | "repairedValue", string>
  >
> = {
  en: (block, several, count) => ({
    noBlock: `Your answer holds no ${block}.`,
    severalBlocks: `Your answer holds ${count} ${block}s. Only the first was run; ${several}.`,
    inReasoning: `What stands inside reasoning is never run. Write the ${block} after the reasoning has ended.`,
    afterFabricatedResult: `What comes after a result that you wrote yourself is never run. Send one ${block}, then wait for its result.`,
    repairedValue:
      "It was repaired to be read, and the repair may have changed a value; what can change something is not run that way. Write it so that it needs no repair.",
  }),
  zh: (block, several, count) => ({
    noBlock: `你的回答中没有 ${block}。`,
    severalBlocks: `你的回答中有 ${count} 个 ${block}，只执行了第一个；${several}。`,
    inReasoning: `思考块中的 ${block}不会执行。请在思考结束之后再写。`,
    afterFabricatedResult: `写在你自己编造的结果之后的内容不会执行。请只发送一个 ${block}，然后等待其结果。`,
    repairedValue: "它经过修复才能读取，而修复可能改变了某个值；会产生影响的调用不会这样执行。请重写，使其无需修复。",
  }),
};

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
 * Returns the points of an explanation, as a list: what concerns the whole answer, then the findings. Undefined when the text is a plain
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
  const reported = [...findings]
    .sort((a, b) => a.span.start - b.span.start)
    .filter(({ code, span }) => {
      while ((shown[next]?.span.end ?? span.start) < span.start) next += 1;
      const one = shown[next]?.span;
      return code.startsWith("core/") || !one || span.start < one.start || span.end > one.end;
    });
  const sent = blocks - shown.length;
  // In the loop, text without a block is the answer: slips around it are no reason to send it back.
  if (found.length === 0 && options.mode !== "single" && !reported.some(isMeantAsCall)) return undefined;
  const say = sentences[options.locale ?? "en"](words.block, words.several, sent);
  const lines = [
    found.length === 0 && options.mode === "single" && say.noBlock,
    sent > 1 && runs && say.severalBlocks,
    remark,
    !runs && found.some((block) => block.inReasoning) && say.inReasoning,
    found.some((block) => block.afterFabricatedResult) && say.afterFabricatedResult,
    runs && repaired && say.repairedValue,
  ].filter((one) => typeof one === "string");
  if (reported.length > 0) lines.push(...findingLines(reported, { ...options, advice: words.advice }));
  return lines.map((line) => `- ${line}`).join("\n");
}

/** Whether a finding shows that text without a block was to do something. */
function isMeantAsCall({ code, severity }: Diagnostic): boolean {
  return (
    severity === "error" ||
    /^core\/(?:foreign-format|unread-block|shown-block|fabricated-\w+)$|\/foreign-call$/.test(code)
  );
}
