import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { expect, it } from "vitest";
import type { Engine, Guest, GuestListener } from "../../src/engine.ts";
import { resolveLimits } from "../../src/limits.ts";
import { makeSandbox } from "../../src/sandbox.ts";
import type { Sandbox } from "../../src/sandbox-types.ts";
import { tool } from "../support.ts";
import { resultOf, wrapLog } from "./support.ts";

// A real program diverges only when something of ours is wrong: these guests do what no program could.

/** What a guest says, in order; `wait` is until the next answer. */
type Line = "wait" | Record<string, unknown>;

const call = (id: number, n: number): Line => ({ type: "call", id, tool: 0, args: { n } });
const idle = (answered: number): Line => ({ type: "idle", answered });
const result = (value: unknown): Line => ({ type: "result", value, bytes: 10, conversions: [], warnings: [] });

class ScriptedGuest implements Guest {
  readonly ready: Promise<void> = Promise.resolve();
  readonly ended: Promise<void>;
  readonly answers: unknown[] = [];
  readonly #script: Line[];
  #listener: GuestListener | undefined;
  #answersToCome = 0;
  #markEnded: () => void = () => {};

  constructor(script: readonly Line[]) {
    this.#script = [...script];
    this.ended = new Promise((resolve) => {
      this.#markEnded = resolve;
    });
  }

  listen(listener: GuestListener): void {
    this.#listener = listener;
  }

  send(json: string): void {
    const message = JSON.parse(json) as { type: string };
    if (message.type !== "run") {
      this.answers.push(message);
      this.#answersToCome++;
    }
    setTimeout(() => this.#speak(), 1);
  }

  #speak(): void {
    while (this.#script.length > 0) {
      if (this.#script[0] === "wait" && this.#answersToCome-- <= 0) {
        this.#answersToCome = 0;
        return;
      }
      const line = this.#script.shift() as Line;
      if (line !== "wait") this.#listener?.onMessage({ ...line }, 10);
    }
  }

  kill(): void {
    this.#script.length = 0;
    this.#markEnded();
  }

  hold(): void {}
}

/** A sandbox whose guests follow these scripts, one after the other. */
function scripted(...scripts: Line[][]): Sandbox {
  const left = [...scripts];
  const engine: Engine = {
    language: "javascript",
    label: "scripted 1",
    concurrent: true,
    isolation: "worker",
    snapshot: "none",
    prepare: async () => {},
    spawn: () => new ScriptedGuest(left.shift() ?? []),
  };
  const limits = resolveLimits("javascript", {});
  return makeSandbox(
    { language: "javascript", pool: { size: 0 } },
    { engine, limits, pool: { size: 0, maxConcurrency: 4 } },
  );
}

const effects: number[] = [];
const ask = tool("pay", { n: { type: "integer" } }, async ({ n }: { n: number }) => n, {
  annotations: { requiresApproval: true },
});

/** Two answers are in the journal, a third call waits. */
const first: Line[] = [
  call(0, 1),
  idle(0),
  "wait",
  call(1, 2),
  idle(1),
  "wait",
  call(2, 3),
  idle(2),
  "wait",
  result(1),
];

const otherPrograms: [string, Line[], string][] = [
  ["another argument", [call(0, 9), idle(0), "wait"], 'call 1 is pay {"n":9}, and was pay {"n":1}'],
  ["another second call", [call(0, 1), idle(0), "wait", call(1, 9), idle(1), "wait"], 'call 2 is pay {"n":9}'],
  [
    "another last call, that was not made",
    [...first.slice(0, 6), call(2, 9), idle(2), "wait"],
    'call 3 is pay {"n":9}, and was another when',
  ],
  ["an early end", [result(0)], 'call 1 (pay {"n":1}) was made when the program ran first, and is not made now'],
  ["an end after a call", [call(0, 1), idle(0), "wait", result(0)], "call 2 (pay"],
  ["an end before the call that waits", [...first.slice(0, 6), result(0)], "call 3 was made"],
];

it.each(otherPrograms)("should end as Diverged, and leave the journal as it is: %s", async (_, script, message) => {
  const memory = new MemoryOperationLog();
  const writes: string[] = [];
  const log = wrapLog(memory, (method, args, run) => {
    const { key } = args[0] as { key: string };
    if (method === "begin" || method === "finish") writes.push(`${method} ${key}`);
    return run();
  });
  const durable = { storage: { operations: log }, id: "x" };
  const later = async (): Promise<"later"> => "later";
  const parked = await scripted(first).run("program", { tools: [ask], durable, approve: later });
  expect(parked).toMatchObject({ status: "parked", parked: { waiting: [{ args: { n: 1 } }] } });
  const approveTwo = async ({ input }: { input?: unknown }) =>
    (input as { n: number }).n < 3 ? ({ approved: true } as const) : ("later" as const);
  const options = { tools: [ask], durable, approve: approveTwo };
  expect(await scripted(first).run("program", options)).toMatchObject({ parked: { waiting: [{ args: { n: 3 } }] } });
  writes.length = 0;
  const run = await scripted(script).run("program", options);
  expect(run).toMatchObject({
    status: "error",
    error: { type: "Diverged", message: expect.stringContaining(message) },
  });
  expect(writes).toEqual([]);
  const approve = async () => ({ approved: true });
  expect(resultOf(await scripted(first).run("program", { ...options, approve }))).toBe(1);
});

it("should end as Diverged when a program that was parked in memory does not come back to the same point", async () => {
  const durable = { storage: { operations: new MemoryOperationLog() }, id: "x", parkAfterMs: 0 };
  for (const script of [
    [result(0)],
    [call(0, 9), idle(0), "wait"] as Line[],
    [call(0, 1), call(1, 5), idle(0)] as Line[],
  ]) {
    effects.length = 0;
    const slow = tool("pay", { n: { type: "integer" } }, async ({ n }: { n: number }) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      effects.push(n);
      return n;
    });
    const start = [call(0, 1), call(1, 2), idle(0), "wait"] as Line[];
    const run = await scripted(start, script, script).run("program", { tools: [slow], durable });
    expect(run).toMatchObject({
      status: "error",
      error: { type: "Diverged", message: /run again after it was parked/ },
    });
    durable.storage = { operations: new MemoryOperationLog() };
  }
});

it("should end as Timeout, not as Diverged, when a program does not come as far as before in its time", async () => {
  const timeout: Line = {
    type: "error",
    error: { type: "Timeout", message: "too slow" },
    conversions: [],
    warnings: [],
  };
  const options = { tools: [ask], durable: { storage: { operations: new MemoryOperationLog() }, id: "x" } };
  const approveOne = async ({ input }: { input?: unknown }) =>
    (input as { n: number }).n < 2 ? ({ approved: true } as const) : ("later" as const);
  await scripted(first).run("program", { ...options, approve: approveOne });
  const late = await scripted([...first.slice(0, 3), timeout]).run("program", options);
  expect(late).toMatchObject({ status: "error", error: { type: "Timeout" } });
  const run = await scripted(first).run("program", { ...options, approve: async () => ({ approved: true }) });
  expect(resultOf(run)).toBe(1);
  // The same in the memory of one process.
  const slow = tool("pay", { n: { type: "integer" } }, () => new Promise((resolve) => setTimeout(resolve, 30)));
  const durable = { storage: { operations: new MemoryOperationLog() }, id: "x", parkAfterMs: 0 };
  const parked = await scripted(first, [timeout]).run("program", { tools: [slow], durable });
  expect(parked).toMatchObject({ status: "error", error: { type: "Timeout" }, stats: { parked: 1 } });
});

it("should deliver answers in the order in which the program got them before", async () => {
  const durable = { storage: { operations: new MemoryOperationLog() }, id: "order", leaseMs: 300 };
  const waits: Record<number, number> = { 1: 60, 2: 30, 3: 0 };
  const slow = tool("pay", { n: { type: "integer" } }, async ({ n }: { n: number }) => {
    await new Promise((resolve) => setTimeout(resolve, waits[n]));
    if (n === 4) return await new Promise(() => {});
    return n;
  });
  const calls = [call(0, 1), call(1, 2), call(2, 3), idle(0), "wait", "wait", "wait"] as Line[];
  const controller = new AbortController();
  const dying = scripted([...calls, call(3, 4), idle(3), "wait"]);
  const tools = [slow];
  const stopped = dying.run("program", {
    ...{ tools, durable, signal: controller.signal },
    onToolCallStart: ({ args }) => args.n === 4 && setTimeout(() => controller.abort(), 20),
  });
  expect(await stopped).toMatchObject({ error: { type: "Aborted" } });
  const told: unknown[] = [];
  const run = await scripted([...calls, call(3, 4), idle(3), "wait", result(2)]).run("program", {
    tools: [{ ...slow, annotations: { idempotentHint: true }, execute: () => 44 }],
    durable,
    onToolCall: ({ args }, value) => told.push([args.n, value]),
  });
  expect(resultOf(run)).toBe(2);
  expect(told).toEqual([
    [3, 3],
    [2, 2],
    [1, 1],
    [4, 44],
  ]);
});

it.each([
  ["timeZone", "Mars/Olympus", /time zone Mars\/Olympus/],
  ["engine", "scripted 0", /engine scripted 0/],
  ["version", 99, /version 99/],
  ["tools", { pay: "pay(n, note)" }, /the tool pay was pay\(n, note\), and is pay\(n\)/],
  ["tools", { gone: "gone()" }, /the tool gone is missing/],
])("should run nothing when its %s was %o", async (field, value, message) => {
  const memory = new MemoryOperationLog();
  const log = wrapLog(memory, (method, args, run) => {
    if (method !== "begin" || (args[0] as { key: string }).key !== "run") return run();
    const [claim, data] = args as [Parameters<typeof memory.begin>[0], Record<string, never>];
    return memory.begin(claim, { ...data, [field]: value });
  });
  effects.length = 0;
  const options = { tools: [ask], approve: async () => "later" as const };
  await scripted(first).run("program", { ...options, durable: { storage: { operations: log }, id: "x" } });
  const run = await scripted(first).run("program", {
    ...options,
    durable: { storage: { operations: memory }, id: "x" },
  });
  expect(run).toMatchObject({ status: "error", error: { type: "Diverged", message }, stats: { toolCalls: 0 } });
});

it("should not go on with a run that is older than what is remembered", async () => {
  const memory = new MemoryOperationLog();
  const log = wrapLog(memory, (method, args, run) => {
    if (method !== "begin" || (args[0] as { key: string }).key !== "run") return run();
    const [claim, data] = args as [Parameters<typeof memory.begin>[0], { clock: number }];
    return memory.begin(claim, { ...data, clock: data.clock - 40 * 24 * 3_600_000 });
  });
  const options = { tools: [ask], approve: async () => "later" as const };
  await scripted(first).run("program", { ...options, durable: { storage: { operations: log }, id: "x" } });
  const old = scripted(first).run("program", { ...options, durable: { storage: { operations: memory }, id: "x" } });
  await expect(old).rejects.toMatchObject({ code: "sandbox/run-expired", data: { id: "x" } });
});
