import type { Locale, PromptBuilder, ProtocolMode } from "@toolglot/core";
import { gotText } from "@toolglot/internal";

const toolsPlaceholder = "{{AVAILABLE_TOOLS}}";

const modes: readonly ProtocolMode[] = ["single", "loop"];

/** Texts of a prompt in one language. */
export interface PromptText {
  /** Holds `{{AVAILABLE_TOOLS}}` once. */
  template: string;
  /** What a mode adds below the template; nothing when there is none. */
  addenda: Partial<Record<ProtocolMode, string>>;
  /** What is added when the programs of a conversation share their variables; absent where a protocol has no programs. */
  session?: string;
}

/** Creates a prompt that is a template with the tools in it, and for each mode something more below. */
export function templatePrompt(forProtocol: string, texts: Record<Locale, PromptText>): PromptBuilder {
  return {
    forProtocol,
    build({ toolsText, locale, mode, session = false }) {
      if (!Object.hasOwn(texts, locale)) throw new TypeError(`locale must be "zh" or "en", not ${gotText(locale)}`);
      if (!modes.includes(mode)) throw new TypeError(`mode must be "single" or "loop", not ${gotText(mode)}`);
      if (typeof toolsText !== "string") {
        throw new TypeError("toolsText must be a string: what the protocol's renderTools(tools) returned");
      }
      const { template, addenda, session: shared } = texts[locale];
      if (session && shared === undefined)
        throw new TypeError(`${forProtocol} has no programs that could share a session`);
      // Split instead of replace: `$&` in a tool's description must stay as it is.
      const [before = "", after = ""] = template.split(toolsPlaceholder);
      const prompt = before + toolsText + after;
      return [prompt, addenda[mode], session ? shared : undefined].filter((part) => part !== undefined).join("\n\n");
    },
  };
}
