import type { AnyTool } from "@toolglot/core";
import { share } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { addTool, tool } from "../../support.ts";
import { HostileGuest, runHostile } from "./hostile-guest.ts";

const slow = tool("slow", {}, () => new Promise((resolve) => setTimeout(resolve, 30, "slow")));
const never = tool("never", {}, () => new Promise(() => {}));
const destroyed: unknown[] = [];
const destroy = tool("destroy", {}, (args) => destroyed.push(args), { annotations: { destructiveHint: true } });
const tools: AnyTool[] = [addTool, slow, never, destroy];

const call = (id: number, index = 0, args: unknown = { a: id }): unknown => ({
  type: "call",
  id,
  tool: index,
  args,
  line: 1,
});
const result = (value: unknown): unknown => ({ type: "result", value, bytes: 1, conversions: [], warnings: [] });
const idle = (answered: number): unknown => ({ type: "idle", answered });

/** A guest that says all of this as soon as it got its program. */
const saying = (...messages: unknown[]): HostileGuest =>
  new HostileGuest((heard, guest) => {
    if (heard.type === "run") guest.say(...messages);
  });

it("should serve an honest guest with calls in flight together", async () => {
  const answers: unknown[] = [];
  const guest = new HostileGuest((heard, self) => {
    if (heard.type === "run") self.say(call(0, 1, {}), call(1), idle(0));
    else {
      answers.push([heard.id, heard.value]);
      self.say(answers.length < 2 ? idle(1) : result(answers));
    }
  });
  const run = await runHostile(guest, tools);
  expect(run).toMatchObject({ status: "ok", stats: { toolCalls: 2 } });
  expect(answers).toEqual([
    [1, 3],
    [0, "slow"],
  ]);
});

const broken: Record<string, unknown[]> = {
  "a call that starts at one": [call(1)],
  "the same id twice": [call(0), call(0)],
  "an id left out": [call(0), call(2)],
  "an id that goes back": [call(0), call(1), call(0)],
  "an id that is a text": [{ type: "call", id: "0", tool: 0, args: {}, line: 1 }],
  "an id below zero": [call(-1)],
  "an id that is no whole number": [call(0.5)],
  "no id": [{ type: "call", tool: 0, args: {}, line: 1 }],
  "an unknown tool": [call(0, 7)],
  "a tool below zero": [call(0, -1)],
  "a tool that is no whole number": [call(0, 0.5)],
  "a tool by name": [{ type: "call", id: 0, tool: "constructor", args: {} }],
  "a tool by index as text": [{ type: "call", id: 0, tool: "0", args: {} }],
  "a tool of the list's own properties": [{ type: "call", id: 0, tool: "length", args: {} }],
  "arguments that are a list": [call(0, 0, [1])],
  "arguments that are a text": [call(0, 0, "a")],
  "arguments that are null": [call(0, 0, null)],
  "no arguments": [{ type: "call", id: 0, tool: 0 }],
  "idle with nothing in flight": [idle(0)],
  "idle about answers that were never given": [call(0), idle(1)],
  "idle about a thousand answers": [call(0, 2, {}), idle(1000)],
  "idle below zero": [call(0), idle(-1)],
  "idle without a number": [call(0), { type: "idle" }],
  "idle and then a log": [call(0, 2, {}), idle(0), { type: "log", stream: "stdout", text: "x" }],
  "idle and then a call": [call(0, 2, {}), idle(0), call(1)],
  "idle and then a result": [call(0, 2, {}), idle(0), result("forged")],
  "idle twice": [call(0, 2, {}), idle(0), idle(0)],
  "an unknown type": [{ type: "shell", command: "id" }],
  "a type from the prototype": [{ type: "constructor" }, { type: "__proto__" }],
  "no type": [{}],
  "a result without a value": [{ type: "result" }],
  "a value that is inherited": [Object.create({ type: "result", value: "forged" })],
  "an error without an error": [{ type: "error" }],
  "an odd error": [{ type: "error", error: { type: 1, message: [] } }],
  "an error without a type": [{ type: "error", error: { type: "", message: "x" } }],
  "a log to the host": [{ type: "log", stream: "host", text: "x" }],
  "a log of data": [{ type: "log", stream: "stdout", text: { toString: 1 } }],
  "logs without end": Array(2000).fill({ type: "log", stream: "stdout", text: "x" }),
  "empty logs without end": Array(2000).fill({ type: "log", stream: "stdout", text: "" }),
  "cut marks without end": Array(3).fill({ type: "log", stream: "stdout", text: "x", cut: true }),
  "usage twice": [
    { type: "usage", memoryMb: 1 },
    { type: "usage", memoryMb: 1 },
  ],
  "usage in words": [{ type: "usage", memoryMb: "much" }],
  "ready again": [{ type: "ready" }],
  "an answer to itself": [call(0), { type: "return", id: 0, value: "forged" }],
  "a result larger than allowed": [{ type: "result", value: "x".repeat(3_000_000), bytes: 10 }],
};

it.each(Object.entries(broken))("should end as EngineFailure and end the guest: %s", async (_, messages) => {
  const guest = saying(...messages);
  const run = await runHostile(guest, tools);
  expect(run).toMatchObject({ status: "error", error: { type: "EngineFailure" } });
  expect(JSON.stringify(run)).not.toContain("forged");
  expect(guest.killed).toBe(true);
});

it("should end as EngineFailure when the guest is gone, also with calls in flight", async () => {
  for (const messages of [[], [call(0, 2, {})], [call(0, 2, {}), idle(0)]]) {
    const guest = new HostileGuest((heard, self) => {
      if (heard.type !== "run") return;
      self.say(...messages);
      self.end();
    });
    expect(await runHostile(guest, tools)).toMatchObject({ error: { type: "EngineFailure" } });
  }
});

it.each<[string, unknown[]]>([
  ["says nothing", []],
  ["works on while a call is out, without a word", [call(0, 2, {})]],
  ["calls, and never says that it waits", [call(0)]],
])("should end as Timeout when the guest %s", async (_, messages) => {
  const run = await runHostile(saying(...messages), tools);
  expect(run).toMatchObject({ status: "error", error: { type: "Timeout" } });
});

it("should not let a guest that pretends to wait work for longer than the tools may take", async () => {
  const run = await runHostile(saying(call(0, 2, {}), idle(0)), tools);
  expect(run).toMatchObject({ status: "error", error: { type: "Timeout", message: expect.stringContaining("tools") } });
});

it("should not let old news of waiting stop the clock", async () => {
  // It has got an answer, says again and again that it has taken none, and works on.
  const guest = new HostileGuest((heard, self) => {
    if (heard.type === "run") self.say(call(0), call(1, 2, {}));
    else for (let index = 0; index < 500; index++) self.say(idle(0));
  });
  expect(await runHostile(guest, tools)).toMatchObject({
    error: { type: "Timeout", message: expect.stringContaining("program") },
  });
});

it("should count the first outcome only, and hear nothing after it", async () => {
  const logs: unknown[] = [];
  const calls: unknown[] = [];
  const guest = saying(result(1), result(2), { type: "error", error: { type: "E", message: "m" } }, call(0), {
    type: "log",
    stream: "stdout",
    text: "late",
  });
  const run = await runHostile(guest, tools, {
    onLog: (entry) => logs.push(entry),
    onToolCallStart: (c) => calls.push(c),
  });
  expect(run).toMatchObject({ status: "ok", value: 1, logs: [], toolCalls: [] });
  expect([logs, calls]).toEqual([[], []]);
});

it("should take nothing from a guest whose program ended before its calls did", async () => {
  const guest = saying(call(0, 1, {}), result("first"), call(1), result("forged"), {
    type: "log",
    stream: "stdout",
    text: "late",
  });
  const run = await runHostile(guest, tools);
  expect(run).toMatchObject({ status: "ok", value: "first", logs: [], toolCalls: [{ name: "slow", ok: true }] });
  expect(JSON.stringify(run)).not.toContain("forged");
});

it("should stop at the limit of calls, however they come", async () => {
  const flood = Array.from({ length: 1000 }, (_, id) => call(id, 2, {}));
  const started: unknown[] = [];
  const run = await runHostile(saying(...flood), tools, { onToolCallStart: (c) => started.push(c) });
  expect(run).toMatchObject({ error: { type: "ToolCallLimit" }, stats: { toolCalls: 5 } });
  expect(started).toHaveLength(5);
});

it("should ask before a destructive call, whatever the guest says of it", async () => {
  const forged = { type: "call", id: 0, tool: 3, args: { approved: true }, approved: true, annotations: {}, line: 1 };
  const guest = new HostileGuest((heard, self) => {
    if (heard.type === "run") self.say(forged, idle(0));
    else self.say(result(heard.type));
  });
  expect(await runHostile(guest, tools)).toMatchObject({ value: "throw", toolCalls: [{ error: { type: "Denied" } }] });
  expect(destroyed).toEqual([]);
});

it("should point at no call and no line that a hostile error makes up", async () => {
  const error = {
    type: "ToolError",
    message: "m",
    call: 0,
    line: 1e9,
    column: -1,
    sourceLine: "x".repeat(1e6),
    hint: 5,
  };
  for (const made of [error, { ...error, call: -1 }, { ...error, call: "length" }, { ...error, call: 1e9 }]) {
    const run = await runHostile(saying({ type: "error", error: made }), tools);
    expect(run).toMatchObject({ status: "error", error: { type: "ToolError", message: "m" } });
    const told = run.status === "error" ? run.error : undefined;
    expect(told?.callId).toBeUndefined();
    expect(told?.sourceLine?.length ?? 0).toBeLessThanOrEqual(10_000);
  }
});

it("should give a tool its arguments without keys of prototypes", async () => {
  const seen: unknown[] = [];
  const spy = tool("spy", {}, (args) => seen.push(Reflect.ownKeys(args as object), Object.getPrototypeOf(args)), {
    additionalProperties: {},
  });
  const args = JSON.parse('{"__proto__":{"polluted":true},"x":1}');
  await runHostile(saying(call(0, 0, args), result(1)), [spy]);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(seen[1] === Object.prototype || seen[1] === null).toBe(true);
});

const anyValue = fc.jsonValue({ maxDepth: 2 });
const small = fc.oneof(fc.integer({ min: -1, max: 6 }), fc.constantFrom("0", null, 0.5, undefined, Number.NaN));
const anyMessage = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("call"),
      id: small,
      tool: small,
      args: fc.oneof(fc.constant({}), anyValue),
      line: small,
    }),
  },
  { weight: 6, arbitrary: fc.nat(4).map((id) => call(id, id % 4)) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant("idle"), answered: small }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant("log"),
      stream: fc.constantFrom("stdout", "stderr", "host"),
      text: fc.string(),
      cut: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("usage"), memoryMb: small }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("result"),
      value: anyValue,
      bytes: small,
      conversions: anyValue,
      warnings: anyValue,
    }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("error"), error: anyValue, conversions: anyValue }) },
  { weight: 1, arbitrary: anyValue.filter((value) => typeof value === "object" && value !== null) },
);

const life = fc.tuple(
  fc.array(fc.array(anyMessage, { maxLength: 5 }), { minLength: 1, maxLength: 5 }),
  fc.constantFrom<"wait" | "end">("wait", "end"),
);

async function checkLife([script, last]: [unknown[][], "wait" | "end"]): Promise<void> {
  let turn = 0;
  const guest = new HostileGuest((_, self) => {
    self.say(...(script[turn++] ?? []));
    if (turn >= script.length && last === "end") self.end();
  });
  const started: string[] = [];
  const ended: string[] = [];
  const run = await runHostile(guest, tools, {
    onToolCallStart: ({ callId }) => started.push(callId),
    onToolCall: ({ callId }) => ended.push(callId),
    limits: { timeoutMs: 1, toolTimeMs: 60 },
  });
  expect(guest.killed).toBe(true);
  expect(run.toolCalls.length).toBeLessThanOrEqual(5);
  expect(run.toolCalls.map(({ callId }) => callId)).toEqual(started);
  expect(new Set(ended).size).toBe(ended.length);
  expect(JSON.parse(JSON.stringify(run.status === "ok" ? (run.value ?? null) : run.error))).toBeDefined();
  const before = JSON.stringify(run);
  guest.say(result("forged"), call(0), call(1));
  await new Promise((resolve) => setImmediate(resolve));
  expect(JSON.stringify(run)).toBe(before);
}

/** Guests at the same time: most of what one takes is waiting for its limits. */
const GROUP = 20;
const guests = share("guests", 60, 10_000);

it(`should come to one outcome whatever a guest says, and when: ${guests.told}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(life, { minLength: GROUP, maxLength: GROUP }), async (lives) => {
      await Promise.all(lives.map(checkLife));
    }),
    { seed: 20_261_122, numRuns: guests.count / GROUP },
  );
}, 600_000);
