import type { JsonObject } from "@toolglot/core";

// What this package reads and writes of the AI SDK's provider specifications v3 and v4. They differ in little, and parts of
// types that are not named here pass as they are, so that one implementation serves both, without a copy of either.

/** Which provider specification is spoken: `v3` in ai 6, `v4` in ai 7. */
export type SpecificationVersion = "v3" | "v4";

export type ProviderData = Record<string, JsonObject>;

/** A part of a message, of an answer, or of a stream. */
export interface Part {
  type: string;
  providerOptions?: ProviderData;
  providerMetadata?: ProviderData;
  [key: string]: unknown;
}

export interface PromptMessage {
  role: "system" | "user" | "assistant" | "tool";
  content: string | Part[];
  providerOptions?: ProviderData;
}

export interface FunctionTool {
  type: "function";
  name: string;
  description?: string;
  inputSchema: JsonObject;
  inputExamples?: { input: JsonObject }[];
}

export interface ProviderTool {
  type: "provider";
  id: string;
  name: string;
}

export type ToolChoice = { type: "auto" | "none" | "required" } | { type: "tool"; toolName: string };

/** Request to a model. */
export interface CallParams {
  prompt: PromptMessage[];
  tools?: (FunctionTool | ProviderTool)[];
  toolChoice?: ToolChoice;
  stopSequences?: string[];
  [key: string]: unknown;
}

export type Warning = { type: "unsupported"; feature: string; details?: string } | { type: "other"; message: string };

export interface Finish {
  unified: string;
  raw: string | undefined;
}

export interface GenerateResult {
  content: Part[];
  finishReason: Finish;
  warnings: Warning[];
  providerMetadata?: ProviderData;
  [key: string]: unknown;
}

export interface StreamResult {
  stream: ReadableStream<Part>;
  [key: string]: unknown;
}
