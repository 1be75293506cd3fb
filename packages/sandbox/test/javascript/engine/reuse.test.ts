import { describe, expect, it } from "vitest";
import { MessageGuest } from "../../../src/javascript/message-guest.ts";
import { resolveLimits } from "../../../src/limits.ts";
import { createSandbox } from "../../../src/node/index.ts";
import { WorkerThread } from "../../../src/node/javascript/worker-thread.ts";
import { javascriptSandbox } from "../../own-sandbox.ts";
import { addTool } from "../../support.ts";

describe("programs that follow one another in a thread", () => {
  it("should share a thread when they take turns", async () => {
    await using sandbox = javascriptSandbox();
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
      await using sandbox = javascriptSandbox({
        ...{ pool: { size: 0 }, limits: { timeoutMs: 500, memoryMb: 32 } },
      });
      expect((await sandbox.run(code)).status).toBe("error");
      expect(await sandbox.run("return 1")).toMatchObject({ status: "ok", value: 1, stats: { reused: 0 } });
      expect(sandbox.stats().started).toBe(2);
    },
    60_000,
  );

  const outcomes = [
    ["ended in a time limit", { limits: { timeoutMs: 300 } }, "for (;;) {}", "failed"],
    ["gave too much", { limits: { maxResultBytes: 1000 } }, "return 'x'.repeat(2000)", "failed"],
    ["called too much", { limits: { maxToolCalls: 1 } }, "await add({ a: 1 }); await add({ a: 1 })", "failed"],
    ["was the last that it may run", { reuse: { maxPrograms: 2 } }, "return 1", "programs"],
    ["ended after its time", { reuse: { maxMs: 0 } }, "return 1", "age"],
    [
      "made its memory grow too far",
      { reuse: { maxGrownMb: 10 } },
      "const held = new Uint8Array(30 << 20); return held.length",
      "grown",
    ],
  ] as const;

  it.each(outcomes)(
    "should end a thread whose program %s, and count it",
    async (_, options, code, reason) => {
      await using sandbox = javascriptSandbox({ tools: [addTool], ...options });
      // One that is ready from the start would otherwise take the next program.
      await sandbox.run("return 1");
      const before = sandbox.stats().retired[reason];
      await sandbox.run(code);
      const { retired } = sandbox.stats();
      expect(retired[reason]).toBe(before + 1);
      expect(await sandbox.run("return 1")).toMatchObject({ status: "ok", stats: { reused: 0 } });
    },
    60_000,
  );

  it("should share a thread within their domain, and never across", async () => {
    await using sandbox = javascriptSandbox({ domain: "a", pool: { size: 3 } });
    const reused: [string | undefined, number][] = [];
    for (const domain of [undefined, "a", "A", "a ", "A", "b"]) {
      const { stats } = await sandbox.run("return 1", domain === undefined ? {} : { domain });
      reused.push([stats.domain, stats.reused]);
    }
    expect(reused).toEqual([
      ["a", 0],
      ["a", 1],
      ["A", 0],
      ["a ", 0],
      ["A", 1],
      ["b", 0],
    ]);
    await using open = javascriptSandbox({ pool: { size: 2 } });
    expect((await open.run("return 1")).stats).not.toHaveProperty("domain");
    expect((await open.run("return 1", { domain: "a" })).stats.reused).toBe(0);
    expect((await open.run("return 1")).stats.reused).toBe(1);
    await expect(open.run("return 1", { domain: "" })).rejects.toThrow("domain must be text that is not empty");
  }, 60_000);

  it("should see the same stacks in every run", async () => {
    await using sandbox = javascriptSandbox();
    const stacks = new Set<unknown>();
    for (let index = 0; index < 60; index++) {
      const run = await sandbox.run("try { null.x } catch (error) { return error.stack }");
      stacks.add(run.status === "ok" ? run.value : run.error);
    }
    expect([...stacks]).toHaveLength(1);
  }, 60_000);

  it("should have a thread each when the host wants that", async () => {
    await using sandbox = javascriptSandbox({ reuse: { maxPrograms: 1 } });
    for (let index = 0; index < 3; index++) await sandbox.run("return 1");
    expect(sandbox.stats().started).toBeGreaterThanOrEqual(3);
  }, 60_000);

  it.each([
    [{ language: "python", reuse: { maxGrownMb: -1 } }, "reuse.maxGrownMb must be a whole number"],
    [{ language: "javascript", domain: "" }, "domain must be text that is not empty"],
    [
      { language: "javascript", reuse: { maxProgram: 1 } },
      'reuse has no option "maxProgram". Did you mean "maxPrograms"?',
    ],
    [{ language: "javascript", reuse: { maxPrograms: 0 } }, "reuse.maxPrograms must be a whole number"],
  ])("should refuse %j", (options, message) => {
    expect(() => createSandbox(options as never)).toThrow(message);
  });
});

describe("a thread that was broken into", () => {
  const limits = resolveLimits("javascript");
  const guestOf = (code: string): MessageGuest => {
    const source = `import { workerData } from "node:worker_threads"; const { port } = workerData; ${code}`;
    const script = new URL(`data:text/javascript,${encodeURIComponent(source)}`);
    return new MessageGuest(new WorkerThread({ script, workerData: {}, heapMb: 64 }), limits, 20_000);
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
