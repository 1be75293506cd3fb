import type { LanguageModel } from "ai";

/** A model of the AI SDK that follows a script: an input calls the tool, as a provider gives it, `undefined` ends with a text. */
export function scriptedModel(toolName: string, next: () => unknown): LanguageModel {
  let made = 0;
  return {
    specificationVersion: "v3",
    provider: "bench",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async () => {
      const input = next();
      const isLast = input === undefined;
      made += 1;
      const call = { type: "tool-call" as const, toolCallId: `call-${made}`, toolName, input: JSON.stringify(input) };
      return {
        content: isLast ? [{ type: "text" as const, text: "done" }] : [call],
        finishReason: { unified: isLast ? ("stop" as const) : ("tool-calls" as const), raw: undefined },
        usage: {
          inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
          outputTokens: { total: 1, text: 1, reasoning: 0 },
        },
        warnings: [],
      };
    },
    doStream: async () => {
      throw new Error("not asked for here");
    },
  };
}
