import type { JsonObject } from "@toolglot/core";
import { createMcpClient, type McpClient } from "@toolglot/toolkit/mcp";
import { createPolicy, createRouter } from "@toolglot/trp-core";
import fc from "fast-check";
import { expect, it, onTestFinished } from "vitest";
import { storeUnderTest } from "../../../trp-core/test/store-kinds.ts";
import {
  acceptTools,
  CallChannel,
  createToolCalls,
  type FaceName,
  type ImportOptions,
  importMcpServer,
  seenTools,
  serveMcp,
  viewsFor,
} from "../../src/index.ts";
import { ask, inProcess, newestRequest, principal, type TestTool } from "./support.ts";

const url = "http://gate.test/mcp";
// biome-ignore lint/suspicious/noExplicitAny: whatever a test wants to look at
type Result = any;

/** A server of the official SDK that has other tools for each caller, behind a router and a gate. */
async function tenants(
  lists: Record<string, TestTool[]>,
  face: FaceName = "tools",
  options: Partial<ImportOptions> = {},
) {
  const store = await storeUnderTest();
  const router = createRouter({
    store,
    allowVolatile: true,
    policy: createPolicy({ version: "1", rules: [{ id: "all", decision: "allow" }] }),
  });
  const channel = new CallChannel();
  const clients = new Map<string, McpClient>();
  const connect = (id: string): McpClient => {
    const transport = inProcess("srv", lists[id] ?? [], (tool, args) => ({
      content: [{ type: "text", text: `${id} ${tool} ${JSON.stringify(args)}` }],
    }));
    const client = createMcpClient({ name: "srv", transport, exact: true, elicitation: "host", revision: "legacy" });
    clients.set(id, client);
    return client;
  };
  const clientOf = ({ id }: { id: string }): McpClient => clients.get(id) ?? connect(id);
  const server = await importMcpServer(router, connect("nobody"), { name: "srv", channel, clientOf, ...options });
  const calls = createToolCalls(router, {
    tool: (capId, who) =>
      viewsFor(who, [server])
        .flatMap(({ tools }) => tools)
        .find((tool) => tool.capId === capId),
    channel,
  });
  const gate = serveMcp({
    ...{ calls, face, servers: () => [server], visible: () => true },
    info: { name: "gate", version: "1.0.0" },
    requestSecret: "a secret of thirty-two characters",
  });
  onTestFinished(async () => {
    await gate.close();
    await router.close({ graceMs: 100 });
    await calls.close();
    await server.close();
    await Promise.all([...clients.values()].map((client) => client.close()));
  });
  const send = async (id: string, method: string, params: object = {}): Promise<Result> => {
    const { result, error } = await ask(gate, newestRequest(url, method, { ...params }), { principal: principal(id) });
    return result ?? error;
  };
  const use = (id: string, name: string, args: object = {}): Promise<Result> =>
    send(id, "tools/call", { name, arguments: args });
  return {
    ...{ store, router, server, use },
    list: async (id: string): Promise<Result[]> =>
      (await send(id, "tools/list")).tools.filter(({ name }: { name: string }) => name.startsWith("srv__")),
    /** Another login of the caller, or none. */
    renew: async (id: string) => {
      server.views?.forget(principal(id));
      await clients.get(id)?.close();
      clients.delete(id);
    },
  };
}

const text = (result: Result): string => result.content.map((block: { text: string }) => block.text).join("\n");
const withArg = (name: string, arg: string, type = "string"): TestTool => ({
  name,
  inputSchema: { type: "object", properties: { [arg]: { type } }, required: [arg] },
});

it("lists for each caller what the server lists for them, and calls it with their own connection", async () => {
  const { list, use } = await tenants({ ada: [{ name: "both" }, { name: "hers" }], bob: [{ name: "both" }] });
  const names = async (id: string) => (await list(id)).map(({ name }) => name);
  expect(await Promise.all(["ada", "bob", "ada"].map(names))).toEqual([
    ["srv__both", "srv__hers"],
    ["srv__both"],
    ["srv__both", "srv__hers"],
  ]);
  expect(text(await use("bob", "srv__both"))).toBe("bob both {}");
  expect(text(await use("ada", "srv__both"))).toBe("ada both {}");
  // As a name that nobody has.
  const unknown = await use("bob", "srv__hers");
  expect({ ...unknown, message: unknown.message.replace("hers", "none") }).toEqual(await use("bob", "srv__none"));
});

it("has one capability for a tool that differs by caller: as harmful as the worst, with each caller's own schema", async () => {
  const mild = { ...withArg("act", "id"), annotations: { readOnlyHint: true } } as TestTool;
  const { list, use, router } = await tenants({ ada: [mild], bob: [withArg("act", "count", "integer")] });
  const [hers] = await list("ada");
  expect(router.registry.get("cap.mcp.srv.act.v1")?.definition).toMatchObject({ riskTier: "LOW", effect: "pure" });
  const [his] = await list("bob");
  expect([hers.inputSchema.required, his.inputSchema.required]).toEqual([["id"], ["count"]]);
  expect(hers.annotations).toEqual({ readOnlyHint: true });
  expect(router.registry.get("cap.mcp.srv.act.v1")?.definition).toMatchObject({ riskTier: "HIGH", effect: "opaque" });
  expect(text(await use("ada", "srv__act", { id: "a" }))).toBe('ada act {"id":"a"}');
  expect(text(await use("bob", "srv__act", { count: 2 }))).toBe('bob act {"count":2}');
  const wrong = await use("ada", "srv__act", { count: 2 });
  expect(wrong._meta["toolglot/outcome"]).toMatchObject({ status: "refused", code: "TRP_2001", dispatched: false });
});

it("finds and describes only what the caller has", async () => {
  const { use } = await tenants({ ada: [withArg("pay", "secretly")], bob: [{ name: "look" }] }, "search");
  expect(text(await use("ada", "toolglot_search", { query: "pay secretly" }))).toContain("srv__pay(secretly)");
  for (const [name, args] of [
    ["toolglot_search", { query: "pay secretly" }],
    ["toolglot_describe", { names: ["srv__pay"] }],
    ["toolglot_call", { name: "srv__pay", arguments: { secretly: "x" } }],
  ] as const) {
    expect(text(await use("bob", name, args))).not.toMatch(/srv__pay\(|"secretly"|^ada/);
  }
});

it("holds back what changed for a caller, until it is accepted for all", async () => {
  const lists = { ada: [{ name: "act" }] as TestTool[], bob: [{ name: "act" }] as TestTool[] };
  const { list, renew, store, server } = await tenants(lists, "tools", { pin: "strict" });
  expect([(await list("ada")).length, (await list("bob")).length]).toEqual([1, 1]);
  (lists.bob[0] as TestTool).description = "Does more.";
  await renew("bob");
  expect([(await list("ada")).length, (await list("bob")).length]).toEqual([1, 0]);
  expect([...(await seenTools(store, "srv")).values()]).toEqual(["act"]);
  expect(await acceptTools(store, "srv", { by: "owner" })).toEqual(["act"]);
  await server.accept({ by: "owner" });
  await renew("bob");
  expect(await list("bob")).toMatchObject([{ description: "Does more." }]);
});

it("keeps lists of a bounded number of callers, and reads others again", async () => {
  const lists = { ada: [{ name: "hers" }] as TestTool[] };
  const { list, server, router } = await tenants(lists);
  expect(await list("ada")).toHaveLength(1);
  expect(router.registry.get("cap.mcp.srv.hers.v1")).toBeDefined();
  for (let at = 0; at < 1_000; at++) server.views?.of(principal(`caller ${at}`));
  expect(router.registry.get("cap.mcp.srv.hers.v1")).toBeUndefined();
  expect(await list("ada")).toHaveLength(1);
});

const callers = ["ada", "bob", "eve"];
const tool = fc.record({
  name: fc.constantFrom("a", "b", "c"),
  description: fc.constantFrom("for ada", "for bob", "for all"),
  inputSchema: fc
    .constantFrom("x", "y")
    .map((arg): JsonObject => ({ type: "object", properties: { [arg]: { type: "string" } } })),
});
const step = fc.oneof(
  fc.record({ kind: fc.constant("list" as const), who: fc.constantFrom(...callers) }),
  fc.record({
    kind: fc.constant("call" as const),
    who: fc.constantFrom(...callers),
    name: fc.constantFrom("a", "b", "c"),
  }),
  fc.record({
    kind: fc.constant("login" as const),
    who: fc.constantFrom(...callers),
    tools: fc.uniqueArray(tool, { selector: ({ name }) => name, maxLength: 3 }),
  }),
);

it("never mixes lists, whoever comes and changes in whatever order", async () => {
  const lists: Record<string, TestTool[]> = Object.fromEntries(callers.map((id) => [id, []]));
  const { list, use, renew } = await tenants(lists);
  const wanted = (id: string) =>
    (lists[id] ?? [])
      .map(({ name, ...rest }) => ({ ...rest, name: `srv__${name}` }))
      .sort((one, other) => (one.name < other.name ? -1 : 1));
  await fc.assert(
    fc.asyncProperty(fc.array(fc.array(step, { minLength: 1, maxLength: 4 }), { maxLength: 6 }), async (rounds) => {
      for (const steps of rounds) {
        // Logins one after another, then what clients do, all at once.
        for (const one of steps) {
          if (one.kind !== "login") continue;
          lists[one.who]?.splice(0, Number.POSITIVE_INFINITY, ...one.tools);
          await renew(one.who);
        }
        await Promise.all(
          steps.map(async (one) => {
            if (one.kind === "list") expect(await list(one.who)).toEqual(wanted(one.who));
            if (one.kind !== "call") return;
            const result = await use(one.who, `srv__${one.name}`);
            const has = lists[one.who]?.some(({ name }) => name === one.name);
            if (has) expect(text(result)).toContain(`${one.who} ${one.name} {}`);
            else expect(result).toMatchObject({ code: -32602 });
          }),
        );
      }
    }),
    { numRuns: 30 },
  );
});
