import { setTimeout as sleep } from "node:timers/promises";
import type { FinishReason, Model, ModelPart, ModelRequest, ToolDefinition, Usage } from "@toolglot/core";
import { ToolglotError } from "@toolglot/core";
import { jsonSchema, type LanguageModel, streamText, type TextStreamPart, type ToolSet, tool } from "ai";
import { type Words, wordsFor } from "../cli/words.ts";
import { toModelMessages } from "./messages.ts";
import { type RetryAdvice, toModelError } from "./model-error.ts";

/** Options of {@link aiSdkModel}. */
export interface AiSdkModelOptions {
  model: LanguageModel;
  /** How often a request that failed before its first byte is sent again, for faults that may pass. Default 2. */
  maxRetries?: number;
  /** Called before a request is sent again, with the reason. */
  onRetry?: (reason: string) => void;
  words?: Words;
}

/** Before the first time a request is sent again; doubled each time, unless the provider says how long. */
const RETRY_MS = 2000;

type Part = TextStreamPart<ToolSet>;

// The SDK would print its warnings, the first of them to standard output, which may belong to NDJSON.
globalThis.AI_SDK_LOG_WARNINGS = false;

/**
 * Any model of the AI SDK as a core model. Tools are declared without an `execute`, so the SDK only passes calls on. Throws
 * a `ToolglotError` when the provider fails, also in the middle of an answer; see {@link toModelError} for the codes.
 */
export function aiSdkModel(options: AiSdkModelOptions): Model {
  const { model, maxRetries = 2, onRetry, words = wordsFor("en") } = options;
  return async function* answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    for (let attempt = 0; ; attempt += 1) {
      let begun = false;
      try {
        for await (const part of answerOnce(request, signal)) {
          begun = true;
          yield part;
        }
        return;
      } catch (error) {
        signal.throwIfAborted();
        const failure = toModelError(error, words);
        const { retryable, retryAfterMs = RETRY_MS * 2 ** attempt } = (failure.data ?? {}) as RetryAdvice;
        if (begun || retryable !== true || attempt >= maxRetries) throw failure;
        onRetry?.(failure.message);
        await sleep(retryAfterMs, undefined, { signal });
      }
    }
  };

  async function* answerOnce(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelPart> {
    const { fullStream } = streamText({
      model,
      messages: toModelMessages(request.messages),
      allowSystemInMessages: true,
      // Our own retries are reported to the person who waits.
      maxRetries: 0,
      abortSignal: signal,
      ...(request.tools && request.tools.length > 0 && { tools: toToolSet(request.tools) }),
      ...(request.stop && { stopSequences: request.stop }),
      ...(request.maxTokens !== undefined && { maxOutputTokens: request.maxTokens }),
      // Errors come through the stream; without this the SDK would also print them.
      onError: () => undefined,
    });
    const state: State = {};
    for await (const part of fullStream) yield* convert(part, state, signal);
    if (state.finish === undefined) {
      signal.throwIfAborted();
      throw new ToolglotError("model-failed", "The model's stream ended without saying why.");
    }
    yield state.finish;
  }
}

interface State {
  stopSequence?: string;
  finish?: ModelPart & { type: "finish" };
}

function* convert(part: Part, state: State, signal: AbortSignal): Generator<ModelPart> {
  switch (part.type) {
    case "text-delta":
      yield part.text;
      return;
    case "reasoning-delta":
      yield { type: "reasoning", text: part.text };
      return;
    case "tool-call":
      yield {
        type: "call",
        call: { id: part.toolCallId, name: part.toolName, input: part.input, protocol: "native" },
      };
      return;
    case "finish-step": {
      const sequence = part.providerMetadata?.anthropic?.stopSequence;
      if (typeof sequence === "string") state.stopSequence = sequence;
      state.finish = finishPart(
        finishReason(part.finishReason, part.rawFinishReason),
        usageOf(part.usage),
        state.stopSequence,
      );
      return;
    }
    case "error":
      throw part.error;
    case "abort":
      signal.throwIfAborted();
      throw new ToolglotError("model-failed", "The model's answer was aborted by its provider.");
    default:
      return;
  }
}

function finishPart(
  reason: FinishReason,
  usage: Usage,
  stopSequence: string | undefined,
): ModelPart & { type: "finish" } {
  return { type: "finish", reason, usage, ...(stopSequence !== undefined && { stopSequence }) };
}

function usageOf(usage: { inputTokens: number | undefined; outputTokens: number | undefined }): Usage {
  const { inputTokens, outputTokens } = usage;
  return { ...(inputTokens !== undefined && { inputTokens }), ...(outputTokens !== undefined && { outputTokens }) };
}

function finishReason(reason: string, raw: string | undefined): FinishReason {
  switch (reason) {
    case "stop":
    case "length":
    case "error":
      return reason;
    case "tool-calls":
      return "calls";
    case "content-filter":
      return "filter";
    default:
      // A connection that closed early has no reason: the received text may not be the whole answer.
      return raw === undefined ? "error" : "stop";
  }
}

function toToolSet(tools: readonly ToolDefinition[]): ToolSet {
  return Object.fromEntries(
    tools.map(({ name, description, inputSchema }) => [
      name,
      tool({ description, inputSchema: jsonSchema(inputSchema as Parameters<typeof jsonSchema>[0]) }),
    ]),
  );
}
