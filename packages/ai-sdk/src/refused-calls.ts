import { isObject, parseJson } from "@toolglot/internal";
import type { PromptMessage } from "./spec.ts";

/**
 * Shows the model its refused calls as it wrote them, and why: stacks lose what is no JSON, and some say something else of it.
 * `key`: where a refusal of a native call, or of one in text, has kept its words.
 */
export function asWritten(prompt: PromptMessage[], key: "refusal" | "message"): PromptMessage[] {
  const refusals = new Map<unknown, string>();
  const changed = prompt.map((message) => {
    if (typeof message.content === "string") return message;
    const content = message.content.map((part) => {
      const why = refusals.get(part.toolCallId);
      const isError = /^error-/.test((part.output as { type?: string } | undefined)?.type ?? "");
      if (part.type === "tool-result" && isError && why !== undefined)
        return { ...part, output: { type: "error-text", value: why } };
      const { [key]: words, text } = part.providerOptions?.toolglot ?? {};
      if (part.type !== "tool-call" || typeof words !== "string") return part;
      refusals.set(part.toolCallId, words);
      const input = typeof text === "string" ? parseJson(text) : undefined;
      return { ...part, input: isObject(input) ? input : {} };
    });
    return { ...message, content };
  });
  return refusals.size > 0 ? changed : prompt;
}
