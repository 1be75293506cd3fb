import type { McpHttpTransport } from "../../src/mcp/index.ts";

/** A JSON-RPC message. */
export interface RawMessage {
  id?: number | string;
  method?: string;
  // biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to look at
  params?: any;
  result?: unknown;
}

/** What a raw server does with a message: gives a result, an error, or a whole response. */
type Answer = { result: unknown } | { error: { code: number; message: string; data?: unknown } } | Response | undefined;

/** A server behind Streamable HTTP without sessions, in this process, that answers as the test says. */
export interface RawServer {
  transport: McpHttpTransport;
  /** What came, in order. */
  messages: RawMessage[];
  methods(): string[];
}

export function rawServer(
  answer: (message: RawMessage, init: RequestInit) => Answer | Promise<Answer>,
  options: Partial<McpHttpTransport> = {},
): RawServer {
  const messages: RawMessage[] = [];
  const fetch = async (_url: string | URL, init: RequestInit = {}): Promise<Response> => {
    if (init.method !== "POST") return new Response(null, { status: 405 });
    const message = JSON.parse(String(init.body)) as RawMessage;
    messages.push(message);
    const given = await answer(message, init);
    if (given instanceof Response) return given;
    if (message.id === undefined || given === undefined) return new Response(null, { status: 202 });
    return Response.json({ jsonrpc: "2.0", id: message.id, ...given });
  };
  return {
    transport: { type: "http", url: "http://raw.test/mcp", fetch, ...options },
    messages,
    methods: () => messages.flatMap(({ method }) => method ?? []),
  };
}

export const unknownMethod: Answer = { error: { code: -32601, message: "Method not found" } };

/** The answer to `initialize`, in the revision that was offered or another. */
export function greeting(message: RawMessage, revision?: string, more: Record<string, unknown> = {}): Answer {
  return {
    result: {
      protocolVersion: revision ?? message.params.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "raw", version: "1" },
      ...more,
    },
  };
}

/** A server of the old kind with these tools, each of which answers with its name. */
export function oldServer(tools: unknown[], revision?: string, options: Partial<McpHttpTransport> = {}): RawServer {
  return rawServer((message) => {
    if (message.method === "initialize") return greeting(message, revision);
    if (message.method === "tools/list") return { result: { tools } };
    if (message.method === "tools/call") return { result: { content: [{ type: "text", text: message.params.name }] } };
    return unknownMethod;
  }, options);
}
