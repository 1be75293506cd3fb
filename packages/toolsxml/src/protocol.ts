import {
  type Action,
  isRunnable,
  type Locale,
  type ParseResult,
  type PromptBuilder,
  type ProtocolMode,
  type ToolCall,
  type ToolDefinition,
  type ToolProtocol,
} from "@toolglot/core";
import { encodeAsText } from "@toolglot/core/results";
import { writeCalls } from "./encode-messages.ts";
import { explain } from "./explain.ts";
import { renderManual } from "./manual.ts";
import { createParser } from "./parse.ts";
import { formatResults } from "./results.ts";
import type { ToolsXmlBlock } from "./types.ts";

/** Version of the protocol, counted apart from the package's. */
const version = "toolsxml/1";

/** Options of {@link toolsxmlProtocol}. */
export interface ToolsXmlProtocolOptions {
  /** What teaches the model the protocol: `toolsxmlPrompt` of `@toolglot/prompts/toolsxml`, or your own for `toolsxml/1`. */
  prompt: PromptBuilder;
  /** Language of the manual (unless the caller says another one), results and explanations. Default `en`. */
  locale?: Locale;
  /** `single`: an answer without a block is a mistake, and explained. Default `loop`: it is the final answer. */
  mode?: ProtocolMode;
  /** UTF-16 units of results that the model gets back at most. Default 16,000. */
  resultBudget?: number;
}

/**
 * ToolsXML as the agent's loop uses it: the declared tools as a manual, `<tools>` blocks, results as `<results>`.
 *
 * Throws `TypeError` when the prompt teaches another protocol.
 */
export function toolsxmlProtocol(options: ToolsXmlProtocolOptions): ToolProtocol<ToolsXmlBlock> {
  const { prompt, locale = "en", mode = "loop", resultBudget } = options;
  if (prompt?.forProtocol !== version) {
    throw new TypeError(
      `toolsxmlProtocol: the prompt teaches ${JSON.stringify(prompt?.forProtocol)}, not "${version}": pass toolsxmlPrompt from @toolglot/prompts/toolsxml.`,
    );
  }
  const resultOptions = resultBudget === undefined ? { locale } : { locale, budget: resultBudget };
  const format: ToolProtocol["formatResults"] = (results) => formatResults(results, resultOptions);
  /** The text behind each result of this protocol's parsers, so that explanations can show lines. */
  const sources = new WeakMap<ParseResult<ToolsXmlBlock>, string>();
  /** The tools it was asked about last: calls are written as they declare it. */
  let declared: readonly ToolDefinition[] = [];
  const manual = (tools: readonly ToolDefinition[], language: Locale): string => {
    declared = tools;
    return renderManual(tools, { locale: language });
  };

  const protocol: ToolProtocol<ToolsXmlBlock> = {
    id: "toolsxml",
    version,
    stop: ["<results>"],
    renderTools: (tools, rendering) => manual(tools, rendering?.locale ?? locale),
    instructions: (tools, building) =>
      prompt.build({
        toolsText: manual(tools, building.locale),
        locale: building.locale,
        mode: building.mode,
      }),
    createParser(parsing) {
      const parser = createParser(parsing);
      declared = parsing.tools ?? declared;
      let chunks: string[] = [];
      return {
        feed(chunk) {
          parser.feed(chunk);
          chunks.push(chunk);
        },
        end(ending) {
          const result = parser.end(ending);
          sources.set(result, chunks.join(""));
          chunks = [];
          return result;
        },
        reset() {
          parser.reset();
          chunks = [];
        },
      };
    },
    actions,
    formatResults: format,
    explain(result) {
      const source = sources.get(result as ParseResult<ToolsXmlBlock>);
      return explain(result, source === undefined ? { locale, mode } : { locale, mode, source });
    },
    encodeMessages: (messages) =>
      encodeAsText(messages, { calls: (calls) => writeCalls(calls, declared), results: format }),
  };
  return protocol;
}

/** All calls of a block as one batch; nothing for a block that must not run or has none. */
function actions(block: ToolsXmlBlock): Action[] {
  if (!isRunnable(block) || block.calls.length === 0) return [];
  const calls = block.calls.map((call, index): ToolCall => {
    const { tool, span, ...fields } = call;
    const [name, input] = call.tool === "custom" ? [call.name, call.input] : [tool, fields];
    const id = `toolsxml-${span.start}-${index}-${hash(JSON.stringify([name, input]))}`;
    return { id, name, input, span, protocol: "toolsxml" };
  });
  return [{ kind: "calls", calls, span: block.span }];
}

/** FNV-1a over UTF-16 units: the same call has the same id in every run. */
function hash(text: string): string {
  let value = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    value = Math.imul(value ^ text.charCodeAt(index), 0x01000193);
  }
  return (value >>> 0).toString(36);
}
