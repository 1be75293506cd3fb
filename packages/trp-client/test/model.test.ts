import type { ExecutorContext, ToolCall } from "@toolglot/core";
import { createRouter, MemoryStore, type Router } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import {
  catalogLines,
  createClient,
  inProcessTransport,
  type RouterExecutorOptions,
  routerExecutor,
  routerTool,
} from "../src/index.ts";
import { agent, boss, capabilities, world } from "./support.ts";

function context(more: Partial<ExecutorContext> = {}): ExecutorContext {
  return {
    signal: new AbortController().signal,
    emit: () => undefined,
    approve: async () => ({ approved: false, reason: "not asked" }),
    runId: "run-1",
    stepIndex: 0,
    ...more,
  };
}

let count = 0;
function call(name: string, input: unknown, id: string = `c${count++}`): ToolCall {
  return { id, name, input, protocol: "native" };
}

const span = { start: 0, end: 0 };

function rig(options?: RouterExecutorOptions) {
  const { client, effects, router } = world();
  const trp = client();
  const executor = routerExecutor(trp, options);
  return {
    trp,
    effects,
    router,
    run: (calls: ToolCall[], more?: Partial<ExecutorContext>) =>
      executor.execute({ kind: "calls", calls, span }, context(more)),
  };
}

it("shows one line per capability", async () => {
  const { trp } = rig();
  const { rows } = await trp.catalog();
  expect(catalogLines(rows).slice(0, 4)).toEqual([
    "0 echo(text, times?:int) R Says the text again",
    "1 add_note(text) W Adds a note",
    "2 send_mail(to) W !HIGH Sends a mail",
    "3 slow(ms:int) R Takes its time",
  ]);
  const [first, second] = catalogLines(rows, { keys: true, approval: ({ idx }) => idx === 1, sentence: 0 });
  expect([first, second]).toEqual(["0 echo(text, times?:int) R", "1 add_note(text) W key approval"]);
});

it("keeps a line a line, whatever a capability says", () => {
  const row = {
    idx: 7,
    cap_id: "cap.x.v1",
    name: "x",
    desc: `First\nline ${"😀".repeat(200)}`,
    risk_tier: "LOW" as const,
    io_class: "READ" as const,
    arg_template: { a: "(string|int)[]?", b: "{x:int}", c: '"a"|"b"', d: "string\n1 evil()" },
    schema_digest: "sha256:0",
  };
  const [line = ""] = catalogLines([row]);
  expect(line).not.toContain("\n");
  expect(line).toMatch(/^7 x\(a\?:any, b:any, c:"a"\|"b", d:any\) R First line /);
  expect(new TextDecoder().decode(new TextEncoder().encode(line))).toBe(line);
  expect(line.length).toBeLessThan(260);
});

it("makes the router tool, with the catalog or with a search in its place", async () => {
  const { trp } = rig();
  const tool = await routerTool(trp);
  expect(tool.name).toBe("router");
  expect(tool.description).toContain("\n1 add_note(text) W Adds a note\n");
  const large = await routerTool(trp, { inlineLimit: 2, locale: "zh" });
  expect(large.description).toContain("个能力");
  expect(large.description).not.toContain("add_note");
});

it("runs several calls in one, reads side by side, writes in order", async () => {
  const { run, effects } = rig();
  const calls = [
    { idx: 0, name: "echo", args: { text: "a" } },
    { idx: 1, name: "add_note", args: { text: "one" } },
    { idx: 1, name: "add_note", args: { text: "two" } },
  ];
  const [result] = await run([call("router", { calls })]);
  expect(result).toMatchObject({ status: "ok", name: "router" });
  expect(result?.data).toMatchObject([
    { name: "echo", status: "ok", data: { said: "a" } },
    { name: "add_note", status: "ok" },
    { name: "add_note", status: "ok", data: { count: 2 } },
  ]);
  expect(effects).toEqual(["one", "two"]);
});

it("runs a call by the capability's own name, and one without a list", async () => {
  const { run } = rig();
  const results = await run([
    call("echo", { text: "by name" }),
    call("router", { idx: 0, name: "echo", args: { text: "alone" } }),
    call("router", { name: "echo", args: { text: "no idx" } }),
  ]);
  expect(results.map(({ status }) => status)).toEqual(["ok", "ok", "ok"]);
  expect(results.map(({ data }) => (data as { data: unknown }).data)).toEqual([
    { said: "by name" },
    { said: "alone" },
    { said: "no idx" },
  ]);
});

it("calls nothing when number and name don't agree", async () => {
  const { run, effects } = rig();
  const [result] = await run([call("router", { calls: [{ idx: 2, name: "add_note", args: { text: "x" } }] })]);
  expect(result).toMatchObject({
    status: "error",
    error: { type: "InvalidInput", message: "idx 2 is send_mail, and add_note is 1. Nothing was called." },
  });
  const wrong = await run([
    call("router", { calls: [{ idx: 9, name: "ad_note", args: {} }] }),
    call("router", "echo"),
    call("router", {}),
    call("router", { calls: [], search: "x" }),
    call("router", { calls: [{ idx: 0, args: {} }] }),
    call("router", { calls: [{ idx: 0, name: "echo", args: "text" }] }),
    call("ecko", {}),
  ]);
  expect(wrong.map(({ status }) => status)).toEqual(new Array(7).fill("error"));
  expect(wrong[0]?.error?.message).toContain("Nearest: add_note");
  expect(effects).toEqual([]);
});

it("describes and searches", async () => {
  const { run } = rig();
  const [described, found, none] = await run([
    call("router", { describe: ["send_mail", "nothing"] }),
    call("router", { search: "send a mail" }),
    call("router", { search: "xyzzy" }),
  ]);
  expect(described?.data).toMatchObject([
    { idx: 2, name: "send_mail", requires_approval: true, args: { required: ["to"] } },
    { name: "nothing" },
  ]);
  expect(found?.data).toMatchObject({ matches: ["2 send_mail(to) W !HIGH Sends a mail"] });
  expect(none?.data).toHaveProperty("note");
});

it("searches a large catalog with the router's own search", async () => {
  const effects: string[] = [];
  const router = createRouter({
    capabilities: capabilities(effects),
    catalogTools: true,
    store: new MemoryStore(),
    allowVolatile: true,
  });
  const trp = createClient({ transport: inProcessTransport(router, agent), agentId: "t" });
  const tool = await routerTool(trp);
  expect(tool.description).not.toContain("catalog_search");
  const executor = routerExecutor(trp);
  const action = { kind: "calls" as const, calls: [call("router", { search: "add notes" })], span };
  const [found] = await executor.execute(action, context());
  expect(found?.data).toMatchObject({ matches: ["1 add_note(text) W Adds a note"] });
});

it("does a step that is run again only once", async () => {
  const { run, effects } = rig();
  const again = () => run([call("add_note", { text: "once" }, "step-1")]);
  const [first] = await again();
  const [second] = await again();
  expect(effects).toEqual(["once"]);
  // A reader must not count one effect twice: the second answer begins with that, in text and in data.
  expect(second?.data).toEqual({
    replayed: expect.stringMatching(/^Nothing was done now\..* at 20/),
    ...(first?.data as object),
  });
  expect(Object.keys(second?.data as object)[0]).toBe("replayed");
  expect(JSON.stringify(second?.content)).toContain("Nothing was done now");
  expect(first?.metadata).not.toHaveProperty("replayedFrom");
  expect(second?.metadata).toMatchObject({ replayedFrom: first?.metadata?.trpCallId, replayedAt: expect.any(Number) });
  await run([call("add_note", { text: "once" }, "step-2")]);
  expect(effects).toEqual(["once", "once"]);
});

it("leaves a call that needs an approval pending, without asking a host that can't decide", async () => {
  const { run, effects } = rig();
  const asked: unknown[] = [];
  const [result] = await run([call("send_mail", { to: "a" })], {
    approve: async (request) => {
      asked.push(request);
      return { approved: true };
    },
  });
  expect(result).toMatchObject({ status: "pending", data: { waits_for: "approval", approval_id: expect.any(String) } });
  expect(asked).toEqual([]);
  expect(effects).toEqual([]);
});

function decider(router: () => Router): NonNullable<RouterExecutorOptions["approvals"]> {
  return {
    decide: async ({ approvalId }, { approved }) => {
      await router().approvals[approved ? "approve" : "deny"](boss, approvalId ?? "");
    },
  };
}

it("asks the host, decides and calls again with the same key", async () => {
  let router: Router | undefined;
  const desk = rig({ approvals: decider(() => router as Router) });
  router = desk.router;
  const [sent] = await desk.run([call("send_mail", { to: "a" }, "m1")], {
    approve: async ({ tool, input }) => {
      expect([tool, input]).toEqual(["send_mail", { to: "a" }]);
      return { approved: true };
    },
  });
  expect(sent).toMatchObject({ status: "ok", data: { data: { sent: true } } });
  const [denied] = await desk.run([call("send_mail", { to: "b" }, "m2")], {
    approve: async () => ({ approved: false, reason: "no mails today" }),
  });
  expect(denied).toMatchObject({ status: "denied", error: { message: expect.stringContaining("no mails today") } });
  expect(desk.effects).toEqual(["mail a"]);
  const records = await router.approvals.list(boss);
  expect(records.map(({ status }) => status).sort()).toEqual(["denied", "used"]);
});

it("runs what was approved elsewhere when the model asks again, and then no more", async () => {
  const { run, effects, router } = rig();
  const ask = () => run([call("send_mail", { to: "a" })]);
  const [first] = await ask();
  const [again] = await ask();
  expect([first?.status, again?.status]).toEqual(["pending", "pending"]);
  const [waiting, ...others] = await router.approvals.list(boss);
  expect(others).toEqual([]);
  await router.approvals.approve(boss, waiting?.id ?? "");
  const [other] = await run([call("send_mail", { to: "b" })]);
  const [sent] = await ask();
  expect([other?.status, sent?.status]).toEqual(["pending", "ok"]);
  const [next] = await ask();
  expect(next?.status).toBe("pending");
  expect(effects).toEqual(["mail a"]);
});

it("asks anew after a denial", async () => {
  const { run, router } = rig();
  const ask = () => run([call("send_mail", { to: "a" })]);
  await ask();
  const [first] = await router.approvals.list(boss);
  await router.approvals.deny(boss, first?.id ?? "");
  expect((await ask())[0]?.status).toBe("denied");
  expect((await ask())[0]?.status).toBe("pending");
});

it("stays pending when the host or the router can't be asked", async () => {
  const failing = { decide: () => Promise.reject(new Error("down")) };
  const { run, effects } = rig({ approvals: failing });
  const [lost] = await run([call("send_mail", { to: "a" })], { approve: async () => ({ approved: true }) });
  const [unasked] = await run([call("send_mail", { to: "a" })], { approve: () => Promise.reject(new Error("gone")) });
  expect([lost?.status, unasked?.status]).toEqual(["pending", "pending"]);
  expect(effects).toEqual([]);
});

it("tells lost calls from those that changed nothing", async () => {
  const { router } = world();
  let isDown = false;
  const inner = inProcessTransport(router, agent);
  const trp = createClient({
    transport: {
      send: (frame, how) => (isDown ? new Promise(() => undefined) : inner.send(frame, how)),
      close: () => undefined,
    },
    agentId: "t",
    timeoutMs: 10,
    retry: { maxRetries: 0 },
  });
  await trp.catalog();
  isDown = true;
  const executor = routerExecutor(trp);
  const calls = [call("echo", { text: "a" }), call("add_note", { text: "a" }), call("router", { describe: ["echo"] })];
  const results = await executor.execute({ kind: "calls", calls: calls.slice(0, 2), span }, context());
  expect(results.map(({ status }) => status)).toEqual(["error", "in-doubt"]);
});

it("tells the host what runs", async () => {
  const { run } = rig();
  const events: unknown[] = [];
  await run([call("echo", { text: "a" }, "e1")], { emit: (event) => events.push(event) });
  expect(events).toMatchObject([
    { type: "tool-call-start", callId: "e1", name: "echo", input: { text: "a" } },
    { type: "tool-call-end", callId: "e1", status: "ok" },
  ]);
});

it("refuses actions it does not run", async () => {
  const { trp } = rig();
  const executor = routerExecutor(trp);
  const code = { kind: "code" as const, id: "x", language: "python" as const, source: "", span };
  expect(executor.handles(code)).toBe(false);
  await expect(executor.execute(code, context())).rejects.toThrow(TypeError);
  expect(() => routerExecutor(trp, { maxConcurrency: 0 })).toThrow(TypeError);
});
