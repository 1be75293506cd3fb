/** The system prompt around the tools of an open model that writes calls in its own dialect. */

import type { PromptBuilder } from "@toolglot/core";
import { templatePrompt } from "../template.ts";
import { en } from "./en.ts";
import { zh } from "./zh.ts";

/**
 * Stands around the tools of `dialects/1`; pass it to `dialectProtocol({ dialect: "hermes", tools: "prompt", prompt: dialectsPrompt })`.
 *
 * `build({ toolsText, locale, mode })` returns the system prompt: the tools, with the form of a call in the dialect, and rules that hold in
 * every dialect. `en` is `zh` line by line. `single` adds that no results come back, `loop` that they do and that the last answer is plain
 * text. `toolsText` stands in it unchanged. Throws `TypeError` for another locale or mode, or when `toolsText` is no string.
 */
export const dialectsPrompt: PromptBuilder = templatePrompt("dialects/1", { zh, en });
