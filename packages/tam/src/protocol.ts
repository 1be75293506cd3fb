import { isRunnable, type Locale, type PromptBuilder, type ProtocolMode, type ToolProtocol } from "@toolglot/core";
import { createTextProtocol } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { bindPlan } from "./bind-plan.ts";
import { encodeMessages } from "./encode-messages.ts";
import { explain } from "./explain.ts";
import { renderManual } from "./manual.ts";
import { createParser } from "./parse.ts";
import { formatResults } from "./results.ts";
import type { TamBlock } from "./types.ts";

/** Options of {@link tamProtocol}. */
export interface TamProtocolOptions {
  /** What teaches the model the protocol: `tamPrompt` of `@toolglot/prompts/tam`, or your own for `tam/1`. */
  prompt: PromptBuilder;
  /** Language of the tools' manual (unless the caller says another one), results and explanations. Default `en`. */
  locale?: Locale;
  /** `single`: an answer without a block is a mistake, and explained. Default `loop`: it is the final answer. */
  mode?: ProtocolMode;
  /** UTF-16 units of results that the model gets back at most. Default 16,000. */
  maxResultChars?: number;
}

/**
 * TAM as the agent's loop uses it: tools as a manual, plans of steps as delimited fields, results in the same grammar.
 * A block's plan is bound to the tools that its parser was made with.
 *
 * Throws `TypeError` when the prompt teaches another protocol.
 */
export function tamProtocol(options: TamProtocolOptions): ToolProtocol<TamBlock> {
  checkKeys<TamProtocolOptions>("tamProtocol", options, {
    prompt: true,
    locale: true,
    mode: true,
    maxResultChars: true,
  });
  const { prompt, locale = "en", mode = "loop", maxResultChars } = options;
  const resultOptions = maxResultChars === undefined ? { locale } : { locale, maxChars: maxResultChars };
  const format: ToolProtocol["formatResults"] = (results) => formatResults(results, resultOptions);
  return createTextProtocol<TamBlock>({
    id: "tam",
    version: "tam/1",
    stop: ["<|[TOOL_RESULT]|>"],
    prompt,
    ownPrompt: "tamPrompt from @toolglot/prompts/tam",
    locale,
    renderTools: renderManual,
    createParser,
    actions: (block, tools) =>
      isRunnable(block) ? [{ kind: "plan", plan: bindPlan(block, tools), span: block.span }] : [],
    formatResults: format,
    explain: (result, source) => explain(result, source === undefined ? { locale, mode } : { locale, mode, source }),
    encodeMessages: (messages) => encodeMessages(messages, format),
  });
}
