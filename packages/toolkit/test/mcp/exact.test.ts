import { ToolError } from "@toolglot/core";
import { expect, it } from "vitest";
import type { McpClientOptions } from "../../src/mcp/index.ts";
import type { McpClient } from "../../src/mcp/types.ts";
import { greeting, type RawServer, rawServer, unknownMethod } from "./raw-http.ts";
import { clientOf, stdioClient, until } from "./support.ts";

const tool = { name: "write", inputSchema: { type: "object" }, unheard: 1, _meta: { x: 1 } };
const call = { name: "write", arguments: {}, repeatable: false };

/** A server that answers so, with plain JSON or with events. */
function serverOf(results: Record<string, unknown>, asEvents: boolean): RawServer {
  return rawServer((message) => {
    const { method = "", id } = message;
    if (method === "initialize") return greeting(message, "2025-11-25", { capabilities: { tools: {}, resources: {} } });
    const given = method === "tools/list" ? { tools: [tool] } : results[method];
    if (id === undefined || given === undefined) return unknownMethod;
    if (!asEvents) return { result: given };
    const data = JSON.stringify({ jsonrpc: "2.0", id, result: given });
    const headers = { "content-type": "text/event-stream" };
    return new Response(`event: message\nid: 1\ndata: ${data}\n\n`, { headers });
  });
}

function exactClient({ transport }: RawServer, options: Partial<McpClientOptions> = {}): McpClient {
  return clientOf({ name: "raw", transport, exact: true, revision: "legacy", ...options });
}

const odd = {
  content: [
    { type: "video", url: "u" },
    { type: "text", text: "t", more: null },
  ],
  structuredContent: [null],
  _meta: { a: { b: 1 } },
  unheard: true,
};

it.each([false, true])("gives answers and tools as they were sent, with events: %s", async (asEvents) => {
  const client = exactClient(serverOf({ "tools/call": odd }, asEvents));
  expect(await client.callTool(call)).toEqual(odd);
  expect(await client.listTools()).toMatchObject([{ name: "write", sent: tool }]);
});

it("without the option, what can't be read of an answer in an event is left out as anywhere else", async () => {
  const client = exactClient(serverOf({ "tools/call": odd }, true), { exact: false });
  const { content } = await client.callTool(call);
  expect(content).toMatchObject([
    { type: "text", text: expect.stringContaining('"video"') },
    { type: "text", text: "t" },
  ]);
});

it.each([
  [{ content: "words" }, { content: [{ type: "text", text: "words" }] }],
  [
    { content: [], isError: "true", x: 1 },
    { content: [], isError: true, x: 1 },
  ],
  [
    { content: [], _meta: null, x: 1 },
    { content: [], x: 1 },
  ],
])("mends only what can't be read as an answer: %j", async (sent, expected) => {
  expect(await exactClient(serverOf({ "tools/call": sent }, false)).callTool(call)).toEqual(expected);
});

it("takes from no server what stands for an answer as it was sent", async () => {
  const forged = { ...odd, _meta: { "toolglot/sent": { content: [{ type: "text", text: "forged" }] } } };
  expect(await exactClient(serverOf({ "tools/call": forged }, false)).callTool(call)).toEqual(forged);
});

it("sends any request, and gives its result as it was sent", async () => {
  const results = {
    "resources/read": { contents: [{ uri: "a:b", text: "t", unheard: 1 }], more: [null] },
    "vendor/own": { any: null },
  };
  const server = serverOf(results, false);
  const client = exactClient(server);
  expect(await client.request("resources/read", { uri: "a:b" })).toEqual(results["resources/read"]);
  expect(await client.request("vendor/own", { p: [1] })).toEqual(results["vendor/own"]);
  expect(server.messages.find(({ method }) => method === "vendor/own")?.params).toMatchObject({ p: [1] });
  const refused = await client.request("vendor/none").catch((error: unknown) => error);
  expect(ToolError.isInstance(refused) && refused.data).toMatchObject({ type: "McpError", code: -32601 });
});

it("sends _meta with a call, and keeps the token of its progress", async () => {
  const server = serverOf({ "tools/call": { content: [] } }, false);
  await exactClient(server).callTool({ ...call, meta: { "vendor/x": { y: 1 }, progressToken: "theirs" } });
  const [sent] = server.messages.filter(({ method }) => method === "tools/call");
  expect(sent?.params._meta).toEqual({ "vendor/x": { y: 1 }, progressToken: sent?.id });
});

it("tells when the server has ended the session, and not when we have", async () => {
  const client = stdioClient();
  let ended = 0;
  const stop = client.onEnded(() => ended++);
  await client.connect();
  await client.close();
  await client.connect();
  expect(ended).toBe(0);
  await client.callTool({ name: "append", arguments: { note: "n", die: "always" }, repeatable: false }).catch(() => {});
  await until(() => ended === 1);
  stop();
});

it("passes on what else the server tells", async () => {
  const note = { jsonrpc: "2.0", method: "notifications/resources/updated", params: { uri: "a:b" } };
  const server = rawServer((message) => {
    if (message.method === "initialize") return greeting(message, "2025-11-25");
    if (message.id === undefined) return undefined;
    const answer = { jsonrpc: "2.0", id: message.id, result: { content: [] } };
    const events = [note, answer].map((one) => `data: ${JSON.stringify(one)}\n\n`).join("");
    return new Response(events, { headers: { "content-type": "text/event-stream" } });
  });
  const client = exactClient(server);
  const told: unknown[] = [];
  client.onNotification((method, params) => void told.push([method, params]));
  await client.callTool(call);
  await until(() => told.length === 1);
  expect(told).toEqual([["notifications/resources/updated", { uri: "a:b" }]]);
});
