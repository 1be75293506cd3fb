import type { Message } from "./message.ts";
import type { ToolCall, ToolDefinition } from "./tool.ts";

/** Tokens as the provider counted them. */
export interface Usage {
  inputTokens?: number;
  outputTokens?: number;
}

/** Why the model stopped. */
export type FinishReason = "stop" | "length" | "calls" | "filter" | "error";

/** A piece of a model's answer; a bare string is text. */
export type ModelPart =
  | string
  | { type: "reasoning"; text: string }
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

/** A language model, or anything that answers like one. Throws when the provider fails. */
export type Model = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelPart>;
