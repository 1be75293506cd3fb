import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { isLong } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { Toolkit } from "../../src/index.ts";
import { final, texts } from "../support.ts";
import { inProcess, listed } from "./in-process.ts";
import { greeting, type RawMessage, rawServer, unknownMethod } from "./raw-http.ts";
import { clientOf, makeLedger, scratch } from "./support.ts";

const tools = [
  listed("dump", { annotations: { readOnlyHint: true } }),
  listed("write"),
  listed("small", { annotations: { readOnlyHint: true } }),
];
const maxBufferSize = 50_000;
const cure = /more than 50000 bytes, which is what the option maxBufferSize takes/;

/** Calls that are answered with too much end in an error that says so; the others go on. */
async function tour(kit: Toolkit): Promise<void> {
  const read = await final(kit, { name: "dump" });
  expect(read).toMatchObject({ status: "error", error: { type: "McpError" } });
  expect(read.error?.message).toMatch(cure);
  expect(texts([await final(kit, { name: "small" })])).toEqual(["small"]);
  const write = await final(kit, { name: "write" });
  expect(write).toMatchObject({ status: "error", error: { type: "InDoubt" } });
  expect(write.error?.message).toMatch(cure);
  expect(texts([await final(kit, { name: "small" })])).toEqual(["small"]);
}

describe("a message that is longer than the client takes", () => {
  it("over stdio ends its process, and the next call has a new one", async () => {
    const ledger = makeLedger();
    const file = join(scratch(), "large.mjs");
    writeFileSync(
      file,
      `import { appendFileSync } from "node:fs";
appendFileSync(process.env.LEDGER, "start\\n");
const { createInterface } = await import("node:readline");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  const out = (result) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, result }) + "\\n");
  if (method === "initialize") out({ protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } });
  else if (method === "tools/list") out({ tools: ${JSON.stringify(tools)} });
  else if (method === "tools/call") {
    appendFileSync(process.env.LEDGER, params.name + "\\n");
    out({ content: [{ type: "text", text: params.name === "small" ? "small" : "x".repeat(200_000) }] });
  } else if (id !== undefined) process.stdout.write(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "?" } }) + "\\n");
});`,
    );
    const transport = { type: "stdio" as const, command: process.execPath, args: [file], env: { LEDGER: ledger.path } };
    const kit = new Toolkit();
    await kit.registerMcpClient(clientOf({ name: "large", transport, maxBufferSize }));
    await tour(kit);
    expect(ledger.lines()).toEqual(["start", "dump", "start", "small", "write", "start", "small"]);
  });

  it.each(["application/json", "text/event-stream"])("over HTTP as %s is read no further", async (type) => {
    let sent = 0;
    let calls = 0;
    const server = rawServer((message) => {
      if (message.method === "initialize") return greeting(message);
      if (message.method === "tools/list") return { result: { tools } };
      if (message.method !== "tools/call") return unknownMethod;
      calls += 1;
      if (message.params.name === "small") return { result: { content: [{ type: "text", text: "small" }] } };
      sent = 0;
      const start = `{"jsonrpc":"2.0","id":${message.id},"result":{"content":[{"type":"text","text":"`;
      const chunk = new TextEncoder().encode("x".repeat(10_000));
      const body = new ReadableStream<Uint8Array>({
        start: (controller) =>
          controller.enqueue(new TextEncoder().encode(type === "application/json" ? start : `data: ${start}`)),
        // Without end.
        pull: (controller) => {
          sent += chunk.length;
          controller.enqueue(chunk);
        },
      });
      return new Response(body, { headers: { "content-type": type } });
    });
    const kit = new Toolkit();
    await kit.registerMcpClient(clientOf({ name: "large", transport: server.transport, maxBufferSize }));
    await tour(kit);
    expect(sent).toBeLessThan(2 * maxBufferSize);
    expect(calls).toBe(4);
  });

  it("is one event, not a stream of many", async () => {
    const progress = (id: unknown, n: number): string =>
      `data: ${JSON.stringify({ jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: id, progress: n, message: "x".repeat(500) } })}\r\n\r\n`;
    const server = rawServer((message: RawMessage) => {
      if (message.method === "initialize") return greeting(message);
      if (message.method === "tools/list") return { result: { tools } };
      if (message.method !== "tools/call") return unknownMethod;
      const end = `data: ${JSON.stringify({ jsonrpc: "2.0", id: message.id, result: { content: [{ type: "text", text: "end" }] } })}\n\n`;
      const text = Array.from({ length: 500 }, (_, n) => progress(message.id, n)).join("") + end;
      return new Response(text, { headers: { "content-type": "text/event-stream" } });
    });
    const kit = new Toolkit();
    await kit.registerMcpClient(clientOf({ name: "long", transport: server.transport, maxBufferSize }));
    expect(texts([await final(kit, { name: "small" })])).toEqual(["end"]);
  });

  it("is an error while connecting, too", async () => {
    const server = rawServer((message) => greeting(message, undefined, { instructions: "x".repeat(maxBufferSize) }));
    const client = clientOf({ name: "large", transport: server.transport, maxBufferSize, revision: "legacy" });
    await expect(client.connect()).rejects.toThrow(cure);
  });
});

describe("lists", () => {
  it("that never end are given up after 64 pages, and cost their own server only", async () => {
    let pages = 0;
    const server = rawServer((message) => {
      if (message.method === "initialize") return greeting(message);
      if (message.method !== "tools/list") return unknownMethod;
      pages += 1;
      return { result: { tools: [listed(`t${pages}`)], nextCursor: `p${pages}` } };
    });
    const kit = new Toolkit();
    await kit.registerMcpClient(inProcess([listed("a")]).client);
    await expect(
      kit.registerMcpClient(clientOf({ name: "endless", transport: server.transport })),
    ).rejects.toMatchObject({ code: "toolkit/mcp-connection", message: expect.stringContaining("64") });
    expect(pages).toBe(64);
    expect([...kit.registered.keys()]).toEqual(["a"]);
  });

  it("have 10,000 tools at most; that there are more is reported", async () => {
    const server = rawServer((message) => {
      if (message.method === "initialize") return greeting(message);
      if (message.method !== "tools/list") return unknownMethod;
      const from = Number(message.params?.cursor ?? 0);
      const page = Array.from({ length: 4000 }, (_, n) => listed(`t${from + n}`));
      return { result: { tools: page, ...(from < 8000 && { nextCursor: String(from + 4000) }) } };
    });
    const client = clientOf({ name: "many", transport: server.transport });
    const all = await client.listTools();
    expect(all.filter(({ unusable }) => unusable === undefined)).toHaveLength(10_000);
    expect(all.at(-1)).toMatchObject({ name: "t10000", unusable: expect.stringContaining("more than 10000 tools") });
    // Registering them is a matter of the toolkit; it takes a while.
    const enableTools = isLong ? undefined : ["t0", "t10000"];
    const kit = new Toolkit();
    const warnings = await kit.registerMcpClient(client, enableTools ? { enableTools } : {});
    expect(warnings).toEqual([
      expect.stringMatching(/^The tool "t10000" .* is left out: the list has more than 10000/),
    ]);
    expect(kit.registered.size).toBe(enableTools ? 1 : 10_000);
  });
});
