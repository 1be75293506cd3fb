import type { Decision, ExecutorContext, Question, QuestionAnswer } from "./action.ts";
import type { JsonSchema, JsonSchemaObject } from "./json.ts";
import type { ContentBlock } from "./message.ts";
import type { Usage } from "./model.ts";
import type { Span } from "./span.ts";

/** Hints in MCP's words, and three of our own. Hints come from the tool's author, not from the model. */
export interface ToolAnnotations {
  title?: string;
  /** The tool changes nothing. A call whose value was repaired runs only when this is true. Default false. */
  readOnlyHint?: boolean;
  /** The change may destroy something. Default false here (MCP: true), so that approval is asked on purpose. */
  destructiveHint?: boolean;
  /** Calling again with the same input changes nothing more. Default false. */
  idempotentHint?: boolean;
  /** The tool reaches outside the host, for example the web. */
  openWorldHint?: boolean;
  /** Ask the host before each call. Default: the value of `destructiveHint`. */
  requiresApproval?: boolean;
  /** The call starts a task and returns `{ task_id }` at once. */
  async?: boolean;
  riskTier?: "LOW" | "MEDIUM" | "HIGH" | "CRITICAL";
}

/** What a model is shown of a tool. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the input, an object schema. */
  inputSchema: JsonSchemaObject;
  outputSchema?: JsonSchema;
  examples?: ToolExample[];
  raises?: ToolRaises[];
  annotations?: ToolAnnotations;
  /** The definition is a stranger's, as an MCP server's is: nothing in its schema may make validation take long. Default false. */
  untrusted?: boolean;
  /** Nobody here runs it: each call waits until its result comes from outside, as from a page or a person. Default false. */
  external?: boolean;
}

/** Where the tools of the moment come from: a toolkit, or whatever else changes its tools as time goes on. */
export interface ToolSource {
  /** The tools there are now. The same array as long as nothing has changed. */
  definitions(): readonly ToolDefinition[];
  /** Calls back after a change of what {@link ToolSource.definitions} gives, once for changes that come together; returns what ends that. */
  onChange?(listener: () => void): () => void;
  /** What a model is to know of these tools as a whole; undefined when there is nothing to say. It may come from servers. */
  instructions?(): string | undefined;
}

/** A call to show to the model: as input, or ready-made as code lines, with what it gives. */
export interface ToolExample {
  /** Rendered as a call in the protocol's own form. */
  input?: Record<string, unknown>;
  /** Lines of code shown as they stand, when `input` is not enough. */
  code?: string;
  /** What `code` is written in: other languages show `input` instead. Default `python`. */
  language?: "python" | "javascript";
  output?: unknown;
}

/** An error the tool can end in, for the `Raises:` part of a stub. */
export interface ToolRaises {
  type: string;
  description: string;
}

/** What a running tool gets besides its input. */
export interface ToolContext {
  /** Aborted when the call is cancelled or out of time. */
  signal: AbortSignal;
  callId: string;
  /** The run that the call belongs to. Not there outside a run. */
  runId?: string;
  /** Waits for a person: see `ExecutorContext`. The time counts to no limit. Not there where nobody measures the time. */
  wait?: ExecutorContext["wait"];
  /** For a tool that makes calls of other tools, as one that runs programs: the host's hooks around each of them. */
  hooked?: Pick<ExecutorContext, "hooks" | "runId" | "stepIndex">;
  /** Passes a server's question on to the host. The time counts to no limit. Not there where nobody can be asked. */
  ask?(question: Question): Promise<QuestionAnswer>;
  /**
   * Tells what the tool has used of models, as a tool does behind which an agent works: it counts to the sums and limits of the run. Several
   * times adds up. The result has the sum as `metadata.usage`. Not there where nobody counts.
   */
  report?(used: { usage?: Usage | undefined; cost?: number | undefined }): void;
  /** The host's answer, when the tool has asked for it: see `data.needs` of `ToolError`. */
  decision?: Decision;
  /** Tells who reads the outcome something that the value does not say. Not there where the value is all that is read. */
  note?(text: string): void;
}

/** A tool that can run. May return a value, a promise, or an async iterable of chunks. */
export interface Tool<Input = never> extends ToolDefinition {
  /**
   * `true`: `execute` holds its input against the schema by itself, and says what is wrong. Who runs the tool then gives it what the
   * model or the program wrote; else it is checked before.
   */
  readonly validatesInput?: boolean;
  execute(input: Input, context: ToolContext): unknown;
}

/** A tool whose input type does not matter to the holder. */
// biome-ignore lint/suspicious/noExplicitAny: input is contravariant; lists of tools must take every Tool<Input>.
export type AnyTool = Tool<any>;

/** A call as a model asked for it. */
export interface ToolCall {
  /** Unique in its run. */
  id: string;
  name: string;
  /** An object by contract; whatever the model wrote, when it wrote something else. */
  input: unknown;
  /** Where it stands in the model's text, for protocols that are text. */
  span?: Span;
  /** Id of the protocol that read it: `attp`, `native`. */
  protocol: string;
  /** Of the plan that the call is a step of, when it has one: for logs and traces. */
  requestId?: string;
}

/** How a call ended. Every call ends in exactly one of these. */
export type ToolStatus = "ok" | "error" | "interrupted" | "denied" | "pending" | "in-doubt";

/** What went wrong, in words made for the model. Never a host stack, path or secret. */
export interface ToolErrorInfo {
  /** Class name of the error, as `ToolError`, `Timeout`, `InvalidInput`. */
  type: string;
  message: string;
  /** Line in the model's code, starting at 1. */
  line?: number;
  /** Column in that line, starting at 1. */
  column?: number;
  sourceLine?: string;
  hint?: string;
  /** Every fault of the input, when the input did not fit. */
  issues?: InputIssue[];
}

/** One place where an input does not fit its schema. */
export interface InputIssue {
  /** As `items[2].price`; empty for the input as a whole. */
  path: string;
  expected: string;
  got: string;
  message: string;
}

/** A line a program printed. */
export interface LogEntry {
  stream: "stdout" | "stderr";
  text: string;
}

/** The one outcome of a call. */
export interface ToolResult {
  callId: string;
  /** Name of the tool, when the result is that of a single call. */
  name?: string;
  status: ToolStatus;
  content: ContentBlock[];
  /** The value as data, when there is one. */
  data?: unknown;
  error?: ToolErrorInfo;
  /** What a program printed, for code. */
  logs?: LogEntry[];
  /** Facts for the host: warnings, times, conversions. Not shown to the model. */
  metadata?: Record<string, unknown>;
}

/** Whether the host is to be asked before this tool runs: `requiresApproval`, else `destructiveHint`, else false. */
export function requiresApproval(tool: ToolDefinition): boolean {
  const { requiresApproval: asked, destructiveHint } = tool.annotations ?? {};
  return asked ?? destructiveHint ?? false;
}
