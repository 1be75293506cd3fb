import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ledger, oddServer, reference, rig, scratch, until } from "./rig.ts";

const plain = { type: "object" };

test("a server that babbles on its output costs nothing but its lines", async () => {
  const errors: Error[] = [];
  const client = { onError: (error: Error) => void errors.push(error) };
  const { server, call } = await rig(oddServer({ babble: 100 }), { client });
  await server.ready();
  expect((await call("do")).extras.result).toEqual({ content: [{ type: "text", text: "did do" }] });
  expect(errors.length).toBeGreaterThan(0);
});

test("tools with the same name, odd names, tasks, and no schema: each costs itself at most", async () => {
  const tools = [
    { name: "__proto__", inputSchema: { type: "object", properties: { n: { type: "integer" } } } },
    { name: "constructor", inputSchema: plain },
    { name: "twice", description: "First.", inputSchema: plain },
    { name: "twice", description: "Second.", inputSchema: plain },
    { name: "task", inputSchema: plain, execution: { taskSupport: "required" } },
    { name: "none" },
    { name: "x".repeat(300), inputSchema: plain },
    { name: "", inputSchema: plain },
    { inputSchema: plain },
    {
      name: "nulls",
      description: null,
      inputSchema: { type: "object", properties: { a: { type: "string", enum: null } } },
    },
  ];
  const { server, call, notices, tool } = await rig(oddServer({ tools }));
  await server.ready();
  expect(server.tools.map((one) => one.tool)).toEqual(["__proto__", "constructor", "twice", "x".repeat(300), "nulls"]);
  expect(tool("twice").listed.description).toBe("First.");
  for (const { tool: name } of server.tools) expect((await call(name)).extras.result?.content).toHaveLength(1);
  const left = notices.filter(({ kind }) => kind === "unusable").map(({ tool: name }) => name);
  expect(left).toEqual(expect.arrayContaining(["twice", "task", "none"]));
  const before = notices.length;
  await server.refresh();
  expect(notices).toHaveLength(before);
});

test("only what is allowed, not denied and not hidden can be called", async () => {
  const tools = ["get_a", "get_b", "set_a", "set_b"].map((name) => ({ name, inputSchema: plain }));
  const options = { allow: ["get_*", "set_a"], deny: ["*_b"], tools: { "set_*": { hidden: true } } };
  const { server, router } = await rig(oddServer({ tools }), options);
  await server.ready();
  expect(server.tools.map(({ tool }) => tool)).toEqual(["get_a"]);
  expect(router.registry.get("cap.mcp.srv.set_a.v1")).toBeUndefined();
});

test("a changed list is imported again, while a call of a tool that goes runs on", async () => {
  const list = join(scratch(), "list.json");
  writeFileSync(list, JSON.stringify([{ name: "a", inputSchema: plain }]));
  const { server, call, router } = await rig(oddServer({}, { LIST: list }));
  await server.ready();
  const changed = new Promise<void>((resolve) => void server.onChange(resolve));
  writeFileSync(list, JSON.stringify([{ name: "b", inputSchema: plain }]));
  const { extras } = await call("a", { change: true });
  expect(extras.result).toEqual({ content: [{ type: "text", text: "did a" }] });
  await changed;
  expect(server.tools.map(({ tool }) => tool)).toEqual(["b"]);
  expect(router.registry.get("cap.mcp.srv.a.v1")).toBeUndefined();
  expect((await call("b")).extras.result?.content).toHaveLength(1);
});

test("a server that can't be reached yet is imported at once, and its tools come when it is there", async () => {
  const alive = join(scratch(), "alive");
  const { env, starts } = ledger();
  const { server, notices } = await rig(oddServer({}, { ...env, ALIVE: alive }));
  expect(server.tools).toEqual([]);
  expect(server.state()).toMatchObject({ up: false, restarts: 0 });
  await until(() => server.state().reason !== undefined);
  writeFileSync(alive, "");
  await server.ready();
  expect(server.tools).toHaveLength(1);
  expect(server.state()).toEqual({ up: true, restarts: 0 });
  expect(starts()).toBe(1);
  // Each reason once, however often it was tried.
  expect(notices).toEqual([
    { server: "srv", kind: "down", message: expect.stringMatching(/^The server is not available: .*can't be used/) },
    { server: "srv", kind: "up", message: "The server is available again." },
  ]);
});

test("a server whose process ends between calls is started again by itself", async () => {
  const { env, starts } = ledger();
  const { server, call } = await rig(oddServer({}, env));
  await server.ready();
  await call("do", { exit: 0 });
  await until(() => server.state().up && starts() === 2);
  expect(server.state().restarts).toBe(1);
});

test("a server that ends five times in a minute is left alone, and its calls are answered at once; others are served", async () => {
  const { env, starts } = ledger();
  const { server, call, notices } = await rig(oddServer({}, env));
  await server.ready();
  for (let time = 0; time < 5; time++) {
    expect((await call("do", { exit: 1, time })).result.error?.code).toBe("TRP_3004");
  }
  await until(() => server.state().downUntil !== undefined);
  const before = starts();
  expect(notices.at(-1)).toMatchObject({ kind: "down", message: expect.stringContaining("ended 5 times in a minute") });
  const { result, extras } = await call("do", { time: 5 });
  expect(result.error).toMatchObject({
    code: "TRP_3002",
    message: expect.stringContaining("ended 5 times in a minute"),
  });
  expect(extras.fault?.fate).toBe("unsent");
  expect(starts()).toBe(before);
  const other = await rig(reference("server-everything"));
  await other.server.ready();
  expect((await other.call("echo", { message: "m" })).result.status).toBe("success");
});

test.each([
  [100_000, "TRP_2008"],
  [2_000, undefined],
])("a tool whose result is nested %i deep has run, and is done", async (depth, code) => {
  const { server, call } = await rig(oddServer({}));
  await server.ready();
  const { result, extras } = await call("do", { depth }, { key: "k" });
  expect(result).toMatchObject({ status: "success" });
  expect(extras.result?._meta).toEqual(code && { "toolglot/code": code });
  expect((await call("do", { depth }, { key: "k" })).result).toMatchObject({
    status: "success",
    replayedFrom: expect.anything(),
  });
});

test("a call to a server that can't be started did not run, and says so", async () => {
  const alive = join(scratch(), "alive");
  writeFileSync(alive, "");
  const { env, calls } = ledger();
  const { server, call } = await rig(oddServer({}, { ...env, ALIVE: alive }));
  await server.ready();
  rmSync(alive);
  await call("do", { exit: 0 });
  const { result, extras } = await call("do", { other: 1 });
  expect(result.error).toMatchObject({ code: "TRP_3002", retryable: true });
  expect(extras.fault?.fate).toBe("unsent");
  expect(calls()).toHaveLength(1);
});

test("what a server declares as default reaches it, and closing takes its tools out of the router", async () => {
  const { env, calls } = ledger();
  const inputSchema = { type: "object", properties: { n: { type: "integer", default: 3 } } };
  const { server, call, router } = await rig(oddServer({ tools: [{ name: "do", inputSchema }] }, env));
  await server.ready();
  await call("do", {});
  expect(calls()[0]?.arguments).toEqual({ n: 3 });
  await server.close();
  expect(router.registry.get("cap.mcp.srv.do.v1")).toBeUndefined();
  expect(server.tools).toEqual([]);
  expect(readFileSync(env.LEDGER, "utf8")).toContain("start");
});

test("misspelt options and a client that is not exact are refused", async () => {
  const transport = oddServer({});
  await expect(rig(transport, { alow: ["*"] } as never)).rejects.toThrow('no option "alow". Did you mean "allow"?');
  await expect(rig(transport, { limits: { maxByte: 1 } } as never)).rejects.toThrow('"maxByte"');
  const wrong = { tools: { "*": { effect: "keyed" } } } as const;
  await expect(rig(transport, wrong)).rejects.toThrow('tools["*"]: effect "keyed" and downstreamKeyIn go together');
  await expect(rig(transport, { client: { exact: false } })).rejects.toThrow("exact: true");
});

test("a list that is nested without end costs the tool that is", async () => {
  const deep = `${'{"properties":{"a":'.repeat(3_000)}{}${"}}".repeat(3_000)}`;
  const tools = `[{"name":"deep","inputSchema":{"type":"object","properties":{"a":${deep}}}},{"name":"do","inputSchema":{"type":"object"}}]`;
  const list = join(scratch(), "list.json");
  writeFileSync(list, tools);
  const { server, notices } = await rig(oddServer({}, { LIST: list }));
  await server.ready();
  expect(server.tools.map(({ tool }) => tool)).toEqual(["do"]);
  expect(notices).toMatchObject([{ kind: "unusable", tool: "deep" }]);
});
