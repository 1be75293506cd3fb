import { isRunnable, type ToolProtocol } from "@toolglot/core";
import { createTextProtocol, type TextProtocolOptions } from "@toolglot/core/text";
import { bindPlan } from "./bind-plan.ts";
import { renderManual } from "./manual.ts";
import { createParser } from "./parse.ts";
import { explain, formatResults } from "./results.ts";
import type { TamBlock } from "./types.ts";
import { writeActions } from "./write-actions.ts";

/** Options of {@link tamProtocol}; its prompt is `tamPrompt` of `@toolglot/prompts/tam`, or your own for `tam/1`. */
export type TamProtocolOptions = TextProtocolOptions;

/**
 * Creates TAM as the agent's loop uses it: tools as a manual, plans of steps as delimited fields, results in the same grammar.
 * A block's plan is bound to the tools that its parser was made with.
 *
 * Throws `TypeError` when the prompt teaches another protocol.
 *
 * @example
 * ```ts
 * const protocol = tamProtocol({ prompt: tamPrompt }); // tamPrompt of @toolglot/prompts/tam
 * const system = protocol.instructions(tools, { locale: "en", mode: "loop" });
 * ```
 */
export function tamProtocol(options: TamProtocolOptions): ToolProtocol<TamBlock> {
  return createTextProtocol<TamBlock>(options, {
    id: "tam",
    version: "tam/1",
    stop: ["<|[TOOL_RESULT]|>"],
    carries: "plan",
    ownPrompt: "tamPrompt from @toolglot/prompts/tam",
    renderTools: renderManual,
    createParser,
    actions: (block, tools) =>
      isRunnable(block) ? [{ kind: "plan", plan: bindPlan(block, tools), span: block.span }] : [],
    formatResults,
    explain,
    write: writeActions,
  });
}
