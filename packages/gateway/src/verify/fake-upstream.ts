import type { JsonObject } from "@toolglot/core";
import { isObject, wildcardTest } from "@toolglot/internal";
import { createMcpClient, type McpClient, type McpTransportFactory } from "@toolglot/toolkit/mcp";
import type { ServerConfig } from "../config/config-types.ts";

type Transport = Awaited<ReturnType<McpTransportFactory>>;
type Message = Parameters<Transport["send"]>[0];

/** Tools that stand for all that a server may have: what they say of themselves decides about risk and effect. */
const usual: Readonly<Record<string, JsonObject>> = {
  verify_read: { readOnlyHint: true },
  verify_write: {},
  verify_add: { destructiveHint: false },
};

const inputSchema: JsonObject = {
  type: "object",
  properties: { id: { type: "string" }, note: { type: "string" } },
};

/**
 * An MCP server in this process in place of a configured one. It has tools of its own, and those that the configuration names, so that
 * what is said of them holds here. It notes each call that it runs.
 */
export class FakeUpstream {
  readonly name: string;
  readonly ran: { tool: string; arguments: JsonObject }[] = [];
  /** The next call is run, and its reply is lost with the connection. */
  losesReply = false;
  readonly #tools: readonly JsonObject[];

  constructor({ name, settings }: Pick<ServerConfig, "name" | "settings">) {
    this.name = name;
    const patterns = [...(settings.allow ?? []), ...Object.keys(settings.tools)];
    const named = patterns.map((pattern) => pattern.replaceAll("*", "verify").replaceAll("?", "x"));
    const names = new Set([...Object.keys(usual), ...named]);
    const isAllowed = settings.allow?.map(wildcardTest);
    this.#tools = [...names]
      .filter((tool) => isAllowed?.some((test) => test(tool)) !== false)
      .map((tool) => ({
        name: tool,
        description: "A tool of the check.",
        inputSchema,
        annotations: usual[tool] ?? {},
      }));
  }

  /** A client that is connected to it. */
  client(): McpClient {
    return createMcpClient({
      name: this.name,
      transport: () => new FakeTransport((message, transport) => this.#answer(message, transport)),
      exact: true,
      revision: "legacy",
    });
  }

  #answer({ id, method, params = {} }: Request, transport: FakeTransport): void {
    // Notifications want no answer.
    if (id === undefined) return;
    const answer = (outcome: object): void => transport.receive({ jsonrpc: "2.0", id, ...outcome } as Message);
    const reply = (result: object): void => answer({ result });
    switch (method) {
      case "initialize": {
        const serverInfo = { name: this.name, version: "1" };
        reply({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo });
        break;
      }
      case "tools/list":
        reply({ tools: this.#tools });
        break;
      case "tools/call":
        this.#run(params);
        if (this.losesReply) {
          this.losesReply = false;
          void transport.close();
        } else reply({ content: [{ type: "text", text: `ran ${params.name}` }] });
        break;
      case "ping":
        reply({});
        break;
      default:
        answer({ error: { code: -32601, message: "no such method" } });
    }
  }

  #run({ name, arguments: args }: JsonObject): void {
    this.ran.push({ tool: String(name), arguments: isObject(args) ? (args as JsonObject) : {} });
  }
}

interface Request {
  id?: string | number;
  method?: string;
  params?: JsonObject;
}

/** A transport to a server in this process. Messages come later, as over any other. */
class FakeTransport implements Transport {
  onclose?: (() => void) | undefined;
  onmessage?: Transport["onmessage"];
  readonly #answer: (message: Request, transport: FakeTransport) => void;
  #isOpen = true;

  constructor(answer: (message: Request, transport: FakeTransport) => void) {
    this.#answer = answer;
  }

  async start(): Promise<void> {}

  async send(message: Message): Promise<void> {
    queueMicrotask(() => {
      if (this.#isOpen) this.#answer(message as Request, this);
    });
  }

  receive(message: Message): void {
    queueMicrotask(() => {
      if (this.#isOpen) this.onmessage?.(message);
    });
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.onclose?.();
  }
}
