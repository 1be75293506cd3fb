import type { Locale, PromptBuilder, ProtocolMode } from "@toolglot/core";
import { enLoopAddendum, enTemplate } from "./en.ts";
import { zhLoopAddendum, zhTemplate } from "./zh.ts";

const TOOLS_PLACEHOLDER = "{{AVAILABLE_TOOLS}}";

const texts: Record<Locale, { template: string; loopAddendum: string }> = {
  zh: { template: zhTemplate, loopAddendum: zhLoopAddendum },
  en: { template: enTemplate, loopAddendum: enLoopAddendum },
};
const modes: readonly ProtocolMode[] = ["single", "loop"];

/**
 * Teaches ATTP (Agentic TOML Tool-use Protocol), version 1; pass it to `attpProtocol({ prompt: attpPrompt })`.
 *
 * `build({ toolsText, locale, mode })` returns the system prompt. `zh` is the specification's own template with both
 * examples, word for word; `en` is its translation. `single` is the template alone; `loop` adds that results come back
 * and that the last answer is plain text. `toolsText` takes the place of `{{AVAILABLE_TOOLS}}` unchanged. Throws
 * `TypeError` for another locale or mode, or when `toolsText` is no string.
 */
export const attpPrompt: PromptBuilder = {
  forProtocol: "attp/1",
  build({ toolsText, locale, mode }) {
    if (!Object.hasOwn(texts, locale)) throw new TypeError(`locale must be "zh" or "en", not ${String(locale)}`);
    if (!modes.includes(mode)) throw new TypeError(`mode must be "single" or "loop", not ${String(mode)}`);
    if (typeof toolsText !== "string") {
      throw new TypeError("toolsText must be a string: what the protocol's renderTools(tools) returned");
    }
    const { template, loopAddendum } = texts[locale];
    // Split instead of replace: `$&` in a tool's description must stay as it is.
    const [before = "", after = ""] = template.split(TOOLS_PLACEHOLDER);
    const prompt = before + toolsText + after;
    return mode === "loop" ? `${prompt}\n\n${loopAddendum}` : prompt;
  },
};
