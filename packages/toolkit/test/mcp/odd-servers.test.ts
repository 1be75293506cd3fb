import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, it, onTestFinished } from "vitest";
import { Toolkit } from "../../src/index.ts";
import type { McpClientOptions } from "../../src/mcp/index.ts";
import { final } from "../support.ts";
import { clientOf, fixture } from "./support.ts";

// What isn't needed can't cost what is: of a message that is a little odd, everything is read that can be.

const text = { type: "text", text: "written" };
const tool = { inputSchema: { type: "object" } };

async function odd(how: object, options: Partial<McpClientOptions> = {}) {
  const kit = new Toolkit();
  onTestFinished(() => kit.close());
  const transport = {
    type: "stdio" as const,
    command: process.execPath,
    args: [fixture("odd-stdio.mjs"), JSON.stringify(how)],
  };
  const warnings = await kit.registerMcpClient(clientOf({ name: "odd", transport, ...options }));
  return { kit, warnings, call: () => final(kit, { name: "write", input: {} }) };
}

it.each<[string, object]>([
  ["no field", {}],
  ["a list's cursor", { list: { nextCursor: null } }],
  ["a list's meta", { list: { _meta: null } }],
  ["a tool's title, description and annotations", { tool: { title: null, description: null, annotations: null } }],
  ["a hint of a tool", { tool: { annotations: { readOnlyHint: null, title: null } } }],
  ["a tool's output schema", { tool: { outputSchema: null, _meta: null, icons: null } }],
  ["keywords of a tool's schema", { tool: { inputSchema: { type: "object", properties: null, required: null } } }],
  [
    "keywords within a tool's schema",
    { tool: { inputSchema: { type: "object", properties: { n: { type: "number", minimum: null, default: null } } } } },
  ],
  ["a result's isError", { result: { isError: null } }],
  ["a result's meta", { result: { _meta: null } }],
  ["a result's structured content", { result: { structuredContent: null } }],
  ["a block's annotations", { result: { content: [{ ...text, annotations: null, _meta: null }] } }],
  [
    "the greeting's instructions and capabilities",
    { hello: { instructions: null, capabilities: { tools: {}, prompts: null } } },
  ],
  ["the server's title", { info: { title: null, websiteUrl: null } }],
])("should read null as absent: %s", async (_name, how) => {
  const { call } = await odd(how);
  expect(await call()).toMatchObject({ status: "ok", content: [{ type: "text", text: "written" }] });
});

it.each<[string, object, string, RegExp]>([
  [
    "a block of a kind to come",
    { result: { content: [{ type: "video", url: "x" }, text] } },
    "ok",
    /\[The server gave a block of the type "video".*\]\nwritten/,
  ],
  ["a block without a type", { result: { content: [{ url: "x" }, text] } }, "ok", /without a type.*\nwritten/],
  [
    "a block whose text is none",
    { result: { content: [text, { type: "text", text: 5 }] } },
    "ok",
    /^written\n\[.*expected string, received number/,
  ],
  ["blocks that are one text", { result: { content: "written" } }, "ok", /^written$/],
  ["one block that is no list", { result: { content: text } }, "ok", /^written$/],
  ["an error said as a word", { result: { isError: "true" } }, "error", /^written$/],
  ["no error said as a number", { result: { isError: 0 } }, "ok", /^written$/],
  ["an error said in another way", { result: { isError: "perhaps" } }, "ok", /^written$/],
  [
    "a byte order mark",
    { raw: `\ufeff{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"written"}]}}` },
    "ok",
    /^written$/,
  ],
  [
    "an id as text",
    { raw: `{"jsonrpc":"2.0","id":"ID","result":{"content":[{"type":"text","text":"written"}]}}` },
    "ok",
    /^written$/,
  ],
  [
    "no version",
    { raw: `{"id":ID,"result":{"content":[{"type":"text","text":"written"}]},"error":null}` },
    "ok",
    /^written$/,
  ],
  ["an error that is a text", { raw: `{"jsonrpc":"2.0","id":ID,"error":"disk full"}` }, "error", /refused .*disk full/],
  [
    "an error without a code",
    { raw: `{"jsonrpc":"2.0","id":ID,"error":{"message":"disk full"}}` },
    "error",
    /refused .*disk full/,
  ],
])("should take what can be read of an answer: %s", async (_name, how, status, said) => {
  const { call } = await odd(how);
  const { content, ...response } = await call();
  expect(response.status).toBe(status);
  expect(content.map((block) => (block.type === "text" ? block.text : "")).join("\n")).toMatch(said);
  expect(response.error?.type).not.toBe("InDoubt");
});

it.each<[string, object]>([
  ["neither a result nor an error", { raw: `{"jsonrpc":"2.0","id":ID}` }],
  ["a result that is none", { raw: `{"jsonrpc":"2.0","id":ID,"result":null}` }],
  ["a result that is a text", { raw: `{"jsonrpc":"2.0","id":ID,"result":"done"}` }],
  ["its output closed, though it lives", { ends: true }],
])("should end a call with an answer that nobody can read: %s", async (_name, how) => {
  const { call } = await odd(how);
  expect(await call()).toMatchObject({ status: "error", error: { type: "InDoubt" } });
});

it("should give up a call that gives no sign of life, name the option, and let progress renew the time", async () => {
  const silent = await odd({ silent: true }, { callTimeoutMs: 300 });
  const response = await silent.call();
  expect(response).toMatchObject({ status: "error", error: { type: "InDoubt" } });
  expect(response.error?.message).toContain("within 300 ms (option callTimeoutMs)");
  const slow = await odd({ progress: 8 }, { callTimeoutMs: 400 });
  expect(await slow.call()).toMatchObject({ status: "ok" });
});

it("should not wait long for a server that says nothing to questions that it does not know", async () => {
  const began = performance.now();
  const { call } = await odd({ ignores: true });
  expect(await call()).toMatchObject({ status: "ok" });
  expect(performance.now() - began).toBeLessThan(12_000);
});

it("should tell the host what is no message, cut and not without end", async () => {
  const told: string[] = [];
  const { call } = await odd({ noise: 40 }, { onError: ({ message }) => told.push(message) });
  expect(await call()).toMatchObject({ status: "ok" });
  expect(told.length).toBeGreaterThan(0);
  expect(told.length).toBeLessThanOrEqual(20);
  for (const line of told) expect(line.length).toBeLessThan(260);
  expect(told[0]).toContain("noise 0");
});

it("should let a tool's fault cost that tool at most, and say where and what it is", async () => {
  const tools = [
    { name: "bad-output", ...tool, outputSchema: {} },
    { name: "no-schema" },
    { name: "listed", inputSchema: [] },
    { name: "icons", ...tool, icons: "none" },
  ];
  const { kit, warnings, call } = await odd({ tools });
  expect([...kit.registered.keys()]).toEqual(["write", "bad-output", "icons"]);
  expect(warnings).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/"bad-output".*outputSchema/),
      expect.stringMatching(/"no-schema".*left out.*inputSchema.*expected object/),
      expect.stringMatching(/"listed".*left out.*inputSchema/),
      expect.stringMatching(/"icons".*icons: .*expected array/),
    ]),
  );
  expect(await call()).toMatchObject({ status: "ok" });
});

it("should end a registration that is under way when the toolkit closes, with its server", async () => {
  const kit = new Toolkit();
  const transport = { type: "stdio" as const, command: process.execPath, args: [fixture("odd-stdio.mjs"), "{}"] };
  const client = clientOf({ name: "odd", transport });
  const registering = kit.registerMcpClient(client);
  await kit.close();
  await expect(registering).rejects.toMatchObject({ code: "toolkit/closed" });
  expect([...kit.registered.keys(), client.connected]).toEqual([false]);
  await expect(kit.registerMcpClient(client)).rejects.toMatchObject({ code: "toolkit/closed" });
  await kit.close();
});

/** A server that begins sessions, and says in its own way that it does not know one. */
async function sessions(answers: boolean) {
  let session = 1;
  let lost: [number, string] = [400, ""];
  const effects: string[] = [];
  const server = createServer(async (request: IncomingMessage, response) => {
    let body = "";
    for await (const chunk of request) body += chunk;
    if (request.method !== "POST") return response.writeHead(405).end();
    const message = JSON.parse(body);
    const say = (result: unknown, headers: Record<string, string> = {}): void => {
      const answer = JSON.stringify({ jsonrpc: "2.0", id: message.id, result });
      response.writeHead(200, { "content-type": "application/json", ...headers }).end(answer);
    };
    if (message.method === "server/discover") return response.writeHead(404).end();
    if (message.method === "initialize") {
      const { protocolVersion } = message.params;
      const hello = { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "s", version: "1" } };
      return say(hello, { "mcp-session-id": `s${session}` });
    }
    if (request.headers["mcp-session-id"] !== `s${session}`) {
      const error = { jsonrpc: "2.0", id: null, error: { code: -32000, message: lost[1] } };
      return response.writeHead(lost[0]).end(JSON.stringify(error));
    }
    if (message.id === undefined) return response.writeHead(202).end();
    if (message.method === "ping") return say({});
    if (message.method === "tools/list") {
      const look = { name: "look", annotations: { readOnlyHint: true }, ...tool };
      return say({ tools: [look, { name: "book", ...tool }] });
    }
    effects.push(message.params.name);
    if (!answers) return response.writeHead(202).end();
    say({ content: [{ type: "text", text: "seen" }] });
  }).listen(0, "127.0.0.1");
  await new Promise((ready) => server.once("listening", ready));
  onTestFinished(() => void server.close());
  const kit = new Toolkit();
  onTestFinished(() => kit.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await kit.registerMcpClient(clientOf({ name: "s", transport: { type: "http", url } }));
  const call = async (name: string): Promise<string> => {
    const { status, error } = await final(kit, { name, input: {} });
    return error === undefined ? status : error.type;
  };
  const forget = (status: number, words: string): void => {
    session += 1;
    lost = [status, words];
  };
  return { call, forget, effects };
}

it.each<[number, string]>([
  [400, "Bad Request: Server not initialized"],
  [400, "Bad Request: No valid session ID provided"],
  [404, "Session not found"],
  [409, "unknown"],
  [410, ""],
  [500, "oops"],
  [503, "no such session"],
])("should begin anew with a server that forgot the session and says so with %i %s", async (status, words) => {
  const { call, forget, effects } = await sessions(true);
  expect(await call("look")).toBe("ok");
  forget(status, words);
  const tries = [await call("look"), await call("look")];
  expect(tries.at(-1)).toBe("ok");
  forget(status, words);
  // What writes is never sent twice; where it was refused, the next one is a new call.
  const first = await call("book");
  expect(["ok", "McpError", "InDoubt"]).toContain(first);
  expect(await call("book")).toBe("ok");
  expect(effects.filter((name) => name === "book")).toHaveLength(first === "ok" ? 2 : 1);
});

it("should end a call whose HTTP answer is over without an answer", async () => {
  const { call, effects } = await sessions(false);
  expect(await call("book")).toBe("InDoubt");
  expect(effects).toEqual(["book"]);
});
