import type {
  AnyTool,
  ExecutorContext,
  JsonSchema,
  ToolAnnotations,
  ToolCall,
  ToolContext,
  ToolDefinition,
  ToolExample,
  ToolRaises,
} from "@toolglot/core";
import type { ArgsShorthand, InputSource, ValidatorFactory } from "@toolglot/schema";
import type { ToolResponse } from "./call/response.ts";

/**
 * The function of a tool. It may return a {@link ToolResponse}, a string, content blocks, JSON, or nothing; a promise of it; or a
 * generator of such chunks, sync or async, or a promise of one.
 */
export type ToolFunction<Input = Record<string, unknown>> = (input: Input, context: ToolContext) => unknown;

/** A function of any input. */
// biome-ignore lint/suspicious/noExplicitAny: input is contravariant; registration takes every ToolFunction<Input>.
export type AnyToolFunction = ToolFunction<any>;

/** Strategy for a name that is taken. `rename` appends `_1`, `_2`… */
export type NamesakeStrategy = "raise" | "override" | "skip" | "rename";

/** Way in which the chunks of a generator add up: each holds everything so far, or only what is new. */
export type ChunkMode = "cumulative" | "incremental";

/** Reads, and may replace, one chunk. `undefined` keeps it. Runs once per chunk. */
export type PostprocessFunction = (
  call: ToolCall,
  response: ToolResponse,
) => ToolResponse | undefined | Promise<ToolResponse | undefined>;

/** A function as OpenAI describes it, and as AgentScope lists it. */
export interface FunctionSchema {
  type: "function";
  function: {
    name: string;
    description: string;
    /** JSON Schema of an object. */
    parameters: Record<string, unknown>;
  };
}

/** Options for registering a tool. */
export interface RegisterOptions {
  /** Shown to the model instead of the tool's own name, which stays as `originalName`. */
  name?: string;
  /** Default `basic`. */
  groupName?: string;
  /** Arguments the model neither sees nor can set; they always win. Any values, not only JSON. */
  presets?: Readonly<Record<string, unknown>>;
  /** Replaces the tool's own; a plain function needs one. */
  description?: string;
  /** Whether the description's paragraphs after the first are shown. Default true. */
  includeLongDescription?: boolean;
  /** The input schema by hand: in OpenAI's function shape, or a JSON Schema of an object. */
  jsonSchema?: Readonly<Record<string, unknown>>;
  /**
   * Whether the model may give parameters that the schema doesn't name: they are shown as `additionalProperties`, and
   * passed on. A JSON Schema limits what they may be. Default false: as the schema itself has it.
   */
  includeRest?: JsonSchema;
  /** Default `raise`. */
  namesakeStrategy?: NamesakeStrategy;
  postprocess?: PostprocessFunction;
  /** Milliseconds one attempt may take. Default: no limit. */
  timeoutMs?: number;
  /** Extra attempts after a fault; for tools with `idempotentHint` or `readOnlyHint` only. Default 0. */
  retries?: number;
  /** Default `cumulative`. */
  chunks?: ChunkMode;
}

/** Options for registering a plain function, which carries no schema. */
export interface RegisterFunctionOptions extends RegisterOptions {
  /** The input; or give `args`, or `jsonSchema`. Default: no parameters. */
  input?: InputSource;
  args?: ArgsShorthand;
  annotations?: ToolAnnotations;
  examples?: ToolExample[];
  raises?: ToolRaises[];
}

/** Options of one call. */
export interface CallOptions {
  /** Aborts the call: the tool's signal is aborted, and the call ends as interrupted, whether the tool reacts or not. */
  signal?: AbortSignal;
  /** What follows the final error response when the tool threw: nothing, or the error. Default `respond`. */
  onError?: "respond" | "throw";
  /** Number of the plan's step that the call is: for middleware and traces. */
  step?: number;
  /** The run that the call belongs to: the tool gets it in its context. */
  runId?: string;
  /** How the tool waits for a person, so that the time counts to no limit: that of an executor's context. */
  wait?: ExecutorContext["wait"];
  /** For a tool that makes calls of its own: the hooks of an executor's context around them. */
  hooked?: ToolContext["hooked"];
  /** How a server that runs the tool asks a person: see `ToolContext`. */
  ask?: ToolContext["ask"];
  /**
   * Middleware of this call alone: inside the span of a trace, outside all other middleware. It may call `next` again to run the tool
   * again.
   */
  around?: ToolMiddleware;
}

/** Facts of a call besides the call itself. */
export interface CallInfo {
  /** The tool that the call names, active or not; undefined when there is none of that name. */
  readonly tool: ToolDefinition | undefined;
  /** Number of the plan's step that the call is. */
  readonly step: number | undefined;
  /** How to wait for a person without the time counting to a limit; undefined where nobody measures the time. */
  readonly wait?: ExecutorContext["wait"];
  /** How often the tool has been run for this call so far. */
  readonly attempts: number;
  /** What the tool has thrown so far, and when, in milliseconds since 1970. Another attempt may have followed. */
  readonly thrown: readonly { readonly error: unknown; readonly time: number }[];
}

/**
 * Wraps every call: it gets the call, `next`, which runs what is inside, and what is known of the call. It may read and change
 * responses, change the call (which is validated again), or answer without `next`. The last response it yields is the final one.
 */
export type ToolMiddleware = (
  call: ToolCall,
  next: (call?: ToolCall) => AsyncGenerator<ToolResponse, void, undefined>,
  about: CallInfo,
) => AsyncGenerator<ToolResponse, void, undefined> | AsyncIterable<ToolResponse>;

/** Content of a trace besides names, ids, status and errors. */
export interface TracingOptions {
  /** Whether the arguments are recorded as the model gave them, without presets. Default false. */
  recordInputs?: boolean;
  /** Whether the results of calls that ended well are recorded. Default false. */
  recordOutputs?: boolean;
  /** UTF-16 units of an argument or result that is recorded at most. Default 8,000. */
  maxChars?: number;
}

/** A call as {@link Toolkit.callToolFunction} takes it: a core `ToolCall`, or the parts of one. */
export interface ToolCallRequest {
  /** Default: made up. */
  id?: string;
  name: string;
  /** An object, or its JSON text. */
  input?: unknown;
  protocol?: string;
}

/** A named set of tools that is offered, or not. */
export interface ToolGroup {
  readonly name: string;
  readonly description: string;
  readonly active: boolean;
  /** Shown to the model when the group is activated. */
  readonly notes?: string;
}

/** Options for creating a group. */
export interface ToolGroupOptions {
  /** Shown to the model, which chooses groups by it. */
  description: string;
  /** Default false. */
  active?: boolean;
  /** Shown to the model when the group is activated. */
  notes?: string;
}

/** Options of a {@link Toolkit}. */
export interface ToolkitOptions {
  /**
   * What becomes of a call that looks damaged (`checkCall` of `@toolglot/core/check-call`). `refuse`: it does not run, and the model reads
   * why, unless its tool has `readOnlyHint`; a text that does end in a closing mark passes when it is sent a second time. `report`: it
   * runs. Whatever runs has its findings in `metadata.findings`. Default `refuse`.
   */
  checkCalls?: "refuse" | "report" | "off";
  /** Whether the first group brings the meta tool `reset_equipped_tools` with it. Default true. */
  metaTool?: boolean;
  /**
   * Makes an OpenTelemetry span of every call; an object sets what it records. The outermost middleware: see
   * `traceToolkit`. Default false.
   */
  tracing?: boolean | TracingOptions;
  /** The JSON Schema engine of all tools: `ajvValidator()` of `@toolglot/schema/ajv` is faster. Default: schema's own. */
  validator?: ValidatorFactory;
}

/** A tool or a function that can be registered. */
export type Registrable = AnyTool | AnyToolFunction;
