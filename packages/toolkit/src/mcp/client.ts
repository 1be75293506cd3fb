import type { JsonObject, Message, ToolError } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { ToolkitError } from "../errors.ts";
import { unauthorised } from "./authorization.ts";
import { type Asked, callError } from "./call-error.ts";
import { checkOptions } from "./check-options.ts";
import { type CallFault, Connection } from "./connection.ts";
import { messageOf } from "./fault-text.ts";
import { loadClientModule } from "./load-client.ts";
import type { McpClientOptions } from "./options.ts";
import { answerOf, promptOf, promptsOf, resourceOf, resourcesOf, resourceTemplatesOf } from "./server-offer.ts";
import type { SessionMemory } from "./session.ts";
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
  /** All connections that are not closed yet: the current one, and those that are closing. */
  readonly #connections = new Set<Connection>();
  #current: Promise<Connection> | undefined;
  #usable: Connection | undefined;
  /** Aborted by `close`, for what is connecting. */
  #life = new AbortController();
  #closed = false;
  #wasConnected = false;
  readonly #memory: SessionMemory = { era: "ask" };
  #facts: Connection["facts"] = { revision: undefined, instructions: undefined, capabilities: [] };

  constructor(options: McpClientOptions) {
    this.#options = options;
    this.name = options.name;
    this.stateful = options.stateful ?? true;
    this.exact = options.exact ?? false;
  }

  get connected(): boolean {
    return this.#usable?.usable === true;
  }

  get revision(): string | undefined {
    return this.#facts.revision;
  }

  get instructions(): string | undefined {
    return this.#options.instructions === false ? undefined : this.#facts.instructions;
  }

  get capabilities(): readonly string[] {
    const all = this.#facts.capabilities;
    return this.#options.resources === false ? all.filter((one) => one !== "resources") : all;
  }

  async connect(): Promise<void> {
    if (this.#closed) {
      this.#closed = false;
      this.#life = new AbortController();
    }
    if (this.stateful) await this.#acquire();
  }

  listTools(): Promise<McpListedTool[]> {
    return this.#list((connection) => connection.listTools());
  }

  listResources(): Promise<McpResource[]> {
    return this.#list(resourcesOf);
  }

  listResourceTemplates(): Promise<McpResourceTemplate[]> {
    return this.#list(resourceTemplatesOf);
  }

  readResource(uri: string, options: Pick<McpCallOptions, "signal" | "ask"> = {}): Promise<McpResourceContents[]> {
    checkKeys("readResource", options, "signal:signal ask:function");
    const reads = { what: `the reading of ${JSON.stringify(uri)}`, repeatable: true, readOnly: true };
    return this.#settle(reads, (connection) => resourceOf(connection, uri, options));
  }

  listPrompts(): Promise<McpPrompt[]> {
    return this.#list(promptsOf);
  }

  getPrompt(
    name: string,
    args: Readonly<Record<string, string>> = {},
    options: Pick<McpCallOptions, "signal" | "ask"> = {},
  ): Promise<Message[]> {
    checkKeys("getPrompt", options, "signal:signal ask:function");
    const reads = { what: `the prompt ${JSON.stringify(name)}`, repeatable: true, readOnly: true };
    return this.#settle(reads, (connection) => promptOf(connection, name, args, options));
  }

  async finishAuth(code: string | URLSearchParams): Promise<void> {
    const sdk = await loadClientModule();
    try {
      await finishAuthorization(sdk, this.#options, this.#memory.waiting, code);
      delete this.#memory.waiting;
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
    const result = await this.#settle(askedBy(request), (connection) => connection.callTool(request, options));
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
      closed: () => this.#closed,
      request: (method, params) => this.request(method, params),
      answer: async (asked) => {
        const connection = await this.#acquire();
        try {
          return await connection.answer(asked, options);
        } finally {
          this.#release(connection);
        }
      },
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
    return this.#settle(asks, (connection) => answerOf(connection, method, params, options));
  }

  /** Resolves with a list; asked for again, once, when the connection was gone. */
  async #list<Value>(ask: (connection: Connection) => Promise<Value>): Promise<Value> {
    for (let last = false; ; last = true) {
      const connection = await this.#acquire();
      try {
        return await ask(connection);
      } catch (error) {
        const { fate, cause } = error as CallFault;
        const isGone = fate === "unsent" || fate === "lost";
        if (isGone || fate === "too-large") this.#drop(connection);
        if (fate === "unauthorised") throw this.#refusal(connection, cause);
        if (!isGone || last || this.#closed) throw this.#unreachable(cause);
      } finally {
        this.#release(connection);
      }
    }
  }

  /** Resolves with the answer of one request; it is sent again when it can't have run, or may run twice. */
  async #settle<Value>(request: Asked, send: (connection: Connection) => Promise<Value>): Promise<Value> {
    /** Whether an earlier try may have had its effect. */
    let mayHaveRun = false;
    let reconnected = false;
    for (;;) {
      let connection: Connection;
      try {
        connection = await this.#acquire();
      } catch (error) {
        const isRefused = ToolkitError.isInstance(error) && error.code === "toolkit/mcp-unauthorised";
        if (isRefused) this.#options.onError?.(error);
        throw callError(this.name, request, mayHaveRun ? "lost" : isRefused ? "unauthorised" : "unsent", error);
      }
      try {
        return await send(connection);
      } catch (error) {
        const { fate, cause } = error as CallFault;
        if (fate === "unsent" || fate === "too-large") this.#drop(connection);
        if (fate === "unauthorised") this.#options.onError?.(this.#refusal(connection, cause));
        const fails = (): ToolError =>
          callError(this.name, request, mayHaveRun && fate === "unsent" ? "lost" : fate, cause);
        if (this.#closed) throw fails();
        const isAgain = !reconnected && (fate === "unsent" || (fate === "refused" && request.repeatable));
        if (isAgain && (fate === "unsent" || (await this.#forgot(connection)))) {
          reconnected = true;
        } else if (fate === "lost" && request.repeatable && !mayHaveRun) {
          mayHaveRun = true;
        } else {
          throw fails();
        }
      } finally {
        this.#release(connection);
      }
    }
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

  async close(): Promise<void> {
    this.#closed = true;
    this.#life.abort(new Error("the client was closed"));
    // What is still connecting sees the signal, and leaves nothing behind.
    await this.#current?.catch(() => {});
    this.#current = undefined;
    this.#usable = undefined;
    await Promise.all([...this.#connections].map((connection) => this.#end(connection)));
  }

  /** Resolves with the connection to use: the current one, or a new one. Rejects with `ToolkitError`. */
  async #acquire(): Promise<Connection> {
    if (this.#closed) {
      const message = `The MCP client ${JSON.stringify(this.name)} is closed: connect() opens it again`;
      throw new ToolkitError("toolkit/mcp-connection", message, { name: this.name });
    }
    if (!this.stateful) return await this.#open();
    if (this.#usable !== undefined && !this.#usable.usable) this.#drop(this.#usable);
    this.#current ??= this.#open().then(
      (connection) => {
        this.#usable = connection;
        if (this.#wasConnected) queueMicrotask(() => this.#reportChange());
        this.#wasConnected = true;
        return connection;
      },
      (error: unknown) => {
        this.#current = undefined;
        throw error;
      },
    );
    const connection = await this.#current;
    return (await this.#forgot(connection)) ? await this.#acquire() : connection;
  }

  /** Checks whether the server has forgotten the session: then it is given up. */
  async #forgot(connection: Connection): Promise<boolean> {
    if (await connection.isKnown()) return false;
    this.#drop(connection);
    return true;
  }

  async #open(): Promise<Connection> {
    const { signal } = this.#life;
    try {
      const connection = await Connection.open(
        this.#options,
        {
          onToolsChanged: () => this.#reportChange(),
          onNotification: (method, params) => {
            for (const listener of [...this.#notified]) listener(method, params);
          },
          onEnded: () => {
            for (const listener of [...this.#ended]) listener();
          },
          onError: (error) => this.#options.onError?.(error),
        },
        signal,
        this.#memory,
      );
      this.#facts = connection.facts;
      this.#connections.add(connection);
      if (signal.aborted) {
        await this.#end(connection);
        throw signal.reason;
      }
      return connection;
    } catch (error) {
      throw ToolkitError.isInstance(error) ? error : this.#unreachable(error);
    }
  }

  /** Ends a stateless session with its call. Nothing waits for that, because the answer is there. */
  #release(connection: Connection): void {
    if (!this.stateful) void this.#end(connection);
  }

  /** Drops a connection: it is not used again; calls that run on it may end. */
  #drop(connection: Connection): void {
    if (this.#usable === connection) {
      this.#usable = undefined;
      this.#current = undefined;
    }
    void connection.retire().then(() => this.#connections.delete(connection));
  }

  async #end(connection: Connection): Promise<void> {
    await connection.close();
    this.#connections.delete(connection);
  }

  #reportChange(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  #unreachable(cause: unknown): ToolkitError {
    const message = `The MCP server ${JSON.stringify(this.name)} can't be used: ${messageOf(cause)}`;
    const error = new ToolkitError("toolkit/mcp-connection", message, { name: this.name });
    error.cause = cause;
    return error;
  }

  /** Returns the error of a session that had been authorised, or needed not to be. */
  #refusal({ transport }: Connection, cause: unknown): ToolkitError {
    this.#memory.waiting = transport;
    return unauthorised(this.name, this.#memory.authorizationUrl, cause);
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
