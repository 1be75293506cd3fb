import type { ToolCall, ToolDefinition } from "@toolglot/core";
import { checkOnceOptions, type OnceCallOptions } from "@toolglot/core/once";
import { checkKeys } from "@toolglot/internal";
import type { InputSchema, ValidatorFactory } from "@toolglot/schema";
import type { AnyToolFunction, CallOptions, ChunkMode, FunctionSchema, PostprocessFunction } from "../types.ts";
import type { ToolResponse } from "./response.ts";
import { runCall } from "./run.ts";

/** Everything a toolkit knows of one tool. */
export class RegisteredToolFunction {
  /** What a model is shown; `name`, `description` and schema as registered. */
  readonly definition: ToolDefinition;
  /** The tool's own name. */
  readonly originalName: string;
  readonly groupName: string;
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
  /** The finish function before it was extended. */
  readonly unextended?: RegisteredToolFunction | undefined;

  /** Made by `Toolkit.registerToolFunction`. */
  constructor(
    fields: Omit<RegisteredToolFunction, "name" | "presetNames" | "jsonSchema" | "withValidator" | "withOnce" | "call">,
  ) {
    this.definition = Object.freeze(fields.definition);
    this.originalName = fields.originalName;
    this.groupName = fields.groupName;
    this.execute = fields.execute;
    this.schema = fields.schema;
    this.presets = fields.presets;
    this.presetNames = Object.keys(fields.presets);
    this.postprocess = fields.postprocess;
    this.timeoutMs = fields.timeoutMs;
    this.retries = fields.retries;
    this.chunks = fields.chunks;
    this.extendedModel = fields.extendedModel;
    this.unextended = fields.unextended;
    if (fields.once !== undefined) this.once = fields.once;
  }

  /** Returns the same tool on another JSON Schema engine. */
  withValidator(validator: ValidatorFactory): RegisteredToolFunction {
    return new RegisteredToolFunction({ ...this, schema: this.schema.withValidator(validator) });
  }

  /** Returns the same tool, whose calls happen once. */
  withOnce(once: OnceCallOptions): RegisteredToolFunction {
    checkOnceOptions("withOnce", once, 'key:function effect:"opaque"|"idempotent" probe:function');
    return new RegisteredToolFunction({ ...this, once });
  }

  get name(): string {
    return this.definition.name;
  }

  /** The tool in OpenAI's function shape. A new object each time. */
  get jsonSchema(): FunctionSchema {
    const { name, description, inputSchema } = this.definition;
    return { type: "function", function: { name, description, parameters: structuredClone(inputSchema) } };
  }

  /**
   * Calls the tool, whether its group is active or not, and without the toolkit's middleware. Input is validated,
   * presets win. The call ends with exactly one final response.
   */
  call(
    options: Pick<CallOptions, "signal" | "onError"> & { arguments: unknown; callId?: string },
  ): AsyncGenerator<ToolResponse, void, undefined> {
    checkKeys("call", options, 'signal:signal onError:"throw"|"respond" arguments:any callId:string');
    const { arguments: input, callId = `${this.name}-call`, ...rest } = options;
    const call: ToolCall = { id: callId, name: this.name, input, protocol: "toolkit" };
    return runCall(this, call, rest);
  }
}
