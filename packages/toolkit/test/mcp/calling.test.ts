import { contentText } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { Toolkit, toolkitExecutor } from "../../src/index.ts";
import { createMcpClient, type McpClientOptions } from "../../src/mcp/index.ts";
import { collect, final, texts } from "../support.ts";
import { inProcess, listed } from "./in-process.ts";
import { clientOf, fixture, httpServer, makeLedger, stdioClient, until } from "./support.ts";

async function unruly(env: Record<string, string> = {}, options: Partial<McpClientOptions> = {}): Promise<Toolkit> {
  const kit = new Toolkit();
  await kit.registerMcpClient(stdioClient(env, options));
  return kit;
}

/** For what does no harm to the next test. */
const shared = new Toolkit();
beforeAll(async () => {
  const transport = { type: "stdio" as const, command: process.execPath, args: [fixture("unruly-stdio.mjs")] };
  await shared.registerMcpClient(createMcpClient({ name: "shared", transport }), { wrapToolResult: false });
});
afterAll(() => shared.close());

it("every kind of content is a block, and structured content is data", async () => {
  const response = await final(shared, { name: "rich" });
  expect(response.content).toEqual([
    { type: "text", text: "words" },
    { type: "image", mediaType: "image/png", data: expect.stringMatching(/^iVBOR/) },
    { type: "audio", mediaType: "audio/wav", data: "UklGRg==" },
    { type: "resource", uri: "file:///a.txt", mediaType: "text/plain", title: "A text" },
    { type: "resource", uri: "memo://1", mediaType: "text/plain", text: "embedded" },
    { type: "resource", uri: "memo://2", mediaType: "application/octet-stream", data: "AAEC" },
  ]);
  expect(response.data).toEqual({ words: 1, nested: { deep: [1, 2] } });
});

it("wrapToolResult: false gives the server's own result besides", async () => {
  const response = await final(shared, { name: "rich" });
  expect(response.metadata?.raw).toMatchObject({
    content: [{ type: "text" }, { type: "image", mimeType: "image/png" }, {}, { type: "resource_link" }, {}, {}],
    structuredContent: { words: 1 },
  });
  const failed = await final(shared, { name: "fail" });
  expect(failed.metadata?.raw).toMatchObject({ isError: true });
  const wrapped = new Toolkit();
  await wrapped.registerMcpClient(inProcess([listed("a")]).client);
  expect((await final(wrapped, { name: "a" })).metadata).toBeUndefined();
});

it("isError is an error, with the server's words for the model", async () => {
  const response = await final(shared, { name: "fail" });
  expect(response).toMatchObject({
    status: "error",
    error: { type: "ToolError", message: "the disk is full" },
    content: [{ type: "text", text: "the disk is full" }],
  });
});

it("a protocol error is a refusal", async () => {
  const response = await final(shared, { name: "refuse" });
  expect(response.error).toMatchObject({ type: "McpError" });
  expect(response.error?.message).toContain("not today");
});

it("answers without content", async () => {
  const answers: Record<string, unknown> = {
    nothing: { content: [] },
    data: { content: [], structuredContent: { n: 1 } },
    number: { content: [], structuredContent: { n: 0 }, isError: false },
  };
  const kit = new Toolkit();
  const tools = Object.keys(answers).map((name) => listed(name));
  await kit.registerMcpClient(inProcess(tools, { answer: (name) => answers[name] }).client);
  expect(texts([await final(kit, { name: "nothing" })])).toEqual(["(no output)"]);
  expect(await final(kit, { name: "data" })).toMatchObject({ data: { n: 1 }, content: [{ text: '{"n":1}' }] });
  expect(await final(kit, { name: "number" })).toMatchObject({ status: "ok" });
});

it("an answer that does not fit the tool's output schema is not thrown away: the tool has run", async () => {
  expect(await final(shared, { name: "lies" })).toMatchObject({ status: "ok", data: { n: "secret" } });
});

it("progress comes as chunks, to the last one, and is no part of the result", async () => {
  const responses = await collect(shared, { name: "steps", input: { n: 5 } });
  expect(texts(responses)).toEqual([
    "begun",
    "Progress: 2 of 5",
    "Progress: 3 of 5",
    "Progress: 4 of 5",
    "Progress: 5 of 5",
    "all steps",
  ]);
  expect(responses.map(({ isLast }) => isLast)).toEqual([false, false, false, false, false, true]);
  expect(responses[1]?.metadata).toEqual({ progress: { progress: 2, total: 5 } });
});

it("progress of calls side by side stays apart", async () => {
  const lengths = [3, 1, 7, 2];
  const runs = await Promise.all(lengths.map((n) => collect(shared, { name: "steps", input: { n } })));
  expect(runs.map((responses) => responses.length - 1)).toEqual(lengths);
});

it("over HTTP too; it sends headers, and uses the fetch it is given", async () => {
  const server = await httpServer();
  const seen: (string | null)[] = [];
  const transport = {
    type: "http" as const,
    url: new URL(server.url),
    headers: { "x-key": "k" },
    fetch: (url: string | URL, init?: RequestInit) => {
      seen.push(new Headers(init?.headers).get("x-key"));
      return fetch(url, init);
    },
  };
  const kit = new Toolkit();
  await kit.registerMcpClient(clientOf({ name: "unruly", transport }));
  expect(await collect(kit, { name: "steps", input: { n: 3 } })).toHaveLength(4);
  expect(await final(kit, { name: "fail" })).toMatchObject({ status: "error" });
  expect(seen.length).toBeGreaterThan(4);
  expect(new Set(seen)).toEqual(new Set(["k"]));
});

it("a timeout ends the call, and tells the server", async () => {
  const ledger = makeLedger();
  const kit = new Toolkit();
  await kit.registerMcpClient(stdioClient({ LEDGER: ledger.path }), { timeoutMs: 150 });
  const response = await final(kit, { name: "hang", input: { note: "n" } });
  expect(response).toMatchObject({ status: "error", error: { type: "Timeout" } });
  await until(() => ledger.count("cancelled n") === 1);
  // The server is as good as before.
  expect(await final(kit, { name: "append", input: { note: "m" } })).toMatchObject({ status: "ok" });
  expect(ledger.lines()).toEqual(["hang n", "cancelled n", "append m"]);
});

it("an abort ends the call as interrupted, and tells the server", async () => {
  const ledger = makeLedger();
  const kit = await unruly({ LEDGER: ledger.path });
  const ending = new AbortController();
  const call = final(kit, { name: "hang", input: { note: "n" } }, { signal: ending.signal });
  await until(() => ledger.count("hang n") === 1);
  ending.abort();
  expect(await call).toMatchObject({ status: "interrupted", isInterrupted: true });
  await until(() => ledger.count("cancelled n") === 1);
});

it("a call that is aborted while it connects is not sent", async () => {
  const ledger = makeLedger();
  const client = stdioClient({ LEDGER: ledger.path });
  const kit = new Toolkit();
  await kit.registerMcpClient(client);
  process.kill(Number(contentText((await final(kit, { name: "pid" })).content)), "SIGKILL");
  await until(() => !client.connected);
  const ending = new AbortController();
  const call = final(kit, { name: "append", input: { note: "n" } }, { signal: ending.signal });
  setTimeout(() => ending.abort(), 5);
  expect(await call).toMatchObject({ status: "interrupted" });
  await until(() => client.connected);
  expect(await final(kit, { name: "append", input: { note: "m" } })).toMatchObject({ status: "ok" });
  expect(ledger.lines()).toEqual(["append m"]);
});

it("a consumer that leaves in the middle cancels the call", async () => {
  const ledger = makeLedger();
  const kit = await unruly({ LEDGER: ledger.path });
  for await (const response of kit.callToolFunction({ name: "hang", input: { note: "n" } })) {
    expect(texts([response])).toEqual(["hanging"]);
    break;
  }
  await until(() => ledger.count("cancelled n") === 1);
});

it("nonsense is reported; what can be read of an answer is one", async () => {
  const ledger = makeLedger();
  const faults: string[] = [];
  const kit = await unruly({ LEDGER: ledger.path }, { onError: ({ message }) => faults.push(message) });
  const response = await final(kit, { name: "nonsense", input: { note: "n" } });
  expect(response).toMatchObject({ status: "ok", content: [{ text: "no array" }] });
  expect(response.metadata?.warnings).toEqual([expect.stringContaining("isError: Invalid input: expected boolean")]);
  expect(ledger.count("nonsense n")).toBe(1);
  await until(() => faults.length >= 2);
  expect(faults.join("\n")).toMatch(/The server wrote what is no message: this is no JSON/);
  expect(faults.join("\n")).toMatch(/unknown message ID/);
  expect(await final(kit, { name: "append", input: { note: "m" } })).toMatchObject({ status: "ok" });
});

it("a plan's retries don't repeat what is in doubt", async () => {
  const ledger = makeLedger();
  const kit = await unruly({ LEDGER: ledger.path });
  const step = { callId: "c1", index: 1, tool: "append", params: { note: "n", die: "after" } };
  const steps = [{ ...step, uris: {}, onError: "stop" as const, retry: 3, errors: [], span: { start: 0, end: 1 } }];
  const context = executorContext({
    approve: () => Promise.resolve({ approved: true }),
    runId: "r",
  });
  const action = { kind: "plan" as const, plan: { common: {}, steps }, span: { start: 0, end: 1 } };
  const results = await toolkitExecutor(kit).execute(action, context);
  expect(results).toMatchObject([{ error: { type: "InDoubt" } }]);
  expect(ledger.count("append n")).toBe(1);
});
