import type { ToolDefinition, ToolErrorInfo } from "@toolglot/core";
import type { OnceCallOptions } from "@toolglot/core/once";
import type { InputSchema } from "@toolglot/schema";
import type { AnyToolFunction, CallInfo, ChunkMode, PostprocessFunction } from "../types.ts";
import type { ToolResponse } from "./response.ts";

/** The part of a registered tool that a call of it needs. */
export interface CallableTool {
  readonly name: string;
  readonly definition: ToolDefinition;
  readonly execute: AnyToolFunction;
  readonly schema: InputSchema;
  readonly presets: Readonly<Record<string, unknown>>;
  /** Names of the presets, in order. */
  readonly presetNames: readonly string[];
  readonly postprocess: PostprocessFunction | undefined;
  readonly timeoutMs: number | undefined;
  readonly retries: number;
  readonly chunks: ChunkMode;
  /** The model of a finish function's structured output, which is part of its schema. */
  readonly extendedModel?: InputSchema | undefined;
  /** What makes its calls happen once. */
  readonly once?: OnceCallOptions | undefined;
}

/** The responses of a call. The last one is final. */
export type Responses = AsyncGenerator<ToolResponse, void, undefined>;

/** A call that may run, or why it may not. */
export type PreparedCall<Tool> =
  | {
      ok: true;
      tool: Tool;
      /** What the tool gets: validated, with defaults and presets. */
      input: unknown;
      /** What the model asked for, without what it can't set. */
      asked: unknown;
      metadata: Record<string, unknown> | undefined;
      /** Of a finish function: the part for its extended model, validated. `input` holds the rest. */
      structuredOutput?: unknown;
    }
  | { ok: false; error: ToolErrorInfo; metadata?: Record<string, unknown> | undefined };

/** {@link CallInfo}, while the call writes it. */
export interface CallRecord extends CallInfo {
  attempts: number;
  readonly thrown: { error: unknown; time: number }[];
}
