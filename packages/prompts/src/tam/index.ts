/** The system prompt that teaches a model TAM, the Tavern Action Manifest. */

import type { PromptBuilder } from "@toolglot/core";
import { templatePrompt } from "../template.ts";
import { en } from "./en.ts";
import { zh } from "./zh.ts";

/**
 * Teaches TAM (Tavern Action Manifest), version 1; pass it to `tamProtocol({ prompt: tamPrompt })`.
 *
 * `build({ toolsText, locale, mode })` returns the system prompt: the format, the tools, plans of several steps, an example
 * of each. `zh` uses the specification's words where it has them; `en` is its translation, line by line. `single` adds that
 * no results come back, `loop` how they do and that the last answer is plain text. `toolsText` stands in it unchanged.
 * Throws `TypeError` for another locale or mode, or when `toolsText` is no string.
 */
export const tamPrompt: PromptBuilder = templatePrompt("tam/1", { zh, en });
