/** The system prompts that teach a model ATTP, the Agentic TOML Tool-use Protocol. */

import type { PromptBuilder } from "@toolglot/core";
import { templatePrompt } from "../template.ts";
import * as en from "./en.ts";
import * as zh from "./zh.ts";

/**
 * Teaches ATTP (Agentic TOML Tool-use Protocol), version 1; pass it to `attpProtocol({ prompt: attpPrompt })`.
 *
 * `build({ toolsText, locale, mode })` returns the system prompt. `zh` is the specification's own template with both
 * examples, word for word; `en` is its translation. `single` is the template alone; `loop` adds that results come back,
 * that the last answer is plain text, and which libraries a sandbox has besides the specification's. `toolsText` takes the place of `{{AVAILABLE_TOOLS}}` unchanged. Throws
 * `TypeError` for another locale or mode, or when `toolsText` is no string.
 */
export const attpPrompt: PromptBuilder = templatePrompt("attp/1", {
  zh: zh.python,
  en: en.python,
});

/**
 * {@link attpPrompt} for programs whose functions are a router's capabilities, as `programTools` of `@toolglot/trp-client` returns
 * them: what `router.call`, `router.batch` and `router.search` do, and that a program may wait for a person's approval.
 */
export const attpRouterPrompt: PromptBuilder = templatePrompt("attp/1", {
  zh: zh.router,
  en: en.router,
});

/**
 * Teaches ATTP with programs in JavaScript (`attp-js/1`); pass it to
 * `attpProtocol({ prompt: attpJavascriptPrompt, language: "javascript" })`.
 *
 * The specification's template with what is different: tools are async functions that take one object, nothing can be
 * imported, the result is assigned to `__result__` or returned. Otherwise as {@link attpPrompt}.
 */
export const attpJavascriptPrompt: PromptBuilder = templatePrompt("attp-js/1", {
  zh: zh.javascript,
  en: en.javascript,
});

/** {@link attpRouterPrompt} for programs in JavaScript (`attp-js/1`), as {@link attpJavascriptPrompt} teaches them. */
export const attpJavascriptRouterPrompt: PromptBuilder = templatePrompt("attp-js/1", {
  zh: zh.javascriptRouterText,
  en: en.javascriptRouterText,
});
