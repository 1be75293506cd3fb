import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import type { Model } from "@toolglot/core";
import { UsageError } from "../cli/usage-error.ts";
import { aiSdkModel } from "./ai-sdk-model.ts";

/** What the command line says about the model. */
export interface ModelChoice {
  /** `NAME`, or `anthropic:NAME`. */
  name: string;
  baseUrl?: string | undefined;
}

/**
 * A real model by name. `anthropic:NAME` needs `ANTHROPIC_API_KEY`; any other name needs a base URL of an OpenAI-compatible
 * endpoint, and sends `OPENAI_API_KEY` when that is set. Throws `UsageError` when something is missing.
 */
export function chooseModel({ name, baseUrl }: ModelChoice, env: NodeJS.ProcessEnv = process.env): Model {
  if (baseUrl !== undefined && !/^https?:\/\//i.test(baseUrl)) {
    throw new UsageError(`--base-url must begin with http:// or https://, not "${baseUrl}".`);
  }
  if (name.startsWith("anthropic:")) {
    const apiKey = env.ANTHROPIC_API_KEY;
    if (!apiKey) throw new UsageError("--model anthropic:NAME needs a key in ANTHROPIC_API_KEY.");
    const provider = createAnthropic({ apiKey, ...(baseUrl && { baseURL: baseUrl }) });
    return aiSdkModel({ model: provider(required(name.slice("anthropic:".length))) });
  }
  if (!baseUrl) {
    throw new UsageError(
      `--model ${name} needs --base-url URL, an OpenAI-compatible endpoint such as http://localhost:11434/v1 (Ollama).`,
    );
  }
  const apiKey = env.OPENAI_API_KEY;
  const provider = createOpenAICompatible({
    name: "openai-compatible",
    baseURL: baseUrl,
    includeUsage: true,
    ...(apiKey && { apiKey }),
  });
  return aiSdkModel({ model: provider(required(name)) });
}

function required(name: string): string {
  if (name === "") throw new UsageError("--model needs a name.");
  return name;
}
