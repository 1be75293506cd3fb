import type { Client, JsonSchemaValidator, Tool, Transport } from "@modelcontextprotocol/client";
import { maxTimerMs, onAbort, sleep } from "@toolglot/internal";
import { Deliveries, Delivery, type Fate, fateOf } from "./delivery.ts";
import { type ClientModule, loadClientModule } from "./load-client.ts";
import type { McpClientOptions } from "./options.ts";
import type { McpCallOptions, McpCallRequest, McpCallResult, McpListedTool } from "./types.ts";

/**
 * An answer is taken as it came, also when it doesn't fit the tool's `outputSchema`. The client's own engine would run the
 * server's patterns on it, and one like `^(a+)+$` holds up the process.
 */
const noCheck = {
  getValidator: <Value>(): JsonSchemaValidator<Value> => {
    return (input) => ({ valid: true, data: input as Value, errorMessage: undefined });
  },
};

type StdioModule = typeof import("./stdio-transport.ts");

/** What a call that has no answer ended in. */
export class CallFault extends Error {
  readonly fate: Fate;

  constructor(fate: Fate, cause: unknown) {
    super("the call has no answer", { cause });
    this.fate = fate;
  }
}

/** What a connection reports besides answers. */
export interface ConnectionEvents {
  onToolsChanged(): void;
  onError(error: Error): void;
}

/** One session with a server, from its start to its end. */
export class Connection {
  readonly #sdk: ClientModule;
  readonly #client: Client;
  readonly #transport: Transport;
  readonly #deliveries = new Deliveries();
  readonly #timeoutMs: number;
  #users = 0;
  #ended = false;
  #retired = false;
  #closing: Promise<void> | undefined;
  /** Called when no call runs any more. */
  readonly #idle: (() => void)[] = [];

  private constructor(sdk: ClientModule, client: Client, transport: Transport, timeoutMs: number) {
    this.#sdk = sdk;
    this.#client = client;
    this.#transport = transport;
    this.#timeoutMs = timeoutMs;
    this.#deliveries.watch(transport);
  }

  /** Starts or reaches the server, and greets it. Rejects with what went wrong, and leaves nothing running. */
  static async open(options: McpClientOptions, events: ConnectionEvents, signal: AbortSignal): Promise<Connection> {
    const timeoutMs = options.connectTimeoutMs ?? 30_000;
    const sdk = await loadClientModule();
    const { transport, said } = await makeTransport(sdk, options.transport);
    const tools = { onChanged: () => events.onToolsChanged(), autoRefresh: false, debounceMs: 0 };
    const clientOptions = { jsonSchemaValidator: noCheck, ...options.clientOptions, listChanged: { tools } };
    const client = new sdk.Client({ name: "toolglot", version: "1.0.0" }, clientOptions);
    options.prepareClient?.(client);
    const connection = new Connection(sdk, client, transport, timeoutMs);
    const { onclose, onerror } = client;
    client.onclose = () => {
      connection.#ended = true;
      onclose?.();
    };
    client.onerror = (error) => {
      onerror?.(error);
      // Progress that came together with its answer: the delivery has it already.
      if (!error.message.startsWith("Received a progress notification for an unknown token")) events.onError(error);
    };
    // Servers may send this without having announced it.
    client.setNotificationHandler("notifications/tools/list_changed", () => events.onToolsChanged());
    try {
      signal.throwIfAborted(); // before a process is started
      await client.connect(transport, { timeout: timeoutMs, signal });
    } catch (error) {
      await transport.close().catch(() => {});
      throw new Error(`${messageOf(error)}${said()}`, { cause: error });
    }
    return connection;
  }

  /** Whether it can still be used, as far as is known. */
  get usable(): boolean {
    return !this.#ended && !this.#retired;
  }

  /** Rejects with a {@link CallFault}. */
  async listTools(): Promise<McpListedTool[]> {
    return await this.#use(async () => {
      if (this.#client.getServerCapabilities()?.tools === undefined) return [];
      // The caches of the official client are not wanted: what it holds, it validates answers with, and throws them away.
      const { tools } = await this.#client.listTools(undefined, { timeout: this.#timeoutMs, cacheMode: "bypass" });
      return tools as McpListedTool[];
    }).catch((error: unknown) => {
      const asIfSent = new Delivery(() => {});
      asIfSent.handedOver = true;
      throw new CallFault(fateOf(error, this.#sdk, asIfSent), error);
    });
  }

  /** Rejects with a {@link CallFault}. */
  async callTool(request: McpCallRequest, options: McpCallOptions): Promise<McpCallResult> {
    const { signal, onProgress } = options;
    if (signal?.aborted) throw new CallFault("aborted", signal.reason);
    const ending = new AbortController();
    const stopListening = onAbort(signal, () => ending.abort(signal?.reason));
    const cut = (): void => ending.abort("the stream ended before the answer came");
    const delivery = new Delivery(cut, onProgress);
    const args = { ...request.arguments };
    this.#deliveries.open(args, delivery);
    try {
      return await this.#use(async () => {
        const result = await this.#client.callTool(
          { name: request.name, arguments: args },
          {
            signal: ending.signal,
            // The toolkit has timeouts of its own.
            timeout: maxTimerMs,
            // Without an output schema: an answer that doesn't fit it would be thrown away, though the tool has run.
            toolDefinition: { name: request.name, inputSchema: request.inputSchema ?? { type: "object" } } as Tool,
            // Asks for progress, which the delivery receives.
            ...(onProgress !== undefined && { onprogress: () => {} }),
          },
        );
        return result as McpCallResult;
      });
    } catch (error) {
      if (signal?.aborted) throw new CallFault("aborted", signal.reason);
      throw new CallFault(fateOf(error, this.#sdk, delivery), error);
    } finally {
      stopListening();
      this.#deliveries.close(delivery);
    }
  }

  /** No new calls; closes, and resolves, when the last of those that run has ended. */
  retire(): Promise<void> {
    this.#retired = true;
    if (this.#users === 0) return this.close();
    return new Promise((resolve) => {
      this.#idle.push(() => resolve(this.close()));
    });
  }

  /** Ends the session, and the server if it is ours. Never rejects. */
  close(): Promise<void> {
    this.#retired = true;
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    if (!this.#ended && this.#transport instanceof this.#sdk.StreamableHTTPClientTransport) {
      const over = new AbortController();
      const end = (): void => over.abort();
      this.#transport.terminateSession().then(end, end);
      await sleep(1000, over.signal);
    }
    await this.#client.close().catch(() => {});
    await this.#transport.close().catch(() => {});
  }

  async #use<Value>(work: () => Promise<Value>): Promise<Value> {
    this.#users += 1;
    try {
      return await work();
    } finally {
      this.#users -= 1;
      if (this.#users === 0) for (const done of this.#idle.splice(0)) done();
    }
  }
}

async function makeTransport(
  sdk: ClientModule,
  config: McpClientOptions["transport"],
): Promise<{ transport: Transport; said(): string }> {
  if (typeof config === "function") return { transport: await config(), said: () => "" };
  if (config.type === "stdio") {
    // Bundlers for browsers put an empty module in its place.
    const { createStdioTransport } = (await import("./stdio-transport.ts")) as Partial<StdioModule>;
    if (createStdioTransport === undefined) throw new Error("stdio needs Node: use a transport of type http");
    const { transport, stderrTail } = await createStdioTransport(config);
    return { transport, said: () => (stderrTail() === "" ? "" : `. It wrote: ${stderrTail()}`) };
  }
  const { url, headers, fetch } = config;
  const transport = new sdk.StreamableHTTPClientTransport(new URL(url), {
    ...(headers !== undefined && { requestInit: { headers: { ...headers } } }),
    ...(fetch !== undefined && { fetch }),
  });
  return { transport, said: () => "" };
}

/** The message, and that of its cause, which is where `fetch` says what happened; of HTTP the status, not the page. */
export function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause, code, status, statusText } = error as Error &
    Partial<Record<"code" | "status" | "statusText", unknown>>;
  if (code === "INVALID_RESULT") return "it is no result as MCP has it"; // not every fault of every field
  if (typeof status === "number")
    return typeof statusText === "string" ? `HTTP ${status} ${statusText}` : `HTTP ${status}`;
  return cause instanceof Error && !error.message.includes(cause.message) && cause.message !== ""
    ? `${error.message}: ${cause.message}`
    : error.message;
}
