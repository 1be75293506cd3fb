import {
  type Action,
  isRunnable,
  type Locale,
  type ParseResult,
  type PromptBuilder,
  type ProtocolMode,
  type ToolDefinition,
  type ToolProtocol,
} from "@toolglot/core";
import { bindPlan } from "./bind-plan.ts";
import { encodeMessages } from "./encode-messages.ts";
import { explain } from "./explain.ts";
import { renderManual } from "./manual.ts";
import { createParser } from "./parse.ts";
import { formatResults } from "./results.ts";
import type { TamBlock } from "./types.ts";

/** Version of the protocol, counted apart from the package's. */
const version = "tam/1";

/** Options of {@link tamProtocol}. */
export interface TamProtocolOptions {
  /** What teaches the model the protocol: `tamPrompt` of `@toolglot/prompts/tam`, or your own for `tam/1`. */
  prompt: PromptBuilder;
  /** Language of the tools' manual (unless the caller says another one), results and explanations. Default `en`. */
  locale?: Locale;
  /** `single`: an answer without a block is a mistake, and explained. Default `loop`: it is the final answer. */
  mode?: ProtocolMode;
  /** UTF-16 units of results that the model gets back at most. Default 16,000. */
  resultBudget?: number;
}

/**
 * TAM as the agent's loop uses it: tools as a manual, plans of steps as delimited fields, results in the same grammar.
 * A block's plan is bound to the tools that its parser was made with.
 *
 * Throws `TypeError` when the prompt teaches another protocol.
 */
export function tamProtocol(options: TamProtocolOptions): ToolProtocol<TamBlock> {
  const { prompt, locale = "en", mode = "loop", resultBudget } = options;
  if (prompt?.forProtocol !== version) {
    throw new TypeError(
      `tamProtocol: the prompt teaches ${JSON.stringify(prompt?.forProtocol)}, not "${version}": pass tamPrompt from @toolglot/prompts/tam.`,
    );
  }
  const resultOptions = resultBudget === undefined ? { locale } : { locale, budget: resultBudget };
  const format: ToolProtocol["formatResults"] = (results) => formatResults(results, resultOptions);
  const sources = new WeakMap<ParseResult<TamBlock>, string>();
  const toolsOf = new WeakMap<TamBlock, readonly ToolDefinition[]>();

  return {
    id: "tam",
    version,
    stop: ["<|[TOOL_RESULT]|>"],
    renderTools: (tools, rendering) => renderManual(tools, { locale: rendering?.locale ?? locale }),
    instructions: (tools, building) =>
      prompt.build({
        toolsText: renderManual(tools, { locale: building.locale }),
        locale: building.locale,
        mode: building.mode,
      }),
    createParser({ onEvent, ...parsing }) {
      const parser = createParser({
        ...parsing,
        onEvent(event) {
          if (event.type === "block-end" && parsing.tools) toolsOf.set(event.block, parsing.tools);
          onEvent?.(event);
        },
      });
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
    actions(block): Action[] {
      if (!isRunnable(block)) return [];
      return [{ kind: "plan", plan: bindPlan(block, toolsOf.get(block)), span: block.span }];
    },
    formatResults: format,
    explain(result) {
      const source = sources.get(result);
      return explain(result, source === undefined ? { locale, mode } : { locale, mode, source });
    },
    encodeMessages: (messages) => encodeMessages(messages, format),
  };
}
