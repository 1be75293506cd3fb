import type { JsonObject, Message, Question, QuestionAnswer, ToolContext } from "@toolglot/core";
import type { McpTool } from "../formats/provider-tools.ts";
import type { NamesakeStrategy, PostprocessFunction } from "../types.ts";

/** A tool as a server lists it, with what MCP adds to the shape that is shared with `toMcpTools`. */
export interface McpListedTool extends McpTool {
  /** `taskSupport: "required"`: can't be called without MCP's tasks, and is not registered. */
  execution?: { taskSupport?: string };
  /** Why the tool can't be used: then it is not registered. */
  unusable?: string;
  /** Fields of its description that could not be read, and were left out. */
  notes?: readonly string[];
  /** With the option `exact`: the tool as the server sent it, whatever it holds. */
  sent?: JsonObject;
}

/** One block of a tool's answer, as MCP has it. */
export type McpContentBlock =
  | { type: "text"; text: string }
  | { type: "image" | "audio"; data: string; mimeType: string }
  | { type: "resource_link"; uri: string; name?: string; title?: string; mimeType?: string }
  | { type: "resource"; resource: { uri: string; mimeType?: string; text?: string; blob?: string } };

/** A tool's answer, as MCP has it. */
export interface McpCallResult {
  content?: readonly (McpContentBlock | { type: string })[];
  /** Any JSON value. */
  structuredContent?: unknown;
  /** The tool ran, or read its input, and failed. */
  isError?: boolean;
  _meta?: JsonObject;
  /** What the client has to say of the call: questions of the server that nobody answered. */
  notes?: readonly string[];
}

/** A progress notification. */
export interface McpProgress {
  progress: number;
  total?: number;
  message?: string;
}

/** One call of a tool of a server. */
export interface McpCallRequest {
  /** The tool's name at the server. */
  name: string;
  arguments: Readonly<Record<string, unknown>>;
  /**
   * Whether calling twice harms nothing (`readOnlyHint` or `idempotentHint`). Otherwise a call that may have reached the
   * server is never sent again.
   */
  repeatable: boolean;
  /** Whether the tool changes nothing, so that nothing is in doubt when its answer is lost. Default false. */
  readOnly?: boolean;
  /** The input schema as listed; servers of the newest protocol may want parts of the input in HTTP headers. */
  inputSchema?: McpTool["inputSchema"];
  /** Goes to the server as `_meta`, beside what the client sends in it. */
  meta?: JsonObject;
}

/** Options of a call. */
export interface McpCallOptions {
  signal?: AbortSignal;
  onProgress?: (progress: McpProgress) => void;
  /** In place of the client's `callTimeoutMs`. */
  timeoutMs?: number;
  /** The call is the whole execution of a tool: where that has a span already, the call gets none of its own. Default false. */
  isExecution?: boolean;
  /** Answers what the server asks during the call, where the client was made with `elicitation`, `sampling` or `roots` of `"host"`. */
  ask?: ToolContext["ask"];
  /**
   * Whose answers `ask` brings. A server of an older revision need not say which call a question belongs to: it goes to the newest of those
   * that run, if all are of one person. Default: one person for each `ask`.
   */
  person?: string;
  /** Gets the task that the server makes of the call (option `tasks`), before it is followed. What it throws ends the call. */
  onTask?: (task: McpTask) => void | Promise<void>;
}

/** A task that a server makes of a call. */
export interface McpTask {
  taskId: string;
  /** Milliseconds from its beginning for which the server keeps it; null: it does not say. */
  ttlMs: number | null;
  /** How long to wait between two looks. Milliseconds. */
  pollIntervalMs?: number;
}

/** Answers a server's question. What it throws counts as `cancel`. */
export type QuestionCallback = (
  question: Question,
  context: { signal: AbortSignal },
) => QuestionAnswer | Promise<QuestionAnswer>;

/** A resource as a server lists it. */
export interface McpResource {
  uri: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
  /** Bytes. */
  size?: number;
}

/** Addresses of resources with gaps to fill in, as RFC 6570 has them. */
export interface McpResourceTemplate {
  uriTemplate: string;
  name: string;
  title?: string;
  description?: string;
  mimeType?: string;
}

/** Content behind an address, or a part of it: text, or base64. */
export interface McpResourceContents {
  uri: string;
  mimeType?: string;
  text?: string;
  blob?: string;
}

/** A prompt that a person may choose. */
export interface McpPrompt {
  name: string;
  title?: string;
  description?: string;
  arguments?: readonly { name: string; description?: string; required?: boolean }[];
}

/** A connection to one MCP server that heals itself. Made by `createMcpClient` of `@toolglot/toolkit/mcp`. */
export interface McpClient {
  /** What `removeMcpClients` knows it by. */
  readonly name: string;
  /** Whether one session serves all calls. */
  readonly stateful: boolean;
  /** Whether it returns answers and tools as the server sent them: the option. */
  readonly exact: boolean;
  /** Whether there is a session that can be used, as far as one knows. A stateless client has none between calls. */
  readonly connected: boolean;
  /** The revision of the protocol that is spoken, or was last: `2025-11-25`. Undefined before the first session. */
  readonly revision: string | undefined;
  /** The server's instructions for a model: a stranger's text, as last received. */
  readonly instructions: string | undefined;
  /**
   * What the server has, as MCP names it: `tools`, `resources`, `prompts`, `logging`, extensions; no `resources` where the options forbid
   * them. As last received.
   */
  readonly capabilities: readonly string[];
  /**
   * Connects now, or again after `close`; without it, the first use connects. Nothing happens yet when stateless. Rejects
   * with `ToolkitError`: `toolkit/mcp-missing`, `toolkit/mcp-unauthorised`, and `toolkit/mcp-connection`, which lists the
   * revisions of both sides where they have none in common.
   */
  connect(): Promise<void>;
  /** All tools of the server, all pages. Rejects as {@link McpClient.connect}. */
  listTools(): Promise<McpListedTool[]>;
  /**
   * Calls a tool. Rejects with a core `ToolError` made for the model; its `data.type` is `ServerUnavailable` (the call did
   * not run), `InDoubt` (it is not known whether it did), `McpError` (the server refused it) or `Interrupted`; its `data.code` is
   * the one of JSON-RPC that the server refused it with.
   */
  callTool(request: McpCallRequest, options?: McpCallOptions): Promise<McpCallResult>;
  /**
   * Goes on with a task that a call had become, as `onTask` got it: also in another process than the one that made the call, which is not made
   * again. Resolves and rejects as {@link McpClient.callTool}.
   */
  followTask(
    task: McpTask,
    request: Pick<McpCallRequest, "name" | "repeatable">,
    options?: Pick<McpCallOptions, "signal" | "ask">,
  ): Promise<McpCallResult>;
  /** All resources of the server; none where it has no such capability. Rejects as {@link McpClient.connect}. */
  listResources(): Promise<McpResource[]>;
  /** All templates of addresses. As {@link McpClient.listResources}. */
  listResourceTemplates(): Promise<McpResourceTemplate[]>;
  /** What stands behind an address. Rejects with a core `ToolError`, as {@link McpClient.callTool}. */
  readResource(uri: string, options?: Pick<McpCallOptions, "signal" | "ask">): Promise<McpResourceContents[]>;
  /** All prompts of the server; none where it has no such capability. Rejects as {@link McpClient.connect}. */
  listPrompts(): Promise<McpPrompt[]>;
  /** A prompt as messages with `trust: "untrusted"`. Rejects with a core `ToolError`, as {@link McpClient.callTool}. */
  getPrompt(
    name: string,
    args?: Readonly<Record<string, string>>,
    options?: Pick<McpCallOptions, "signal" | "ask">,
  ): Promise<Message[]>;
  /**
   * Goes on after `toolkit/mcp-unauthorised` with the code that the authorisation server gave, or with all parameters of its
   * redirection. Then connect, or register, again. Rejects with `toolkit/mcp-unauthorised` when it is refused.
   */
  finishAuth(code: string | URLSearchParams): Promise<void>;
  /**
   * Sends any other request, which must do no harm when it is sent twice: `resources/read`, `completion/complete`. Resolves with its
   * result: with the option `exact` as the server sent it, without `resultType`. Rejects as {@link McpClient.callTool}.
   */
  request(
    method: string,
    params?: JsonObject,
    options?: Pick<McpCallOptions, "signal" | "ask" | "person">,
  ): Promise<JsonObject>;
  /** Calls the listener when the tools may have changed: the server said so, or it was connected again. Returns a function that ends it. */
  onToolsChanged(listener: () => void): () => void;
  /**
   * Calls the listener with what else the server tells that belongs to no request: `notifications/resources/updated`,
   * `notifications/prompts/list_changed`. Returns a function that ends it.
   */
  onNotification(listener: (method: string, params: JsonObject) => void): () => void;
  /** Calls the listener when the server has ended the session: its process ended, its stream closed. Returns a function that ends it. */
  onEnded(listener: () => void): () => void;
  /** Ends the session and the server process, when there are any. Calls that run end in error. Never rejects. */
  close(): Promise<void>;
}

/** Changes of a client's tools when its server's list changed. Names as registered. */
export interface McpToolsChange {
  client: string;
  added: string[];
  removed: string[];
  /** Same name, other description, schema or hints. */
  changed: string[];
  /** What could not be done as asked. */
  warnings: string[];
}

/** Options for registering the tools of an MCP server. Names are the server's. */
export interface RegisterMcpOptions {
  /** Default `basic`; the group must exist. */
  groupName?: string;
  /** Only these tools. Default: all. */
  enableTools?: readonly string[];
  /** All but these tools. */
  disableTools?: readonly string[];
  /** Presets for each tool: arguments that the model neither sees nor can set. */
  presetsByTool?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  /** Reads, and may replace, each chunk of all these tools. */
  postprocess?: PostprocessFunction;
  /** `false`: the server's own result stands in `metadata.raw` as well. Default true. */
  wrapToolResult?: boolean;
  /** Default `raise`: then nothing is registered. */
  namesakeStrategy?: NamesakeStrategy;
  /** Milliseconds a call may take, with connecting and all. Default: no limit. */
  timeoutMs?: number;
  /** Called with what was registered and removed when the server's list changed. */
  onToolsChanged?: (change: McpToolsChange) => void;
}
