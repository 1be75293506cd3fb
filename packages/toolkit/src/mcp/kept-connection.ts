import type { ToolError } from "@toolglot/core";
import { ToolkitError } from "../errors.ts";
import { unauthorised } from "./authorization.ts";
import { type Asked, callError } from "./call-error.ts";
import { Connection } from "./connection.ts";
import type { CallFault } from "./delivery.ts";
import { messageOf } from "./fault-text.ts";
import type { McpClientOptions } from "./options.ts";
import type { ConnectionEvents } from "./prepare-client.ts";
import type { SessionMemory } from "./session.ts";

/**
 * The connection to one server, made when it is needed, and once more when the server is gone or has forgotten the session. Without
 * state, each request has its own.
 */
export class KeptConnection {
  readonly memory: SessionMemory = { era: "ask" };
  /** What the server said of itself when it was last connected. */
  facts: Connection["facts"] = { revision: undefined, instructions: undefined, capabilities: [] };
  closed = false;
  readonly #options: McpClientOptions;
  readonly #events: Omit<ConnectionEvents, "onError">;
  readonly #stateful: boolean;
  /** All connections that are not closed yet: the current one, and those that are closing. */
  readonly #connections = new Set<Connection>();
  #current: Promise<Connection> | undefined;
  #usable: Connection | undefined;
  /** Aborted by `close`, for what is connecting. */
  #life = new AbortController();
  #wasConnected = false;

  constructor(options: McpClientOptions, stateful: boolean, events: Omit<ConnectionEvents, "onError">) {
    this.#options = options;
    this.#stateful = stateful;
    this.#events = events;
  }

  get usable(): boolean {
    return this.#usable?.usable === true;
  }

  /** Connects; after `close`, anew. */
  async connect(): Promise<void> {
    if (this.closed) {
      this.closed = false;
      this.#life = new AbortController();
    }
    if (this.#stateful) await this.#acquire();
  }

  /** Resolves with a list; asked for again, once, when the connection was gone. */
  async list<Value>(ask: (connection: Connection) => Promise<Value>): Promise<Value> {
    for (let last = false; ; last = true) {
      const connection = await this.#acquire();
      try {
        return await ask(connection);
      } catch (error) {
        const { fate, cause } = error as CallFault;
        const isGone = fate === "unsent" || fate === "lost";
        if (isGone || fate === "too-large") this.#drop(connection);
        if (fate === "unauthorised") throw this.#refusal(connection, cause);
        if (!isGone || last || this.closed) throw this.#unreachable(cause);
      } finally {
        this.#release(connection);
      }
    }
  }

  /** Resolves with the answer of one request; it is sent again when it can't have run, or may run twice. */
  async settle<Value>(request: Asked, send: (connection: Connection) => Promise<Value>): Promise<Value> {
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
        throw callError(
          this.#options.name,
          request,
          mayHaveRun ? "lost" : isRefused ? "unauthorised" : "unsent",
          error,
        );
      }
      try {
        return await send(connection);
      } catch (error) {
        const { fate, cause } = error as CallFault;
        if (fate === "unsent" || fate === "too-large") this.#drop(connection);
        if (fate === "unauthorised") this.#options.onError?.(this.#refusal(connection, cause));
        const fails = (): ToolError =>
          callError(this.#options.name, request, mayHaveRun && fate === "unsent" ? "lost" : fate, cause);
        if (this.closed) throw fails();
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

  /** Resolves with the answer to one message, on a connection of which nothing is known afterwards. */
  async once<Value>(send: (connection: Connection) => Promise<Value>): Promise<Value> {
    const connection = await this.#acquire();
    try {
      return await send(connection);
    } finally {
      this.#release(connection);
    }
  }

  async close(): Promise<void> {
    this.closed = true;
    this.#life.abort(new Error("the client was closed"));
    // What is still connecting sees the signal, and leaves nothing behind.
    await this.#current?.catch(() => {});
    this.#current = undefined;
    this.#usable = undefined;
    await Promise.all([...this.#connections].map((connection) => this.#end(connection)));
  }

  /** Resolves with the connection to use: the current one, or a new one. Rejects with `ToolkitError`. */
  async #acquire(): Promise<Connection> {
    if (this.closed) {
      const message = `The MCP client ${JSON.stringify(this.#options.name)} is closed: connect() opens it again`;
      throw new ToolkitError("toolkit/mcp-connection", message, { name: this.#options.name });
    }
    if (!this.#stateful) return await this.#open();
    if (this.#usable !== undefined && !this.#usable.usable) this.#drop(this.#usable);
    this.#current ??= this.#open().then(
      (connection) => {
        this.#usable = connection;
        if (this.#wasConnected) queueMicrotask(() => this.#events.onToolsChanged());
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
        { ...this.#events, onError: (error) => this.#options.onError?.(error) },
        signal,
        this.memory,
      );
      this.facts = connection.facts;
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
    if (!this.#stateful) void this.#end(connection);
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

  #unreachable(cause: unknown): ToolkitError {
    const message = `The MCP server ${JSON.stringify(this.#options.name)} can't be used: ${messageOf(cause)}`;
    const error = new ToolkitError("toolkit/mcp-connection", message, { name: this.#options.name });
    error.cause = cause;
    return error;
  }

  /** Returns the error of a session that had been authorised, or needed not to be. */
  #refusal({ transport }: Connection, cause: unknown): ToolkitError {
    this.memory.waiting = transport;
    return unauthorised(this.#options.name, this.memory.authorizationUrl, cause);
  }
}
