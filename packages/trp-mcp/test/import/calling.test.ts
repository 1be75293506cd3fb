import type { JsonObject } from "@toolglot/core";
import { expect, test } from "vitest";
import type { CallExtras } from "../../src/index.ts";
import { ledger, oddServer, rig, until } from "./rig.ts";

const plain = { type: "object" };
const read = { readOnlyHint: true };

test("an answer comes as the server sent it: order, unknown blocks, any structured content, _meta, fields that nobody knows", async () => {
  const answer = {
    content: [
      { type: "image", data: "AAAA", mimeType: "image/png", annotations: { audience: ["user"], priority: 0.5 } },
      { type: "hologram", beams: [1, 2] },
      { type: "text", text: "t", _meta: { "x/y": 1 }, extra: true },
    ],
    structuredContent: [1, { a: null }],
    _meta: { "vendor/key": { deep: [null] }, "toolglot/code": "TRP_9999" },
    unheard: { of: ["it"] },
  };
  const { server, call } = await rig(
    oddServer({ tools: [{ name: "do", inputSchema: plain }], answers: { do: answer } }),
  );
  await server.ready();
  const { result, extras } = await call("do");
  const { "toolglot/code": _, ...meta } = answer._meta;
  // What only the gateway may say is left out.
  const exact = { ...answer, _meta: meta };
  expect(extras.result).toEqual(exact);
  expect(JSON.stringify(extras.result)).toBe(JSON.stringify(exact));
  // And so it is kept for those who repeat the call.
  expect(result).toMatchObject({ status: "success", result: { data: exact } });
});

test("a listed tool comes as the server sent it", async () => {
  const sent = {
    name: "do",
    title: "Do",
    description: "Does.",
    inputSchema: {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      $defs: { n: { type: "integer", title: "N" } },
      type: "object",
      properties: { n: { $ref: "#/$defs/n", "x-own": 1 } },
    },
    outputSchema: { type: "object", properties: { a: {} }, title: "Out" },
    annotations: { title: "T", readOnlyHint: true, vendor: 1 },
    icons: [{ src: "https://example.com/i.png", sizes: ["48x48"] }],
    _meta: { "ui/resourceUri": "ui://x" },
    unheard: [1],
  };
  const { server, tool } = await rig(oddServer({ tools: [{ ...sent, execution: { taskSupport: "optional" } }] }));
  await server.ready();
  expect(JSON.stringify(tool("do").listed)).toBe(JSON.stringify({ ...sent, name: "srv__do" }));
});

test("arguments that a schema leaves open are taken, and what it forbids is not", async () => {
  const { env, calls } = ledger();
  const tools = [
    { name: "open", inputSchema: { type: "object", properties: { a: { type: "string" } } } },
    { name: "closed", inputSchema: { type: "object", properties: {}, additionalProperties: false } },
    { name: "texts", inputSchema: { type: "object", additionalProperties: { type: "string" } } },
    {
      name: "refs",
      inputSchema: {
        $schema: "http://json-schema.org/draft-07/schema#",
        type: "object",
        definitions: {
          tree: { type: "object", properties: { child: { $ref: "#/definitions/tree" }, n: { type: "number" } } },
        },
        properties: { root: { $ref: "#/definitions/tree" } },
      },
    },
  ];
  const { server, call } = await rig(oddServer({ tools }, env));
  await server.ready();
  const status = async (name: string, args: JsonObject): Promise<string | undefined> => {
    const { result } = await call(name, args);
    return result.error?.code ?? result.status;
  };
  expect(await status("open", { a: "x", b: { c: [1] } })).toBe("success");
  expect(await status("open", { a: 1 })).toBe("TRP_2001");
  expect(await status("closed", { b: 1 })).toBe("TRP_2001");
  expect(await status("texts", { any: "t" })).toBe("success");
  expect(await status("texts", { any: 1 })).toBe("TRP_2001");
  expect(await status("refs", { root: { child: { child: { n: 1 } } }, more: 1 })).toBe("success");
  expect(await status("refs", { root: { child: { n: "1" } } })).toBe("TRP_2001");
  expect(calls().map(({ arguments: args }) => args)).toEqual([
    { a: "x", b: { c: [1] } },
    { any: "t" },
    { root: { child: { child: { n: 1 } } }, more: 1 },
  ]);
});

test("a schema that nobody can use costs the check of the arguments, not the tool; one that hangs an engine does not hang us", async () => {
  const tools = [
    { name: "broken", inputSchema: { type: "object", properties: { a: { $ref: "#/nowhere" } } } },
    { name: "odd", inputSchema: { type: "object", properties: { a: { type: "text" } }, required: "a" } },
    { name: "slow", inputSchema: { type: "object", properties: { a: { type: "string", pattern: "^(a+)+$" } } } },
  ];
  const { server, call, notices } = await rig(oddServer({ tools }));
  await server.ready();
  expect((await call("broken", { a: 1, b: 2 })).result.status).toBe("success");
  expect((await call("odd", { c: 1 })).result.status).toBe("success");
  expect((await call("slow", { a: `${"a".repeat(5_000)}!` })).result.error?.code).toBe("TRP_2001");
  const problem = { server: "srv", kind: "unusable", message: expect.stringContaining("are not checked here") };
  expect(notices).toEqual(
    expect.arrayContaining([
      { ...problem, tool: "broken" },
      { ...problem, tool: "odd" },
    ]),
  );
});

test("an answer that is an error fails the call, and is passed on as it came", async () => {
  const answer = { content: [{ type: "text", text: "no such order" }], isError: true, structuredContent: { code: 7 } };
  const { server, call } = await rig(oddServer({ answers: { do: answer } }));
  await server.ready();
  const { result, extras } = await call("do");
  expect(result).toMatchObject({
    status: "failed",
    error: { code: "TRP_3002", message: "no such order", dispatched: true },
  });
  expect(extras.result).toEqual(answer);
});

test.each([
  ["opaque", -32602, "TRP_3002", true, 1],
  ["opaque", -32601, "TRP_3002", true, 1],
  ["opaque", -32603, "TRP_3004", false, 1],
  ["opaque", -1, "TRP_3004", false, 1],
  ["pure", -32602, "TRP_3002", true, 1],
  ["pure", -32603, "TRP_3002", false, 2],
  ["idempotent", -32603, "TRP_3002", false, 2],
])("an %s call that a server refuses with %i ends with %s", async (effect, code, expected, retryable, times) => {
  const { env, calls } = ledger();
  const { server, call } = await rig(oddServer({}, env), { tools: { "*": { effect: effect as "pure" } } });
  await server.ready();
  const { result, extras } = await call("do", { error: { code, message: "no" } });
  expect(result.error).toMatchObject({ code: expected, retryable, dispatched: true });
  expect(extras.fault).toMatchObject({
    fate: retryable ? "refused" : "unknown",
    message: expect.stringContaining("no"),
  });
  expect(calls()).toHaveLength(times);
});

test("a server that dies in mid-call leaves an opaque call in doubt, runs a pure one once more, and is back for the next", async () => {
  const { env, calls } = ledger();
  const tools = [
    { name: "write", inputSchema: plain },
    { name: "read", inputSchema: plain, annotations: read },
  ];
  const { server, call } = await rig(oddServer({ tools }, env));
  await server.ready();
  const lost = await call("write", { exit: 1 });
  expect(lost.result).toMatchObject({ status: "unknown", error: { code: "TRP_3004" } });
  expect(calls()).toHaveLength(1);
  // The same arguments are in doubt; nothing is started for them, under any key.
  const again = await call("write", { exit: 1 });
  expect(again.result).toMatchObject({ status: "unknown", error: { code: "TRP_3004" } });
  expect(calls()).toHaveLength(1);
  const other = await call("write", { n: 1 });
  expect(other.result.status).toBe("success");
  const twice = await call("read", { exit: 1 });
  expect(twice.result).toMatchObject({ status: "failed", error: { code: "TRP_3002" } });
  expect(calls().filter(({ name }) => name === "read")).toHaveLength(2);
  expect(server.state().restarts).toBeGreaterThan(0);
});

test("with repeats free, a call in doubt runs again", async () => {
  const { env, calls } = ledger();
  const { server, call } = await rig(oddServer({}, env), { repeat: { mode: "free", windowMs: 0 } });
  await server.ready();
  for (const key of ["key-one", "key-two"]) {
    expect((await call("do", { exit: 1 }, { key })).result.error?.code).toBe("TRP_3004");
  }
  expect(calls()).toHaveLength(2);
});

test("a call without a sign of life is given up after its time", async () => {
  const { server, call } = await rig(oddServer({}), { tools: { do: { timeoutMs: 200 } } });
  await server.ready();
  expect((await call("do", { silent: true })).result).toMatchObject({ status: "unknown", error: { code: "TRP_3004" } });
});

test("a server's calls share its places, and one that waits has not begun", async () => {
  const { env, calls } = ledger();
  const tools = ["a", "b"].map((name) => ({ name, inputSchema: plain }));
  const options = { maxConcurrency: 1, tools: { a: { timeoutMs: 500 } } };
  const { server, call, router } = await rig(oddServer({ tools }, env), options);
  await server.ready();
  const first = call("a", { silent: true });
  await until(() => calls().length === 1);
  const second = call("b");
  await until(() => router.load().waiting === 1);
  expect(calls().map(({ name }) => name)).toEqual(["a"]);
  expect((await first).result.status).toBe("unknown");
  expect((await second).result.status).toBe("success");
});

test.each([
  ["opaque", "unknown"],
  ["pure", "failed"],
])("an %s call that is cancelled is cancelled at its server, and ends %s", async (effect, status) => {
  const { env, calls, cancelled } = ledger();
  const { server, call, cancel } = await rig(oddServer({}, env), { tools: { do: { effect: effect as "pure" } } });
  await server.ready();
  const running = call("do", { silent: true });
  await until(() => calls().length === 1);
  expect(await cancel()).toBe("cancelling");
  expect((await running).result.status).toBe(status);
  await until(() => cancelled() === 1);
  expect(calls()).toHaveLength(1);
  expect(server.state().up).toBe(true);
});

test("_meta, progress and questions go through", async () => {
  const { env, calls } = ledger();
  const { server, call } = await rig(oddServer({}, env));
  await server.ready();
  const meta = {
    traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
    "vendor/x": { y: 1 },
    progressToken: "theirs",
  };
  await call("do", {}, { extras: { meta } });
  const [{ _meta } = {}] = calls() as { _meta?: JsonObject }[];
  expect(_meta).toMatchObject({ traceparent: meta.traceparent, "vendor/x": { y: 1 } });
  expect(_meta?.progressToken).not.toBe("theirs");
});

test("a keyed tool gets the operation's key where it takes it, and nobody else sets it", async () => {
  const { env, calls } = ledger();
  const inputSchema = {
    type: "object",
    properties: {
      id: { type: "string" },
      options: { type: "object", properties: { key: { type: "string" } }, required: ["key"] },
    },
    required: ["id"],
  };
  const tools = [
    { name: "refund", inputSchema },
    { name: "charge", inputSchema: plain },
  ];
  const settings = { refund: { downstreamKeyIn: "/options/key" }, charge: { downstreamKeyIn: "_meta/vendor/key" } };
  const { server, call, tool } = await rig(oddServer({ tools }, env), { tools: settings });
  await server.ready();
  expect(tool("refund").effect).toBe("keyed");
  expect(tool("refund").listed.inputSchema).toEqual({
    type: "object",
    properties: { id: { type: "string" }, options: { type: "object", properties: {}, required: [] } },
    required: ["id"],
  });
  await call("refund", { id: "r1", options: { key: "the model's" } });
  await call("charge", { id: "c1" });
  const [refund, charge] = calls() as { arguments: JsonObject; _meta: JsonObject }[];
  const { key } = (refund?.arguments.options ?? {}) as { key?: string };
  expect(key).not.toBe("the model's");
  expect(key?.length).toBeGreaterThan(20);
  expect(charge?._meta["vendor/key"]).toEqual(expect.any(String));
  expect(charge?.arguments).toEqual({ id: "c1" });
});

test.each([
  ["is there", { order: { id: "o1" } }, "success"],
  ["is not there", { order: null }, "TRP_3002"],
  ["can't be told", undefined, "TRP_3004"],
])("a lost call is settled by a probe: its effect %s", async (_, structuredContent, expected) => {
  const { env, calls } = ledger();
  const tools = [
    { name: "create", inputSchema: plain },
    { name: "find", inputSchema: plain, annotations: read },
  ];
  const answers = { find: { content: [], ...(structuredContent !== undefined && { structuredContent }) } };
  const probe = { tool: "find", arguments: { id: "{id}", n: "{n}" }, found: "/order/id" };
  const { server, call } = await rig(oddServer({ tools, answers }, env), { tools: { create: { probe } } });
  await server.ready();
  const { result } = await call("create", { id: "o1", n: 5, exit: 1 });
  expect(result.error?.code ?? result.status).toBe(expected);
  expect(calls().at(-1)).toMatchObject({ name: "find", arguments: { id: "o1", n: 5 } });
});

test("a long result is passed on whole, and kept as its first text and a link to the rest", async () => {
  const { server, call, store } = await rig(oddServer({}), { limits: { keepBytes: 5_000 } });
  await server.ready();
  const { result, extras } = await call("do", { bytes: 20_000 });
  expect(JSON.stringify(extras.result)).toContain("x".repeat(20_000));
  const { content = [] } = (result.result?.data ?? {}) as { content?: { type: string; uri?: string; text?: string }[] };
  expect(content.map(({ type }) => type)).toEqual(["text", "resource_link"]);
  expect(content[0]?.text).toBe("x".repeat(16_000));
  const id = content[1]?.uri?.replace("toolglot://artifact/", "") ?? "";
  const whole = await store.artifacts.read(id, { tenant: "default", principal: "agent" });
  expect(JSON.parse(new TextDecoder().decode(whole?.bytes))).toEqual(extras.result);
  expect(await store.artifacts.read(id, { tenant: "default", principal: "another" })).toBeUndefined();
});

test("a result that is too long has run: it is done, and says what became of it", async () => {
  const { env, calls } = ledger();
  const { server, call } = await rig(oddServer({}, env), { limits: { maxBytes: 10_000, keepBytes: 5_000 } });
  await server.ready();
  const { result, extras } = await call("do", { bytes: 20_000 }, { key: "one" });
  expect(result.status).toBe("success");
  expect(extras.result).toMatchObject({ isError: true, _meta: { "toolglot/code": "TRP_2008" } });
  const again = await call("do", { bytes: 20_000 }, { key: "one" });
  expect(again.result.result?.data).toEqual(extras.result);
  expect(calls()).toHaveLength(1);
});

test("a read passes its result by the channel alone", async () => {
  const { server, call } = await rig(oddServer({ tools: [{ name: "do", inputSchema: plain, annotations: read }] }));
  await server.ready();
  const extras: CallExtras = {};
  const { result } = await call("do", {}, { extras });
  expect(extras.result).toEqual({ content: [{ type: "text", text: "did do" }] });
  expect(result.result?.data).toEqual({ content: [] });
});
