import type { ToolCall } from "./call.ts";
import type { Message, ReasoningMeta } from "./message.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** Tokens as the provider counted them. What it does not say stays out. */
export interface Usage {
  /** All that was read, cached tokens included. */
  inputTokens?: number;
  /** All that was written, reasoning included. */
  outputTokens?: number;
  /** Of the input: read from the provider's cache. */
  cachedInputTokens?: number;
  /** Of the input: written to the provider's cache. */
  cacheWriteTokens?: number;
  /** Of the output: reasoning. */
  reasoningTokens?: number;
  /** In the host's unit of money; reckoned by the host's price. */
  cost?: number;
}

/** Which model answers, as far as its adapter knows. */
export interface ModelInfo {
  /** As `openai`, `anthropic`. */
  provider?: string;
  modelId?: string;
  /** Tokens. */
  contextWindow?: number;
}

/** Why the model stopped. */
export type FinishReason = "stop" | "length" | "calls" | "filter" | "error";

/** A piece of a model's answer; a bare string is text. */
export type ModelPart =
  | string
  /** `meta`, with the last piece of a stretch of reasoning: what the provider wants back with it. */
  | { type: "reasoning"; text: string; meta?: ReasoningMeta }
  /**
   * A piece of a call's arguments, as their JSON text, while the model writes them. `id` is that of the `call`, which must follow: only
   * that is run. `name`, with the first piece: the tool's.
   */
  | { type: "call-delta"; id: string; name?: string; text: string }
  | { type: "call"; call: ToolCall }
  | { type: "finish"; reason: FinishReason; stopSequence?: string; usage?: Usage };

/** What a model is asked. */
export interface ModelRequest {
  messages: Message[];
  /** Only for protocols that declare tools to the provider (native function calls). */
  tools?: ToolDefinition[];
  /** Stop sequences. Providers strip them from the text. */
  stop?: string[];
  maxTokens?: number;
}

/**
 * A language model, or anything that answers like one. Throws when the provider fails. An agent takes a list of parts and a promise, too,
 * and refuses parts with fields that are missing, misspelt or of a wrong kind.
 */
export interface Model {
  (request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelPart>;
  /** Default: nothing is known. */
  readonly info?: ModelInfo;
}
