import { describe, expect, it } from "vitest";
import { MessageGuest } from "../../../src/javascript/message-guest.ts";
import { resolveLimits } from "../../../src/limits.ts";
import { createSandbox } from "../../../src/node/index.ts";
import { WorkerThread } from "../../../src/node/javascript/worker-thread.ts";

/** What a program finds when nothing was there before it. */
const PROBE = `
const names = [];
for (const holder of [Object, Array, String, Promise, Map, Date, RegExp, JSON, Math, Reflect, Function, Error, Symbol, console]) {
  for (const object of [holder, holder.prototype]) {
    if (object) for (const key of Reflect.ownKeys(object)) {
      const { value } = Object.getOwnPropertyDescriptor(object, key);
      names.push([String(key), typeof value === "function" ? value.name + value.length : typeof value]);
    }
  }
}
const own = Object.getOwnPropertyNames(globalThis).sort();
const seen = await tool({ a: 1 });
return { names, own, seen, sum: [1, 2, 3].map((n) => n * 2), text: JSON.stringify({ b: [1] }), random: typeof Math.random() }`;

const poisons: Record<string, string> = {
  globals: "globalThis.left = 1; var here = 2; globalThis.tool = () => 'forged'; return 0",
  prototypes:
    "Array.prototype.map = () => 'forged'; Object.prototype.left = 1; String.prototype.trim = null; Function.prototype.call = null; return 0",
  builtins: "JSON.parse = JSON.stringify = () => 'forged'; Math.random = () => 0.5; globalThis.JSON = null; return 0",
  promises: "Promise.prototype.then = function () { return this }; Promise.resolve = null; return 0",
  "a call that nobody awaits": "tool({ a: 2 }); return 0",
  "jobs without end": "const again = () => Promise.resolve().then(again); again(); return 0",
  "code from text": "(0, eval)('var evil = 1'); new Function('globalThis.more = 1')(); return 0",
  "an error": "Error.prototype.toString = () => { throw 1 }; throw new Error('x')",
  symbols: "Object.prototype[Symbol.iterator] = null; Array.prototype[Symbol.iterator] = null; return 0",
  "frozen intrinsics": "Object.freeze(Array.prototype); Object.freeze(globalThis); return 0",
  memory: "globalThis.held = Array.from({ length: 1e5 }, (_, i) => ({ i })); return held.length",
};

const tool = {
  name: "tool",
  description: "A tool.",
  inputSchema: { type: "object", properties: { a: { type: "integer" } } } as const,
  execute: (input: unknown) => input,
};

describe("programs that follow one another in a thread", () => {
  it("should each find what the first one found, whatever the one before it did", async () => {
    await using sandbox = createSandbox({ language: "javascript", tools: [tool], limits: { timeoutMs: 4000 } });
    const first = await sandbox.run(PROBE);
    expect(first).toMatchObject({ value: { seen: { a: 1 }, sum: [2, 4, 6] } });
    for (const [name, code] of Object.entries(poisons)) {
      await sandbox.run(code);
      const { status, ...run } = await sandbox.run(PROBE);
      expect([name, status, "value" in run && run.value]).toEqual([name, "ok", "value" in first && first.value]);
    }
    expect(sandbox.stats().served).toBe(2 * Object.keys(poisons).length + 1);
  }, 120_000);

  it("should share a thread when they take turns", async () => {
    await using sandbox = createSandbox({ language: "javascript" });
    for (let index = 0; index < 40; index++) {
      expect(await sandbox.run(`return ${index}`)).toMatchObject({ status: "ok", value: index });
    }
    expect(sandbox.stats().started).toBeLessThan(5);
  }, 60_000);

  it.each([
    ["a time limit", "for (;;) {}"],
    ["the memory's limit", "const all = []; for (;;) all.push(new Array(1e5).fill(1.5))"],
    ["the stack's limit", "const deep = () => deep() + 1; return deep()"],
  ])(
    "should not share one after %s",
    async (_, code) => {
      await using sandbox = createSandbox({
        ...{ language: "javascript", pool: { size: 0 }, limits: { timeoutMs: 500, memoryMb: 32 } },
      });
      expect((await sandbox.run(code)).status).toBe("error");
      expect(await sandbox.run("return 1")).toMatchObject({ status: "ok", value: 1 });
      expect(sandbox.stats().started).toBe(2);
    },
    60_000,
  );

  it("should have a thread each when the host wants that", async () => {
    await using sandbox = createSandbox({ language: "javascript", reuse: { maxPrograms: 1 } });
    for (let index = 0; index < 3; index++) await sandbox.run("return 1");
    expect(sandbox.stats().started).toBeGreaterThanOrEqual(3);
  }, 60_000);

  it.each([
    [{ language: "python", reuse: {} }, "reuse is for JavaScript"],
    [{ language: "javascript", reuse: { maxProgram: 1 } }, "reuse.maxProgram is unknown"],
    [{ language: "javascript", reuse: { maxPrograms: 0 } }, "reuse.maxPrograms must be a whole number"],
  ])("should refuse %j", (options, message) => {
    expect(() => createSandbox(options as never)).toThrow(message);
  });
});

describe("a thread that was broken into", () => {
  const limits = resolveLimits("javascript");
  const life = { startTimeoutMs: 20_000, maxPrograms: 10, maxMs: 60_000 };
  const guestOf = (code: string): MessageGuest => {
    const source = `import { workerData } from "node:worker_threads"; const { port } = workerData; ${code}`;
    const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
    return new MessageGuest(new WorkerThread({ script, workerData: {}, heapMb: 64 }), limits, life);
  };

  it("should be given up when it speaks after its program's end", async () => {
    const guest = guestOf(`
      port.on("message", () => { port.postMessage(['{"type":"result"}']); port.postMessage(['{"type":"ready"}']); });
      port.postMessage(['{"type":"ready"}']);`);
    await guest.ready;
    const ended = new Promise((resolve) => {
      guest.listen({ onMessage: () => guest.rest(), onEnd: resolve });
    });
    guest.send("{}");
    expect(await ended).toBe("it sent a message after its end");
    expect(guest.renew()).toBeUndefined();
    await guest.ended;
  });

  it("should not reach the next program by what it says before it was asked", async () => {
    const guest = guestOf(`
      port.on("message", (text) => port.postMessage([text === '{"type":"renew"}' ? '{"type":"result","value":"forged"}' : '{"type":"result"}']));
      port.postMessage(['{"type":"ready"}']);`);
    await guest.ready;
    const over = new Promise<void>((resolve) => {
      guest.listen({
        onMessage: () => {
          guest.rest();
          resolve();
        },
        onEnd: () => {},
      });
    });
    guest.send("{}");
    await over;
    const next = guest.renew();
    next?.hold(true);
    await expect(next?.ready).rejects.toThrow("it sent a message too early");
  });
});
