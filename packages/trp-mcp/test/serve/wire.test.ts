import { expect, it } from "vitest";
import { answer, serve, tools } from "./fixtures/conformance-upstream.ts";
import { ask, clientAt, gateOf, listening, newest, newestRequest, principal, upstream } from "./support.ts";

const url = "http://gate.test/mcp";
const everything = async () => gateOf([await upstream("suite", tools, answer, { serve })], { face: "tools" });

it("puts a time to live on every list, for the caller alone", async () => {
  const { gate } = await everything();
  const cache = { ttlMs: 60_000, cacheScope: "private" };
  for (const [method, params] of Object.entries({
    "server/discover": {},
    "tools/list": {},
    "prompts/list": {},
    "resources/list": {},
    "resources/templates/list": {},
    "resources/read": { uri: "test://static-text" },
  })) {
    const { status, result } = await ask(gate, newestRequest(url, method, params));
    expect({ method, status, ...result }).toMatchObject({ method, status: 200, resultType: "complete", ...cache });
  }
});

it("discovers what there is, without what the newest revision has no more", async () => {
  const { gate } = await everything();
  const { result } = await ask(gate, newestRequest(url, "server/discover"));
  expect(result.supportedVersions).toEqual([newest]);
  expect(Object.keys(result.capabilities).sort()).toEqual(["completions", "prompts", "resources", "tools"]);
  expect(result._meta["io.modelcontextprotocol/serverInfo"]).toEqual({ name: "gate", version: "1.0.0" });
});

const called = { name: "suite__test_simple_text", arguments: {} };

it.each([
  ["Mcp-Method differs", { "mcp-method": "tools/list" }],
  ["Mcp-Name differs", { "mcp-name": "suite__other" }],
  ["Mcp-Name is no base64", { "mcp-name": "=?base64?%%%?=" }],
  ["MCP-Protocol-Version differs", { "mcp-protocol-version": "2025-11-25" }],
])("refuses a request whose header %s, but from a lenient caller", async (_what, headers) => {
  const { gate } = await everything();
  const { status, error } = await ask(gate, newestRequest(url, "tools/call", called, { headers }));
  expect({ status, code: error?.code }).toEqual({ status: 400, code: -32020 });
  const lenient = await ask(gate, newestRequest(url, "tools/call", called, { headers }), { lenientHeaders: true });
  expect(lenient.result?.content).toEqual([{ type: "text", text: "This is a simple text response for testing." }]);
});

it.each(["mcp-method", "mcp-name", "mcp-protocol-version"])("refuses a request without %s", async (header) => {
  const { gate } = await everything();
  const request = newestRequest(url, "tools/call", called);
  request.headers.delete(header);
  const { status, error } = await ask(gate, request);
  expect({ status, code: error?.code }).toEqual({ status: 400, code: -32020 });
  const again = newestRequest(url, "tools/call", called);
  again.headers.delete(header);
  expect((await ask(gate, again, { lenientHeaders: true })).status).toBe(200);
});

it("reads a name in base64", async () => {
  const { gate } = gateOf([await upstream("büro", [{ name: "öffnen" }])]);
  const name = "büro__öffnen";
  const encoded = `=?base64?${Buffer.from(name).toString("base64")}?=`;
  const request = () => newestRequest(url, "tools/call", { name }, { headers: { "mcp-name": encoded } });
  expect((await ask(gate, request())).result.content).toEqual([{ type: "text", text: "öffnen" }]);
  expect((await ask(gate, request(), { lenientHeaders: true })).status).toBe(200);
});

it("compares headers with the arguments that they repeat", async () => {
  const region = { type: "string", "x-mcp-header": "Region" };
  const server = await upstream("desk", [
    { name: "look", inputSchema: { type: "object", properties: { region, other: { type: "string" } } } },
  ]);
  const { gate, calls } = gateOf([server]);
  const look = async (args: object, headers: Record<string, string>, more: object = {}) => {
    const request = newestRequest(url, "tools/call", { name: "desk__look", arguments: args }, { headers });
    const { status, error } = await ask(gate, request, more);
    return [status, error?.code];
  };
  const args = { region: "größer" };
  const right = { "mcp-param-region": `=?base64?${Buffer.from("größer").toString("base64")}?=` };
  expect(await look(args, right)).toEqual([200, undefined]);
  expect(await look({ other: "a" }, {})).toEqual([200, undefined]);
  expect(await look(args, {})).toEqual([400, -32020]);
  expect(await look(args, { "mcp-param-region": "smaller" })).toEqual([400, -32020]);
  expect(await look(args, { "mcp-param-region": "smaller" }, { lenientHeaders: true })).toEqual([200, undefined]);
  expect(calls.ran).toHaveLength(3);
  const client = await clientAt(await listening(gate), newest);
  await client.listTools();
  const { content } = await client.callTool({ name: "desk__look", arguments: args });
  expect(content).toEqual([{ type: "text", text: "look" }]);
});

const post = (body: unknown, headers: Record<string, string> = {}) =>
  new Request(url, {
    method: "POST",
    headers: { "content-type": "application/json", accept: "application/json, text/event-stream", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });

it("names the revisions that it has to whom has another", async () => {
  const { gate } = await everything();
  const params = {
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2099-01-01",
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  };
  const body = { jsonrpc: "2.0", id: 4, method: "tools/list", params };
  const headers = { "mcp-protocol-version": "2099-01-01", "mcp-method": "tools/list" };
  const { status, error } = await ask(gate, post(body, headers));
  expect({ status, code: error.code }).toEqual({ status: 400, code: -32022 });
  expect(error.data.supported).toContain(newest);
  const old = await ask(
    gate,
    post({ jsonrpc: "2.0", id: 4, method: "ping" }, { "mcp-protocol-version": "1999-01-01" }),
  );
  expect({ status: old.status, code: old.error.code }).toEqual({ status: 400, code: -32022 });
  expect(old.error.data.supported).toEqual(expect.arrayContaining([newest, "2025-11-25", "2025-03-26"]));
});

it("answers what it does not know, and what it can't read, with what the protocol has for it", async () => {
  const { gate, errors } = await everything();
  const codes = async (request: Request) => {
    const { status, error } = await ask(gate, request);
    return [status, error?.code];
  };
  expect(await codes(newestRequest(url, "no/such"))).toEqual([404, -32601]);
  expect(await codes(newestRequest(url, "logging/setLevel", { level: "info" }))).toEqual([404, -32601]);
  expect(await codes(newestRequest(url, "resources/subscribe", { uri: "test://a" }))).toEqual([404, -32601]);
  expect(await codes(newestRequest(url, "resources/read", { uri: "nowhere://a" }))).toEqual([200, -32602]);
  expect(await codes(newestRequest(url, "prompts/get", { name: "nothing" }))).toEqual([200, -32602]);
  expect(await codes(newestRequest(url, "tools/call", { name: 7 }))).toEqual([200, -32602]);
  expect(await codes(post("{"))).toEqual([400, expect.any(Number)]);
  expect((await codes(post("null")))[0]).toBe(400);
  expect((await codes(post([])))[0]).toBe(400);
  expect((await codes(post({ jsonrpc: "2.0", id: 1, method: "tools/list" })))[0]).toBe(400);
  expect(await codes(new Request(url, { method: "PUT" }))).toEqual([expect.any(Number), expect.any(Number)]);
  expect((await codes(new Request(url)))[0]).toBe(405);
  expect((await codes(new Request(url, { method: "DELETE" })))[0]).toBe(400);
  const text = new Request(url, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" });
  expect((await codes(text))[0]).toBeGreaterThanOrEqual(400);
  expect(errors.filter(({ message }) => /Cannot|undefined/.test(message))).toEqual([]);
});

it("takes a body that the host has read", async () => {
  const { gate } = await everything();
  const request = newestRequest(url, "tools/call", called);
  const body = await request.json();
  const response = await gate.fetch(request, { principal: principal("anna") }, body);
  expect(response.status).toBe(200);
});

it("refuses options that can't be right", async () => {
  const { serveMcp } = await import("../../src/index.ts");
  const options = { calls: {}, servers: () => [], visible: () => true, info: { name: "a", version: "1" } };
  const made = (more: object) => () => serveMcp({ ...options, requestSecret: "x".repeat(32), ...more } as never);
  expect(made({ requestSecret: "short" })).toThrow(/at least 32 bytes/);
  expect(made({ face: "codes" })).toThrow(/face must be/);
  expect(made({ limit: {} })).toThrow(/Did you mean "limits"/);
  expect(made({ limits: { session: 1 } })).toThrow(/Did you mean "sessions"/);
});

it("is closed for good", async () => {
  const { gate } = await everything();
  await gate.close();
  expect((await ask(gate, newestRequest(url, "tools/list"))).status).toBe(503);
});
