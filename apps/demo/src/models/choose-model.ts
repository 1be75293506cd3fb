import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Model } from "@toolglot/core";
import { UsageError } from "../cli/usage-error.ts";
import { type Words, wordsFor } from "../cli/words.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";
import { watchedFetch } from "./watched-fetch.ts";

/** What the command line says about the model. */
export interface ModelChoice {
  /** `NAME`, or `anthropic:NAME`. */
  name: string;
  baseUrl?: string | undefined;
  /** See {@link watchedFetch}. */
  timeoutSeconds?: number | undefined;
  words?: Words;
  /** Called before a request is sent again, with the reason. */
  onRetry?: (reason: string) => void;
}

/**
 * A real model by name. `anthropic:NAME` needs `ANTHROPIC_API_KEY`; any other name needs a base URL of an OpenAI-compatible
 * endpoint, and sends `OPENAI_API_KEY` when that is set. Throws `UsageError` when something is missing.
 */
export function chooseModel(choice: ModelChoice, env: NodeJS.ProcessEnv = process.env): Model {
  const { name, baseUrl, timeoutSeconds, words = wordsFor("en"), onRetry } = choice;
  if (baseUrl !== undefined && !/^https?:\/\//i.test(baseUrl)) {
    throw new UsageError(`--base-url must begin with http:// or https://, not "${baseUrl}".`);
  }
  const fetch = watchedFetch({ words, ...(timeoutSeconds !== undefined && { timeoutSeconds }) });
  const shared = { words, ...(onRetry && { onRetry }) };
  if (name.startsWith("anthropic:")) {
    const apiKey = env.ANTHROPIC_API_KEY;
    if (!apiKey) throw new UsageError("--model anthropic:NAME needs a key in ANTHROPIC_API_KEY.");
    const provider = createAnthropic({ apiKey, fetch, ...(baseUrl && { baseURL: baseUrl }) });
    return aiSdkModel({ model: provider(required(name.slice("anthropic:".length))), ...shared });
  }
  if (!baseUrl) {
    throw new UsageError(
      `--model ${name} needs --base-url URL, an OpenAI-compatible endpoint: https://api.openai.com/v1 (OpenAI), http://localhost:11434/v1 (Ollama) or another.`,
    );
  }
  const apiKey = env.OPENAI_API_KEY;
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    // Copied from a provider's documents as often as the base itself.
    baseURL: baseUrl.replace(/\/chat\/completions\/?$/, ""),
    fetch,
    includeUsage: true,
    ...(apiKey && { apiKey }),
  });
  return aiSdkModel({ model: provider(required(name)), ...shared });
}

function required(name: string): string {
  if (name === "") throw new UsageError("--model needs a name.");
  return name;
}
