import { type Action, isRunnable, type ToolCall, type ToolProtocol } from "@toolglot/core";
import { createTextProtocol, type TextProtocolOptions, textHash } from "@toolglot/core/text";
import { renderManual } from "./manual.ts";
import { createParser } from "./parse.ts";
import { explain, formatResults } from "./results.ts";
import type { ToolsXmlBlock } from "./types.ts";
import { writeActions } from "./write-actions.ts";

/** Options of {@link toolsxmlProtocol}; its prompt is `toolsxmlPrompt` of `@toolglot/prompts/toolsxml`, or your own for `toolsxml/1`. */
export type ToolsXmlProtocolOptions = TextProtocolOptions;

/**
 * Creates ToolsXML as the agent's loop uses it: the declared tools as a manual, `<tools>` blocks, results as `<results>`.
 *
 * Throws `TypeError` when the prompt teaches another protocol.
 *
 * @example
 * ```ts
 * const protocol = toolsxmlProtocol({ prompt: toolsxmlPrompt }); // toolsxmlPrompt of @toolglot/prompts/toolsxml
 * const system = protocol.instructions(tools, { locale: "en", mode: "loop" });
 * ```
 */
export function toolsxmlProtocol(options: ToolsXmlProtocolOptions): ToolProtocol<ToolsXmlBlock> {
  return createTextProtocol<ToolsXmlBlock>(options, {
    id: "toolsxml",
    version: "toolsxml/1",
    stop: ["<results>"],
    carries: "calls",
    ownPrompt: "toolsxmlPrompt from @toolglot/prompts/toolsxml",
    renderTools: renderManual,
    createParser,
    actions,
    formatResults,
    explain,
    write: writeActions,
  });
}

/** Returns all calls of a block as one batch; nothing for a block that must not run or has none. */
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
