import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { aiSdkModel } from "@toolglot/ai-sdk";
import { type Model, type ModelPart, type ModelRequest, ToolglotError } from "@toolglot/core";
import { defined, nearest } from "@toolglot/internal";
import type { Words } from "../words/index.ts";
import { listModels } from "./list-models.ts";
import type { ResolvedModel } from "./resolve-model.ts";

/** How a model is asked. */
export interface Asking {
  words: Words;
  /** Seconds until the first part of an answer, and between two parts of it. Default 30. */
  timeoutSeconds?: number | undefined;
  /** How often a request that failed before its first part is made again. Default 2. */
  maxRetries?: number;
  /** Called before a request is sent again, with the reason. */
  onRetry?: (reason: string) => void;
}

/** Returns a model of a server. Its failures are in the language of the command line, with what to do about them. */
export function chooseModel(
  resolved: ResolvedModel,
  { words, timeoutSeconds = 30, maxRetries, onRetry }: Asking,
): Model {
  const { id, label, server } = resolved;
  const { kind, baseUrl, key } = server;
  const provider =
    kind === "anthropic"
      ? createAnthropic({ apiKey: key ?? "", baseURL: baseUrl })
      : createOpenAICompatible({
          name: "openai-compatible",
          // Copied from a provider's documents as often as the base itself.
          baseURL: baseUrl.replace(/\/chat\/completions\/?$/, ""),
          includeUsage: true,
          ...(key && { apiKey: key }),
        });
  const ms = timeoutSeconds * 1000;
  const model = aiSdkModel({ model: provider(id), firstPartMs: ms, stallMs: ms, ...defined({ maxRetries, onRetry }) });
  async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    try {
      yield* model(request, signal);
    } catch (error) {
      if (!ToolglotError.isInstance(error)) throw error;
      const { code, data, message } = error;
      const said = words.model.failures[code]?.({ ...data, model: label });
      const reason = typeof data.said === "string" ? `${words.model.colon}${data.said}.` : "";
      const more = code === "model-stalled" ? ` ${words.model.later}` : await cureOf(code, resolved, words);
      const text = `${said === undefined ? message : `${said}${reason}`}${more}`;
      throw new ToolglotError(code, text, { cause: error, data });
    }
  }
  return Object.assign(answer, model.info && { info: model.info });
}

/** So many models of a provider are named. */
const maxNamed = 12;

/** Resolves with where the key came from, or with which models there are. */
async function cureOf(code: string, { id, keyVariable, server }: ResolvedModel, { model }: Words): Promise<string> {
  if (code === "model-unauthorised" && keyVariable !== undefined)
    return ` ${server.key ? model.keyFrom(keyVariable) : model.noKey(keyVariable)}`;
  const listed = code === "model-not-found" ? await listModels(server) : { models: [] };
  if (!("models" in listed) || listed.models.length === 0) return "";
  const [near] = nearest(id, listed.models, 1);
  const more = listed.models.length > maxNamed ? " …" : "";
  return ` ${model.there(near, listed.models.slice(0, maxNamed).join(", ") + more)}`;
}
