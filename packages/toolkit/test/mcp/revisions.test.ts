import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Transport } from "@modelcontextprotocol/client";
import { createMcpHandler, Server } from "@modelcontextprotocol/server";
import { sleep } from "@toolglot/internal";
import { describe, expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import type { McpClientOptions, McpHttpTransport } from "../../src/mcp/index.ts";
import { final, texts } from "../support.ts";
import { listed } from "./in-process.ts";
import { greeting, oldServer, type RawMessage, rawServer, unknownMethod } from "./raw-http.ts";
import { clientOf, makeLedger, scratch } from "./support.ts";

const older = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05", "2024-10-07"];

function newServer(): McpHttpTransport {
  const handler = createMcpHandler(
    () => {
      const server = new Server({ name: "new", version: "1.0.0" }, { capabilities: { tools: {} } });
      server.setRequestHandler("tools/list", () => ({ tools: [listed("a")] as never }));
      server.setRequestHandler("tools/call", ({ params }) => ({ content: [{ type: "text", text: params.name }] }));
      return server;
    },
    { legacy: "reject" },
  );
  const fetch: McpHttpTransport["fetch"] = async (url, init) => await handler.fetch(new Request(url, init));
  return { type: "http", url: "http://new.test/mcp", fetch };
}

async function called(options: McpClientOptions): Promise<[string | undefined, string[]]> {
  const client = clientOf(options);
  const kit = new Toolkit();
  await kit.registerMcpClient(client);
  return [client.revision, texts([await final(kit, { name: "a" })])];
}

describe("the revision of the protocol", () => {
  it("is the newest that a server has, without options", async () => {
    expect(await called({ name: "x", transport: newServer() })).toEqual(["2026-07-28", ["a"]]);
    expect(await called({ name: "x", transport: newServer(), revision: { pin: "2026-07-28" } })).toEqual([
      "2026-07-28",
      ["a"],
    ]);
    for (const revision of older) {
      const { transport } = oldServer([listed("a")], revision);
      expect(await called({ name: "x", transport })).toEqual([revision, ["a"]]);
    }
  });

  it("is asked for once: a server that has only older ones isn't asked again", async () => {
    const server = oldServer([listed("a")]);
    const client = clientOf({ name: "x", transport: server.transport, stateful: false });
    await client.listTools();
    await client.listTools();
    await client.listTools();
    expect(server.methods().filter((method) => method === "server/discover")).toHaveLength(1);
    expect(server.methods().filter((method) => method === "initialize")).toHaveLength(3);
  });

  it("is asked for again when a server says that it has the newest by now", async () => {
    const before = oldServer([listed("a")]);
    const after = newServer();
    let isNew = false;
    const fetch: McpHttpTransport["fetch"] = async (url, init) =>
      (await (isNew ? after : before.transport).fetch?.(url, init)) as Response;
    const client = clientOf({ name: "x", transport: { ...after, fetch }, stateful: false });
    await client.listTools();
    expect(client.revision).toBe("2025-11-25");
    isNew = true;
    expect((await client.listTools()).map(({ name }) => name)).toEqual(["a"]);
    expect(client.revision).toBe("2026-07-28");
  });

  it("is found of a server that answers too late which ones it has, and that is no fault to report", async () => {
    const faults: string[] = [];
    const sent: RawMessage[] = [];
    let receive: ((message: never) => void) | undefined;
    // As the official client knows one of a process.
    const process = { pid: null, stderr: null };
    const transport: Transport = {
      ...process,
      start: async () => {},
      close: async () => {},
      set onmessage(listener: Transport["onmessage"]) {
        receive = listener as typeof receive;
      },
      async send(message) {
        const asked = message as unknown as RawMessage;
        sent.push(asked);
        if (asked.id === undefined) return;
        const answer = asked.method === "initialize" ? greeting(asked) : unknownMethod;
        const late = asked.method === "server/discover" ? 200 : 0;
        setTimeout(() => receive?.({ jsonrpc: "2.0", id: asked.id, ...(answer as object) } as never), late);
      },
    };
    const client = clientOf({
      name: "x",
      transport: () => transport,
      connectTimeoutMs: 200,
      onError: ({ message }) => faults.push(message),
    });
    await client.connect();
    expect(client.revision).toBe("2025-11-25");
    expect(sent[0]?.method).toBe("server/discover");
    await sleep(250);
    expect(faults).toEqual([]);
    // Any other answer that nobody waits for is one.
    receive?.({ jsonrpc: "2.0", id: 77, result: {} } as never);
    expect(faults).toEqual([expect.stringContaining("unknown message ID")]);
  });

  it("is an older one when told so", async () => {
    const server = oldServer([listed("a")]);
    await called({ name: "x", transport: server.transport, revision: "legacy" });
    expect(server.methods()).not.toContain("server/discover");
    const pinned = oldServer([listed("a")]);
    expect(await called({ name: "x", transport: pinned.transport, revision: { pin: "2025-03-26" } })).toEqual([
      "2025-03-26",
      ["a"],
    ]);
    expect(pinned.messages[0]).toMatchObject({ method: "initialize", params: { protocolVersion: "2025-03-26" } });
  });

  it.each<[string, Partial<McpClientOptions>, string[], (message: RawMessage) => ReturnType<typeof greeting>]>([
    ["says so to the first question", {}, ["2027-01-01"], () => refusal(["2027-01-01"])],
    ["says so with HTTP 400", {}, ["2027-01-01"], () => Response.json(refusal(["2027-01-01"]), { status: 400 })],
    ["says so to initialize", { revision: "legacy" }, ["1999-12-31"], () => refusal(["1999-12-31"], -32602)],
    ["answers in one of its own", { revision: { pin: "2025-06-18" } }, ["1999-12-31"], oldest],
    ["answers in one of its own to everybody", {}, ["1999-12-31"], oldest],
  ])("that a server lacks is told with those of both sides: it %s", async (_case, options, theirs, answer) => {
    const server = rawServer(answer);
    const error = await clientOf({ name: "x", transport: server.transport, ...options })
      .connect()
      .catch((thrown: unknown) => thrown);
    const ours = options.revision === "legacy" ? older : options.revision ? ["2025-06-18"] : ["2026-07-28", ...older];
    expect(error).toMatchObject({ code: "toolkit/mcp-connection", data: { name: "x", ours, theirs } });
    expect((error as Error).message).toContain(`it has ${theirs.join(", ")}; wanted is ${ours.join(", ")}`);
  });

  it("that is pinned is never left", async () => {
    const server = oldServer([listed("a")]);
    const client = clientOf({ name: "x", transport: server.transport, revision: { pin: "2026-07-28" } });
    await expect(client.connect()).rejects.toMatchObject({ code: "toolkit/mcp-connection" });
    expect(server.methods()).not.toContain("initialize");
  });

  it("is found of a server that fails at the first question", async () => {
    const { transport } = rawServer((message) => {
      if (message.method === "initialize") return greeting(message);
      if (message.method === "tools/list") return { result: { tools: [listed("a")] } };
      if (message.method === "tools/call") return { result: { content: [{ type: "text", text: "a" }] } };
      return message.id === undefined ? undefined : new Response("<h1>Oh</h1>", { status: 500 });
    });
    expect(await called({ name: "x", transport })).toEqual(["2025-11-25", ["a"]]);
  });

  it("is found of a process that dies of the first question, which is started again only once", async () => {
    const ledger = makeLedger();
    const file = join(scratch(), "strict.mjs");
    writeFileSync(
      file,
      `import { appendFileSync } from "node:fs";
appendFileSync(process.env.LEDGER, "start\\n");
const { createInterface } = await import("node:readline");
let greeted = false;
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (!greeted && method !== "initialize") process.exit(1);
  greeted = true;
  const out = (result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  if (method === "initialize") out({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  if (method === "tools/list") out({ tools: [{ name: "a", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }] });
  if (method === "tools/call") out({ content: [{ type: "text", text: String(process.pid) }] });
});`,
    );
    const transport = { type: "stdio" as const, command: process.execPath, args: [file], env: { LEDGER: ledger.path } };
    const client = clientOf({ name: "x", transport });
    const kit = new Toolkit();
    await kit.registerMcpClient(client);
    expect([client.revision, ledger.count("start")]).toEqual(["2025-11-25", 2]);
    process.kill(Number(texts([await final(kit, { name: "a" })])[0]), "SIGKILL");
    expect(await final(kit, { name: "a" })).toMatchObject({ status: "ok" });
    expect(ledger.count("start")).toBe(3);
  });
});

describe("HTTP with SSE", () => {
  it.each([400, 404, 405])("is tried when the first POST is answered with %s", async (status) => {
    const server = sseServer(status);
    expect(await called({ name: "x", transport: server.transport })).toEqual(["2025-11-25", ["a"]]);
    expect(server.streams()).toBe(1);
  });

  it("is not tried when it is forbidden, nor for other answers", async () => {
    const forbidden = sseServer(405, { fallback: false });
    await expect(clientOf({ name: "x", transport: forbidden.transport }).connect()).rejects.toThrow(/HTTP 405/);
    const other = sseServer(403);
    await expect(clientOf({ name: "x", transport: other.transport }).connect()).rejects.toThrow(/HTTP 403/);
    expect([forbidden.streams(), other.streams()]).toEqual([0, 0]);
  });

  it("is given up when it says nothing, and what the server said first stands", async () => {
    const fetch: McpHttpTransport["fetch"] = async (_url, init) => {
      if (init?.method === "POST") return new Response("no", { status: 404 });
      return new Response(new ReadableStream(), { headers: { "content-type": "text/event-stream" } });
    };
    const transport: McpHttpTransport = { type: "http", url: "http://mute.test/", fetch };
    const client = clientOf({ name: "x", transport, connectTimeoutMs: 50 });
    await expect(client.connect()).rejects.toThrow(/HTTP 404/);
    const closing = clientOf({ name: "y", transport });
    const connecting = closing.connect();
    setTimeout(() => void closing.close(), 100);
    await expect(connecting).rejects.toThrow(/closed/);
  });

  it("opens a new session when the stream breaks off, and does not double a call", async () => {
    const server = sseServer(405);
    const client = clientOf({ name: "x", transport: server.transport });
    const kit = new Toolkit();
    await kit.registerMcpClient(client);
    const cut = final(kit, { name: "cut" });
    expect(await cut).toMatchObject({ error: { type: "InDoubt" } });
    expect(await final(kit, { name: "a" })).toMatchObject({ status: "ok" });
    expect([server.streams(), server.calls()]).toEqual([2, ["cut", "a"]]);
  });
});

function refusal(supported: string[], code = -32022): { error: { code: number; message: string; data: unknown } } {
  return { error: { code, message: "Unsupported protocol version", data: { supported, requested: "x" } } };
}

function oldest(message: RawMessage): ReturnType<typeof greeting> {
  return message.method === "initialize" ? greeting(message, "1999-12-31") : unknownMethod;
}

/** A server of the old transport, in this process: answers come on the one stream. Calls of `cut` end it. */
function sseServer(
  status: number,
  more: Partial<McpHttpTransport> = {},
): { transport: McpHttpTransport; streams(): number; calls(): string[] } {
  let streams = 0;
  const calls: string[] = [];
  let writer: ReadableStreamDefaultController<Uint8Array> | undefined;
  const send = (event: string, data: string): void =>
    writer?.enqueue(new TextEncoder().encode(`event: ${event}\ndata: ${data}\n\n`));
  const fetch: McpHttpTransport["fetch"] = async (url, init) => {
    const { pathname } = new URL(url);
    if (init?.method !== "POST") {
      streams += 1;
      const body = new ReadableStream<Uint8Array>({
        start(controller) {
          writer = controller;
          send("endpoint", "/messages");
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    }
    if (pathname !== "/messages") return new Response("no", { status });
    const { id, method, params } = JSON.parse(String(init.body)) as RawMessage;
    const out = (result: unknown): void => send("message", JSON.stringify({ jsonrpc: "2.0", id, result }));
    if (method === "initialize")
      out({
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "s", version: "1" },
      });
    if (method === "tools/list") out({ tools: [listed("a"), listed("cut")] });
    if (method === "tools/call") {
      calls.push(params.name);
      if (params.name === "cut") writer?.close();
      else out({ content: [{ type: "text", text: params.name }] });
    }
    return new Response("Accepted", { status: 202 });
  };
  const transport: McpHttpTransport = { type: "http", url: "http://sse.test/sse", fetch, ...more };
  return { transport, streams: () => streams, calls: () => calls };
}
