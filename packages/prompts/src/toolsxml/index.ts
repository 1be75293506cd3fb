/** The system prompt that teaches a model ToolsXML, tool calls as XML elements with raw bodies. */

import type { PromptBuilder } from "@toolglot/core";
import { templatePrompt } from "../template.ts";
import { en } from "./en.ts";
import { zh } from "./zh.ts";

/**
 * Teaches ToolsXML, version 1; pass it to `toolsxmlProtocol({ prompt: toolsxmlPrompt })`.
 *
 * `build({ toolsText, locale, mode })` returns the system prompt: the root element, what a call may look like, the tools, an
 * example of one call and of two side by side. What each built-in tag takes stands in the tool text. `zh` uses the
 * specification's words where it has them; `en` is its translation, line by line. `single` adds that no results come back,
 * `loop` how they do and that the last answer is plain text. `toolsText` stands in it unchanged. Throws `TypeError` for
 * another locale or mode, or when `toolsText` is no string.
 */
export const toolsxmlPrompt: PromptBuilder = templatePrompt("toolsxml/1", { zh, en });
