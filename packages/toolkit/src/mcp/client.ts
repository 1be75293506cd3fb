import { sanitizeErrorMessage, ToolError } from "@toolglot/core";
import { checkKeys, maxTimerMs } from "@toolglot/internal";
import { errorTypes, ToolkitError } from "../errors.ts";
import { type CallFault, Connection, messageOf } from "./connection.ts";
import type { McpClientOptions } from "./options.ts";
import type { McpCallOptions, McpCallRequest, McpCallResult, McpClient, McpListedTool } from "./types.ts";

/**
 * A client of one MCP server, over stdio, Streamable HTTP or a transport of your own. Needs `@modelcontextprotocol/client`.
 * Nothing is started before the first use. When the server is gone or has forgotten the session, it is connected once more,
 * and the call is sent again if it can't have run, or may run twice. Throws `TypeError` for wrong options.
 */
export function createMcpClient(options: McpClientOptions): McpClient {
  checkOptions(options);
  return new HealingClient(options);
}

class HealingClient implements McpClient {
  readonly name: string;
  readonly stateful: boolean;
  readonly #options: McpClientOptions;
  readonly #listeners = new Set<() => void>();
  /** All connections that are not closed yet: the current one, and those that are closing. */
  readonly #connections = new Set<Connection>();
  #current: Promise<Connection> | undefined;
  #usable: Connection | undefined;
  /** Aborted by `close`, for what is connecting. */
  #life = new AbortController();
  #closed = false;
  #wasConnected = false;

  constructor(options: McpClientOptions) {
    this.#options = options;
    this.name = options.name;
    this.stateful = options.stateful ?? true;
  }

  get connected(): boolean {
    return this.#usable?.usable === true;
  }

  async connect(): Promise<void> {
    if (this.#closed) {
      this.#closed = false;
      this.#life = new AbortController();
    }
    if (this.stateful) await this.#acquire();
  }

  async listTools(): Promise<McpListedTool[]> {
    for (let last = false; ; last = true) {
      const connection = await this.#acquire();
      try {
        return await connection.listTools();
      } catch (error) {
        const { fate, cause } = error as CallFault;
        if (fate === "unsent" || fate === "lost") this.#drop(connection);
        if (fate === "unclear" || fate === "refused" || last || this.#closed) throw this.#unreachable(cause);
      } finally {
        this.#release(connection);
      }
    }
  }

  async callTool(request: McpCallRequest, options: McpCallOptions = {}): Promise<McpCallResult> {
    /** Whether an earlier try may have had its effect. */
    let mayHaveRun = false;
    let reconnected = false;
    for (;;) {
      let connection: Connection;
      try {
        connection = await this.#acquire();
      } catch (error) {
        throw this.#callError(request, mayHaveRun ? "lost" : "unsent", error);
      }
      try {
        return await connection.callTool(request, options);
      } catch (error) {
        const { fate, cause } = error as CallFault;
        if (fate === "unsent") this.#drop(connection);
        const fails = (): ToolError => this.#callError(request, mayHaveRun && fate === "unsent" ? "lost" : fate, cause);
        if (this.#closed) throw fails();
        if (fate === "unsent" && !reconnected) {
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
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
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

  /** The connection to use: the current one, or a new one. Rejects with `ToolkitError`. */
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
    return await this.#current;
  }

  async #open(): Promise<Connection> {
    const { signal } = this.#life;
    try {
      const connection = await Connection.open(
        this.#options,
        { onToolsChanged: () => this.#reportChange(), onError: (error) => this.#options.onError?.(error) },
        signal,
      );
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

  /** A stateless session ends with its call. Nothing waits for that, because the answer is there. */
  #release(connection: Connection): void {
    if (!this.stateful) void this.#end(connection);
  }

  /** Not to be used again; calls that run on it may end. */
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

  /** The error for the model. */
  #callError(request: McpCallRequest, fate: CallFault["fate"], cause: unknown): ToolError {
    const server = `The MCP server ${JSON.stringify(this.name)}`;
    const call = `the call of the tool ${JSON.stringify(request.name)}`;
    // This message names the server in its own words, so it takes the cause of a connection's error.
    const detail = sanitizeErrorMessage(messageOf(ToolkitError.isInstance(cause) ? (cause.cause ?? cause) : cause));
    const fail = (type: string, message: string): ToolError => new ToolError(message, { cause, data: { type } });
    switch (fate) {
      case "aborted":
        return fail(errorTypes.interrupted, `${server}: ${call} was interrupted.`);
      case "refused":
        return fail(errorTypes.mcpError, `${server} refused ${call}: ${detail}`);
      case "unsent":
        return fail(errorTypes.serverUnavailable, `${server} is not available, so ${call} did not run: ${detail}`);
      default: {
        const what = fate === "lost" ? "was lost before it answered" : "gave no answer that can be read to";
        if (request.readOnly) return fail(errorTypes.serverUnavailable, `${server} ${what} ${call}: ${detail}`);
        const cure = request.repeatable ? "Calling it again does no harm." : "Find out before you call it again.";
        const doubt = `It is not known whether the call took effect. ${cure}`;
        return fail(errorTypes.inDoubt, `${server} ${what} ${call}: ${ended(detail)} ${doubt}`);
      }
    }
  }
}

/** As a sentence. */
function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function checkOptions(options: McpClientOptions): void {
  const wrong = (problem: string): never => {
    throw new TypeError(`createMcpClient ${problem}`);
  };
  checkKeys(
    "createMcpClient",
    options,
    "name transport stateful connectTimeoutMs clientOptions prepareClient onError",
    ["name", "transport"],
  );
  const { name, transport, connectTimeoutMs, stateful } = options;
  if (typeof name !== "string" || name === "") wrong("needs a name");
  if (stateful !== undefined && typeof stateful !== "boolean") wrong("takes stateful: true or false");
  if (connectTimeoutMs !== undefined && !(connectTimeoutMs > 0 && connectTimeoutMs <= maxTimerMs)) {
    wrong(`takes connectTimeoutMs from 1 to ${maxTimerMs}, not ${connectTimeoutMs}`);
  }
  if (typeof transport === "function") return;
  switch (transport?.type) {
    case "stdio":
      checkKeys("createMcpClient: transport", transport, "type command args env cwd onStderr");
      if (typeof transport.command !== "string" || transport.command === "") wrong("needs a command for stdio");
      if (transport.args !== undefined && !Array.isArray(transport.args)) wrong("takes args as an array of strings");
      return;
    case "http":
      checkKeys("createMcpClient: transport", transport, "type url headers fetch");
      if (!isHttpUrl(transport.url)) wrong(`needs a url that begins with http:// or https://, not ${transport.url}`);
      return;
    default:
      wrong('needs a transport: { type: "stdio", command }, { type: "http", url }, or a function that makes one');
  }
}

function isHttpUrl(url: string | URL): boolean {
  return URL.canParse(url) && /^https?:$/.test(new URL(url).protocol);
}
