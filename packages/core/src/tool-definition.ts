import type { JsonSchema, JsonSchemaObject } from "./json.ts";

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

/** Where the tools of the moment come from: a toolkit, or whatever else changes its tools over time. */
export interface ToolSource {
  /** Returns the tools there are now. The same array as long as nothing has changed. */
  definitions(): readonly ToolDefinition[];
  /** Calls back after a change of {@link ToolSource.definitions}, once for changes that come together; returns what ends that. */
  onChange?(listener: () => void): () => void;
  /** Returns what a model is to know of these tools as a whole; undefined when there is nothing to say. It may come from servers. */
  instructions?(): string | undefined;
}

/** A call to show to the model: as input, or ready-made as code lines, with its output. */
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

/** Whether the host is to be asked before this tool runs: `requiresApproval`, else `destructiveHint`, else false. */
export function requiresApproval(tool: ToolDefinition): boolean {
  const { requiresApproval: asked, destructiveHint } = tool.annotations ?? {};
  return asked ?? destructiveHint ?? false;
}
