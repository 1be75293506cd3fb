import {
  type Action,
  isRunnable,
  type Locale,
  type PromptBuilder,
  type ProtocolMode,
  type ToolCall,
  type ToolProtocol,
} from "@toolglot/core";
import { encodeAsText } from "@toolglot/core/results";
import { createTextProtocol, textHash } from "@toolglot/core/text";
import { checkKeys } from "@toolglot/internal";
import { writeCalls } from "./encode-messages.ts";
import { explain } from "./explain.ts";
import { renderManual } from "./manual.ts";
import { createParser } from "./parse.ts";
import { formatResults } from "./results.ts";
import type { ToolsXmlBlock } from "./types.ts";

/** Options of {@link toolsxmlProtocol}. */
export interface ToolsXmlProtocolOptions {
  /** What teaches the model the protocol: `toolsxmlPrompt` of `@toolglot/prompts/toolsxml`, or your own for `toolsxml/1`. */
  prompt: PromptBuilder;
  /** Language of the manual (unless the caller says another one), results and explanations. Default `en`. */
  locale?: Locale;
  /** `single`: an answer without a block is a mistake, and explained. Default `loop`: it is the final answer. */
  mode?: ProtocolMode;
  /** UTF-16 units of results that the model gets back at most. Default 16,000. */
  maxResultChars?: number;
}

/**
 * ToolsXML as the agent's loop uses it: the declared tools as a manual, `<tools>` blocks, results as `<results>`.
 *
 * Throws `TypeError` when the prompt teaches another protocol.
 */
export function toolsxmlProtocol(options: ToolsXmlProtocolOptions): ToolProtocol<ToolsXmlBlock> {
  checkKeys<ToolsXmlProtocolOptions>("toolsxmlProtocol", options, {
    prompt: true,
    locale: true,
    mode: true,
    maxResultChars: true,
  });
  const { prompt, locale = "en", mode = "loop", maxResultChars } = options;
  const resultOptions = maxResultChars === undefined ? { locale } : { locale, maxChars: maxResultChars };
  const format: ToolProtocol["formatResults"] = (results) => formatResults(results, resultOptions);
  return createTextProtocol<ToolsXmlBlock>({
    id: "toolsxml",
    version: "toolsxml/1",
    stop: ["<results>"],
    prompt,
    ownPrompt: "toolsxmlPrompt from @toolglot/prompts/toolsxml",
    locale,
    renderTools: renderManual,
    createParser,
    actions,
    formatResults: format,
    explain: (result, source) => explain(result, source === undefined ? { locale, mode } : { locale, mode, source }),
    encodeMessages: (messages, tools) =>
      encodeAsText(messages, { calls: (calls) => writeCalls(calls, tools), results: format }),
  });
}

/** All calls of a block as one batch; nothing for a block that must not run or has none. */
function actions(block: ToolsXmlBlock): Action[] {
  if (!isRunnable(block) || block.calls.length === 0) return [];
  const calls = block.calls.map((call, index): ToolCall => {
    const { tool, span, ...fields } = call;
    const [name, input] = call.tool === "custom" ? [call.name, call.input] : [tool, fields];
    const id = `toolsxml-${span.start}-${index}-${textHash(JSON.stringify([name, input]))}`;
    return { id, name, input, span, protocol: "toolsxml" };
  });
  return [{ kind: "calls", calls, span: block.span }];
}
