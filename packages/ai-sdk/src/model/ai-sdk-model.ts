import {
  checkKeys,
  type FinishReason,
  type JsonObject,
  type Model,
  type ModelPart,
  type ModelRequest,
  ToolglotError,
  type Usage,
} from "@toolglot/core";
import { parseJson, sleep } from "@toolglot/internal";
import type { Part } from "../spec.ts";
import { type RetryAdvice, toModelError } from "./model-error.ts";
import { toPrompt } from "./to-prompt.ts";
import { watchStream } from "./watch-stream.ts";
import { words } from "./words.ts";

/** A language model of a provider package: of specification v2, v3 or v4. */
export interface AiSdkLanguageModel {
  readonly specificationVersion: string;
  readonly provider: string;
  readonly modelId: string;
  // biome-ignore lint/suspicious/noExplicitAny: the options and parts of three specifications.
  doStream(options: any): PromiseLike<{ stream: ReadableStream<any> }>;
}

/** Options of {@link aiSdkModel}. */
export interface AiSdkModelOptions {
  /** A model of a provider, as `createOpenAI()("gpt-5")`. A name alone would need a gateway. */
  model: AiSdkLanguageModel;
  /** How often a request that failed before its first part is made again, for faults that may pass. Default 2. */
  maxRetries?: number;
  /** Milliseconds from the request to the first part of the answer. Default 180,000. */
  firstPartMs?: number;
  /** Milliseconds between two parts. Default 60,000. */
  stallMs?: number;
  /** Called before a request is made again, with the reason and the milliseconds until then. */
  onRetry?: (reason: string, delayMs: number) => void;
  /** For the provider alone, by its name. */
  providerOptions?: Record<string, JsonObject>;
  headers?: Record<string, string | undefined>;
  temperature?: number;
  topP?: number;
  topK?: number;
  presencePenalty?: number;
  frequencyPenalty?: number;
  seed?: number;
}

const own = "model:{doStream} maxRetries:number firstPartMs:number stallMs:number onRetry:function";
const passed =
  "providerOptions:object headers:object temperature:number topP:number topK:number presencePenalty:number frequencyPenalty:number seed:number";

/** The first wait before a request is made again; doubled each time, give or take a quarter, unless the provider sets it. */
const retryMs = 1000;

/**
 * Returns a model of the AI SDK as a model of toolglot. Text, reasoning and calls come as they are; calls of tools that the provider runs
 * itself don't.
 *
 * Throws `TypeError` for options that can't be meant, and `ToolglotError` `ai-sdk/unsupported-model` for other specifications. The
 * answer throws `ToolglotError` when the provider fails, also in its middle: `model-unauthorised`, `model-rate-limited`, `model-unreachable`,
 * `model-stalled`, `model-not-found`, `model-address`, `context-overflow`, `model-failed`; `data` has the `url`, the `status`, and
 * of a stall `ms` and `phase` (`first` or `middle`), and what the server `said`, as far as they are known.
 *
 * @example
 * ```ts
 * const model = aiSdkModel({ model: provider, temperature: 0 });
 * let text = "";
 * for await (const part of model({ messages: [textMessage("user", "What is 19 + 23?")] }, signal))
 *   if (typeof part === "string") text += part;
 * ```
 */
export function aiSdkModel(options: AiSdkModelOptions): Model {
  const given: unknown = options?.model;
  checkKeys("aiSdkModel", options, [own, passed], ["model"], {
    model: `It is a model of a provider, as createOpenAI()(${typeof given === "string" ? JSON.stringify(given) : "id"}); a name alone needs a gateway.`,
    specificationVersion: "This is a model itself: pass aiSdkModel({ model }).",
    provider: "Pass the model of a provider: aiSdkModel({ model: openai(id) }).",
    maxTokens: "It is an option of createAgent.",
    maxOutputTokens: "It is maxTokens of createAgent.",
  });
  const { model, maxRetries = 2, firstPartMs = 180_000, stallMs = 60_000, onRetry, ...settings } = options;
  checkModel(model);
  for (const [name, value] of Object.entries({ maxRetries, firstPartMs, stallMs }))
    if (!(value >= 0)) throw new TypeError(`aiSdkModel: ${name} is a number from 0, not ${String(value)}.`);
  const info = { provider: model.provider, modelId: model.modelId };
  async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    for (let attempt = 0; ; attempt += 1) {
      let begun = false;
      let shown = 0;
      try {
        for await (const part of answerOnce(request, signal)) {
          begun = true;
          shown += typeof part === "string" ? part.length : "text" in part ? part.text.length : 0;
          yield part;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        const failure = toModelError(error, info);
        const { retryable, retryAfterMs = jitter(retryMs * 2 ** attempt) } = failure.data as RetryAdvice;
        if (begun)
          throw new ToolglotError(failure.code, words.midway(failure.message, shown), {
            cause: error,
            data: failure.data,
          });
        if (retryable !== true || attempt >= maxRetries) throw failure;
        onRetry?.(failure.message, retryAfterMs);
        await sleep(retryAfterMs, signal);
        signal.throwIfAborted();
      }
    }
  }

  async function* answerOnce(
    { messages, tools, stop, maxTokens }: ModelRequest,
    signal: AbortSignal,
  ): AsyncGenerator<ModelPart> {
    const { signal: both, parts } = watchStream({ firstPartMs, stallMs, signal, info });
    const stream = parts(
      Promise.resolve(
        model.doStream({
          ...settings,
          prompt: toPrompt(messages, model),
          abortSignal: both,
          ...(tools && tools.length > 0 && { tools: tools.map(toFunction), toolChoice: { type: "auto" } }),
          ...(stop && { stopSequences: stop }),
          ...(maxTokens !== undefined && { maxOutputTokens: maxTokens }),
        }),
      ),
    );
    let finish: ModelPart | undefined;
    const reasoning = new Reasoning(model.provider);
    const written = new Set<unknown>();
    for await (const part of stream) {
      if (part.type === "finish") finish = finishOf(part);
      else if (part.type.startsWith("reasoning-")) yield* reasoning.take(part);
      else if (part.type.startsWith("tool-input-")) yield* pieceOf(part, written);
      else yield* convert(part);
    }
    if (finish) yield finish;
    else throw new ToolglotError("model-failed", "The model's stream ended without saying why.");
  }

  return Object.assign(answer, { info });
}

function checkModel(model: AiSdkLanguageModel | undefined): asserts model is AiSdkLanguageModel {
  if (model === undefined) throw new TypeError("aiSdkModel: model is a language model of a provider of the AI SDK.");
  const { specificationVersion } = model;
  if (/^v[234]$/.test(String(specificationVersion))) return;
  throw new ToolglotError(
    "ai-sdk/unsupported-model",
    `The model speaks the specification ${String(specificationVersion)}; this package takes v2, v3 and v4.`,
    { data: { specificationVersion } },
  );
}

const jitter = (ms: number): number => ms * (0.75 + Math.random() / 2);

const toFunction = ({ name, description, inputSchema }: NonNullable<ModelRequest["tools"]>[number]): object => ({
  type: "function",
  name,
  description,
  inputSchema,
});

function* convert(part: Part): Generator<ModelPart> {
  const {
    type,
    delta,
    toolCallId: id,
    toolName: name,
    input,
    providerExecuted,
  } = part as unknown as Record<string, string>;
  if (type === "text-delta" && delta) yield delta;
  else if (type === "tool-call" && !providerExecuted)
    yield {
      type: "call",
      call: { id: id as string, name: name as string, input: inputOf(input as string), protocol: "native" },
    };
  else if (type === "error") throw part.error;
}

/**
 * Emits a piece of the arguments of a call; `written` are the calls whose arguments come in pieces. The provider runs the others itself.
 */
function* pieceOf({ type, id, toolName, delta, providerExecuted }: Part, written: Set<unknown>): Generator<ModelPart> {
  if (type === "tool-input-start" && providerExecuted !== true) {
    written.add(id);
    yield { type: "call-delta", id: id as string, name: toolName as string, text: "" };
  } else if (type === "tool-input-delta" && written.has(id))
    yield { type: "call-delta", id: id as string, text: delta as string };
}

/** Reasoning, with what its provider wants back: a signature, say, which may come with any part of a stretch. */
class Reasoning {
  readonly #provider: string;
  readonly #options = new Map<unknown, JsonObject>();

  constructor(provider: string) {
    this.#provider = provider;
  }

  *take({ type, id, delta, providerMetadata }: Part): Generator<ModelPart> {
    if (providerMetadata) this.#options.set(id, providerMetadata);
    const options = this.#options.get(id);
    const meta = type === "reasoning-end" && options && { meta: { provider: { name: this.#provider, options } } };
    if (delta || meta) yield { type: "reasoning", text: (delta ?? "") as string, ...meta };
  }
}

/** Returns what the model wrote, when it is no JSON. */
function inputOf(text: string): unknown {
  if (text.trim() === "") return {};
  const read = parseJson(text);
  return read === undefined ? text : read;
}

const reasons: Readonly<Record<string, FinishReason>> = {
  stop: "stop",
  length: "length",
  error: "error",
  "tool-calls": "calls",
  "content-filter": "filter",
};

function finishOf({ finishReason, usage, providerMetadata }: Part): ModelPart {
  const { unified, raw } =
    typeof finishReason === "string"
      ? { unified: finishReason, raw: finishReason === "unknown" ? undefined : finishReason }
      : (finishReason as { unified: string; raw?: string });
  // A connection that closed early has no reason: what was received may not be the whole answer.
  const reason = reasons[unified] ?? (raw === undefined ? "error" : "stop");
  const stopSequence = providerMetadata?.anthropic?.stopSequence;
  return {
    type: "finish",
    reason,
    usage: usageOf((usage ?? {}) as Record<string, unknown>),
    ...(typeof stopSequence === "string" && { stopSequence }),
  };
}

/** Flat numbers of v2, nested ones of v3 and v4. */
function usageOf({ inputTokens, outputTokens, reasoningTokens, cachedInputTokens }: Record<string, unknown>): Usage {
  const of = (value: unknown, key: string): unknown =>
    typeof value === "object" && value !== null ? (value as Record<string, unknown>)[key] : undefined;
  const found: Record<keyof Usage & string, unknown> = {
    inputTokens: of(inputTokens, "total") ?? inputTokens,
    outputTokens: of(outputTokens, "total") ?? outputTokens,
    cachedInputTokens: of(inputTokens, "cacheRead") ?? cachedInputTokens,
    cacheWriteTokens: of(inputTokens, "cacheWrite"),
    reasoningTokens: of(outputTokens, "reasoning") ?? reasoningTokens,
    cost: undefined,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => Number.isFinite(value)));
}
