import type { JsonObject, Message } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { unauthorised } from "./authorization.ts";
import type { Asked } from "./call-error.ts";
import { checkOptions } from "./check-options.ts";
import { KeptConnection } from "./kept-connection.ts";
import { loadClientModule } from "./load-client.ts";
import type { McpClientOptions } from "./options.ts";
import { answerOf, promptOf, promptsOf, resourceOf, resourcesOf, resourceTemplatesOf } from "./server-offer.ts";
import { taskIn } from "./task-result.ts";
import { followTask, type TaskConnection } from "./tasks.ts";
import { finishAuthorization } from "./transports.ts";
import type {
  McpCallOptions,
  McpCallRequest,
  McpCallResult,
  McpClient,
  McpListedTool,
  McpPrompt,
  McpResource,
  McpResourceContents,
  McpResourceTemplate,
  McpTask,
} from "./types.ts";

/**
 * Creates a client of one MCP server, over stdio, Streamable HTTP or a transport of your own. Needs `@modelcontextprotocol/client`.
 * Nothing is started before the first use. When the server is gone or has forgotten the session, it is connected once more,
 * and the call is sent again if it can't have run, or may run twice. Throws `TypeError` for wrong options.
 *
 * @example
 * ```ts
 * const client = createMcpClient({
 *   name: "files",
 *   transport: { type: "stdio", command: process.execPath, args: [server] },
 * });
 * ```
 */
export function createMcpClient(options: McpClientOptions): McpClient {
  checkOptions(options);
  return new HealingClient(options);
}

class HealingClient implements McpClient {
  readonly name: string;
  readonly stateful: boolean;
  readonly exact: boolean;
  readonly #options: McpClientOptions;
  readonly #listeners = new Set<() => void>();
  readonly #notified = new Set<(method: string, params: JsonObject) => void>();
  readonly #ended = new Set<() => void>();
  readonly #kept: KeptConnection;

  constructor(options: McpClientOptions) {
    this.#options = options;
    this.name = options.name;
    this.stateful = options.stateful ?? true;
    this.exact = options.exact ?? false;
    this.#kept = new KeptConnection(options, this.stateful, {
      onToolsChanged: () => {
        for (const listener of [...this.#listeners]) listener();
      },
      onNotification: (method, params) => {
        for (const listener of [...this.#notified]) listener(method, params);
      },
      onEnded: () => {
        for (const listener of [...this.#ended]) listener();
      },
    });
  }

  get connected(): boolean {
    return this.#kept.usable;
  }

  get revision(): string | undefined {
    return this.#kept.facts.revision;
  }

  get instructions(): string | undefined {
    return this.#options.instructions === false ? undefined : this.#kept.facts.instructions;
  }

  get capabilities(): readonly string[] {
    const all = this.#kept.facts.capabilities;
    return this.#options.resources === false ? all.filter((one) => one !== "resources") : all;
  }

  connect(): Promise<void> {
    return this.#kept.connect();
  }

  listTools(): Promise<McpListedTool[]> {
    return this.#kept.list((connection) => connection.listTools());
  }

  listResources(): Promise<McpResource[]> {
    return this.#kept.list(resourcesOf);
  }

  listResourceTemplates(): Promise<McpResourceTemplate[]> {
    return this.#kept.list(resourceTemplatesOf);
  }

  readResource(uri: string, options: Pick<McpCallOptions, "signal" | "ask"> = {}): Promise<McpResourceContents[]> {
    checkKeys("readResource", options, "signal:signal ask:function");
    const reads = { what: `the reading of ${JSON.stringify(uri)}`, repeatable: true, readOnly: true };
    return this.#kept.settle(reads, (connection) => resourceOf(connection, uri, options));
  }

  listPrompts(): Promise<McpPrompt[]> {
    return this.#kept.list(promptsOf);
  }

  getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: Pick<McpCallOptions, "signal" | "ask"> = {},
  ): Promise<Message[]> {
    checkKeys("getPrompt", options, "signal:signal ask:function");
    const reads = { what: `the prompt ${JSON.stringify(name)}`, repeatable: true, readOnly: true };
    return this.#kept.settle(reads, (connection) => promptOf(connection, name, args, options));
  }

  async finishAuth(code: string | URLSearchParams): Promise<void> {
    const sdk = await loadClientModule();
    const { memory } = this.#kept;
    try {
      await finishAuthorization(sdk, this.#options, memory.waiting, code);
      delete memory.waiting;
    } catch (error) {
      if (error instanceof TypeError) throw error;
      throw unauthorised(this.name, undefined, error);
    }
  }

  async callTool(request: McpCallRequest, options: McpCallOptions = {}): Promise<McpCallResult> {
    checkKeys(
      "callTool",
      options,
      "signal:signal onProgress:function timeoutMs:number isExecution:boolean ask:function person:text onTask:function",
    );
    const result = await this.#kept.settle(askedBy(request), (connection) => connection.callTool(request, options));
    const task = this.#options.tasks ? taskIn(result) : undefined;
    if (task === undefined) return result;
    await options.onTask?.(task);
    return this.#follow(task, askedBy(request), options);
  }

  followTask(
    task: McpTask,
    request: Pick<McpCallRequest, "name" | "repeatable">,
    options: Pick<McpCallOptions, "signal" | "ask"> = {},
  ): Promise<McpCallResult> {
    checkKeys("followTask", options, "signal:signal ask:function");
    return this.#follow(task, askedBy(request), options);
  }

  #follow(task: McpTask, call: Asked, options: Pick<McpCallOptions, "signal" | "ask">): Promise<McpCallResult> {
    const connection: TaskConnection = {
      name: this.name,
      closed: () => this.#kept.closed,
      request: (method, params) => this.request(method, params),
      answer: (asked) => this.#kept.once((connection) => connection.answer(asked, options)),
    };
    return followTask(connection, call, task, options);
  }

  request(
    method: string,
    params?: JsonObject,
    options: Pick<McpCallOptions, "signal" | "ask" | "person"> = {},
  ): Promise<JsonObject> {
    checkKeys("request", options, "signal:signal ask:function person:text");
    const asks = { what: `the request ${method}`, repeatable: true, readOnly: true };
    return this.#kept.settle(asks, (connection) => answerOf(connection, method, params, options));
  }

  onToolsChanged(listener: () => void): () => void {
    return listen(this.#listeners, () => listener());
  }

  onNotification(listener: (method: string, params: JsonObject) => void): () => void {
    return listen(this.#notified, (method, params) => listener(method, params));
  }

  onEnded(listener: () => void): () => void {
    return listen(this.#ended, () => listener());
  }

  close(): Promise<void> {
    return this.#kept.close();
  }
}

function askedBy({
  name,
  repeatable,
  readOnly = false,
}: Pick<McpCallRequest, "name" | "repeatable" | "readOnly">): Asked {
  return { what: `the call of the tool ${JSON.stringify(name)}`, repeatable, readOnly };
}

/** Adds an entry, which is its own also when the same function listens twice. Returns what removes it. */
function listen<Listener>(listeners: Set<Listener>, entry: Listener): () => void {
  listeners.add(entry);
  return () => void listeners.delete(entry);
}
