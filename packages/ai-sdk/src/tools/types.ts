import type { ContentBlock, ToolDefinition, ToolErrorInfo, ToolSource } from "@toolglot/core";

/** The part of a tool of the AI SDK that is read and written, in ai 6 and ai 7 alike. */
export interface AiSdkTool {
  type?: string;
  description?: string;
  title?: string;
  // biome-ignore lint/suspicious/noExplicitAny: schemas of zod, of Standard Schema, of `jsonSchema()`.
  inputSchema: any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  outputSchema?: any;
  // biome-ignore lint/suspicious/noExplicitAny: the tool's own input.
  execute?(input: any, options: any): any;
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  needsApproval?: boolean | ((input: any, options: any) => boolean | PromiseLike<boolean>);
  // biome-ignore lint/suspicious/noExplicitAny: as above.
  toModelOutput?(options: any): any;
}

/** Tools of the AI SDK, by name: its `ToolSet`, whichever version it is of. */
// biome-ignore lint/suspicious/noExplicitAny: the types of two versions, of which the user has one.
export type AiSdkToolSet = Record<string, any>;

/** The part of a `Toolkit` of `@toolglot/toolkit` that this package needs. */
export interface ToolkitLike extends ToolSource {
  readonly registered: ReadonlyMap<string, { readonly definition: ToolDefinition }>;
  prepareCall(call: ToolkitCall): PreparedCall | Promise<PreparedCall>;
  callToolFunction(call: ToolkitCall, options?: { signal?: AbortSignal }): AsyncIterable<ToolkitResponse>;
}

/** Whether a call can be made. */
export interface PreparedCall {
  ok: boolean;
  error?: ToolErrorInfo;
}

export interface ToolkitCall {
  id: string;
  name: string;
  input: unknown;
  protocol: string;
}

export interface ToolkitResponse {
  readonly status: string;
  readonly content: ContentBlock[];
  readonly data: unknown;
  readonly error: ToolErrorInfo | undefined;
  readonly isLast: boolean;
}

/** Output of a tool for the AI SDK: content for the model, and the value as data, when there is one. */
export interface ToolOutput {
  content: ContentBlock[];
  data?: unknown;
}

/** Mark of the AI SDK on schemas: one that has its mark is taken as it is. */
export const schemaMark: unique symbol = Symbol.for("vercel.ai.schema") as never;

/** Key under which a tool for the AI SDK keeps the tool that it was made of. */
export const originMark: unique symbol = Symbol.for("toolglot.ai-sdk.origin") as never;
