import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { type AiSdkModelOptions, aiSdkModel } from "@toolglot/ai-sdk";
import { type Model, type ModelPart, type ModelRequest, ToolglotError } from "@toolglot/core";
import { nearest } from "@toolglot/internal";
import { UsageError } from "../cli/usage-error.ts";
import type { Words } from "../words/index.ts";
import { listModels } from "./list-models.ts";

/** What the command line says about the model. */
export interface ModelChoice {
  /** `NAME`, or `anthropic:NAME`. */
  name: string;
  /** As the person named it. Default: the name. */
  label?: string | undefined;
  /** The variable that the key came from, or would come from. */
  keyVariable?: string | undefined;
  baseUrl?: string | undefined;
  /** Seconds until the first part of an answer, and between two parts of it. Default 30. */
  timeoutSeconds?: number | undefined;
  words: Words;
  /** How often a request that failed before its first part is made again. Default 2. */
  maxRetries?: number;
  /** Called before a request is sent again, with the reason. */
  onRetry?: (reason: string) => void;
}

/**
 * A real model by name. `anthropic:NAME` needs `ANTHROPIC_API_KEY`; any other name needs a base URL of an OpenAI-compatible
 * endpoint, and sends `OPENAI_API_KEY` when that is set. Throws `UsageError` when something is missing.
 */
export function chooseModel(choice: ModelChoice, env: NodeJS.ProcessEnv): Model {
  const { name, baseUrl, timeoutSeconds = 30, maxRetries, onRetry } = choice;
  if (baseUrl !== undefined && !/^https?:\/\//i.test(baseUrl)) {
    throw new UsageError(`--base-url must begin with http:// or https://, not "${baseUrl}".`);
  }
  const patience = { firstPartMs: timeoutSeconds * 1000, stallMs: timeoutSeconds * 1000 };
  const shared = { ...patience, ...(maxRetries !== undefined && { maxRetries }), ...(onRetry && { onRetry }) };
  if (name.startsWith("anthropic:")) {
    const apiKey = env.ANTHROPIC_API_KEY;
    if (!apiKey) throw new UsageError("--model anthropic:NAME needs a key in ANTHROPIC_API_KEY.");
    const provider = createAnthropic({ apiKey, ...(baseUrl && { baseURL: baseUrl }) });
    const id = required(name.slice("anthropic:".length));
    return withWords({ model: provider(id), ...shared }, { ...choice, id, key: apiKey });
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
    includeUsage: true,
    ...(apiKey && { apiKey }),
  });
  return withWords({ model: provider(required(name)), ...shared }, { ...choice, id: name, key: apiKey });
}

/** What a person should know besides the failure itself. */
interface Known extends ModelChoice {
  /** As the provider knows the model. */
  id: string;
  key: string | undefined;
}

function required(name: string): string {
  if (name === "") throw new UsageError("--model needs a name.");
  return name;
}

/** Returns a model whose failures are in the language of the command line, with what to do where it did not answer in its time. */
function withWords(options: AiSdkModelOptions, choice: Known): Model {
  const { words } = choice;
  const model = aiSdkModel(options);
  async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    try {
      yield* model(request, signal);
    } catch (error) {
      if (!ToolglotError.isInstance(error)) throw error;
      const { code, data, message } = error;
      const said = words.model.failures[code]?.({ ...data, model: choice.label ?? choice.name });
      const reason = typeof data.said === "string" ? `${words.model.colon}${data.said}.` : "";
      const more = code === "model-stalled" ? ` ${words.model.later}` : await cureOf(code, choice);
      throw new ToolglotError(code, `${said === undefined ? message : `${said}${reason}`}${more}`, {
        cause: error,
        data,
      });
    }
  }
  return Object.assign(answer, model.info && { info: model.info });
}

/** So many models of a provider are named. */
const maxNamed = 12;

/** Where the key came from, or which models there are. */
async function cureOf(code: string, { words, id, key, keyVariable, name, baseUrl }: Known): Promise<string> {
  if (code === "model-unauthorised" && keyVariable !== undefined) {
    return ` ${key ? words.model.keyFrom(keyVariable) : words.model.noKey(keyVariable)}`;
  }
  if (code !== "model-not-found" || baseUrl === undefined) return "";
  const listed = await listModels({ kind: name.startsWith("anthropic:") ? "anthropic" : "openai", baseUrl, key });
  if (!("models" in listed) || listed.models.length === 0) return "";
  const [near] = nearest(id, listed.models, 1);
  const more = listed.models.length > maxNamed ? " …" : "";
  return ` ${words.model.there(near, listed.models.slice(0, maxNamed).join(", ") + more)}`;
}
