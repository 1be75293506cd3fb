import type { ApprovalRequest, Decision, ExecutorContext, ExecutorEvent, ToolCall } from "@toolglot/core";
import { describe, expect, it, vi } from "vitest";
import { defineTool, Toolkit, ToolResponse, toolkitExecutor } from "../src/index.ts";
import { sleep } from "./support.ts";

function call(id: string, name: string, input: unknown = {}): ToolCall {
  return { id, name, input, protocol: "native" };
}

/** Runs calls; gives results, events and what the host was asked. */
async function run(
  kit: Toolkit,
  calls: ToolCall[],
  options: { maxConcurrency?: number; approve?: ExecutorContext["approve"]; signal?: AbortSignal } = {},
) {
  const events: ExecutorEvent[] = [];
  const asked: ApprovalRequest[] = [];
  const approve = async (request: ApprovalRequest): Promise<Decision> => {
    asked.push(request);
    return options.approve?.(request) ?? { approved: true };
  };
  const executor = toolkitExecutor(
    kit,
    options.maxConcurrency === undefined ? {} : { maxConcurrency: options.maxConcurrency },
  );
  const action = { kind: "calls" as const, calls, span: { start: 0, end: 0 } };
  const results = await executor.execute(action, {
    signal: options.signal ?? new AbortController().signal,
    emit: (event) => events.push(event),
    approve,
    runId: "r",
    stepIndex: 0,
  });
  return { results, events, asked };
}

/** A kit whose tools note when they start and end. */
function tracingKit() {
  const log: string[] = [];
  const kit = new Toolkit();
  const ends = new Map<string, { ended: Promise<void>; end: () => void }>();
  const endOf = (id: string): { ended: Promise<void>; end: () => void } => {
    let found = ends.get(id);
    if (!found) {
      let end = (): void => {};
      const ended = new Promise<void>((resolve) => {
        end = resolve;
      });
      found = { ended, end };
      ends.set(id, found);
    }
    return found;
  };
  const add = (name: string, annotations: object) =>
    kit.registerToolFunction(
      defineTool({
        name,
        description: "d",
        args: { id: "string", "ms?": "integer = 5", "after?": "string" },
        annotations,
        execute: async ({ id, ms, after }) => {
          log.push(`+${id}`);
          // Ends after another call, or after some time.
          await (after === undefined ? sleep(ms) : endOf(after).ended);
          log.push(`-${id}`);
          endOf(id).end();
          return id;
        },
      }),
    );
  add("read", { readOnlyHint: true });
  add("write", {});
  add("drop", { destructiveHint: true });
  return { kit, log };
}

describe("order", () => {
  it("should run reads side by side, and writes alone, as if one after another", async () => {
    const { kit, log } = tracingKit();
    const { results } = await run(kit, [
      call("1", "read", { id: "r1", after: "r2" }),
      call("2", "read", { id: "r2", ms: 1 }),
      call("3", "write", { id: "w1" }),
      call("4", "write", { id: "w2" }),
      call("5", "read", { id: "r3", after: "r4" }),
      call("6", "read", { id: "r4", ms: 1 }),
    ]);
    expect(log).toEqual(["+r1", "+r2", "-r2", "-r1", "+w1", "-w1", "+w2", "-w2", "+r3", "+r4", "-r4", "-r3"]);
    expect(results.map(({ callId, data }) => `${callId} ${String(data)}`)).toEqual([
      "1 r1",
      "2 r2",
      "3 w1",
      "4 w2",
      "5 r3",
      "6 r4",
    ]);
  });

  it("should keep to the bound", async () => {
    let running = 0;
    let most = 0;
    const kit = new Toolkit();
    const execute = async () => {
      most = Math.max(most, ++running);
      await sleep(2);
      running--;
    };
    kit.registerToolFunction(execute, { name: "r", description: "d", annotations: { readOnlyHint: true } });
    const calls = Array.from({ length: 9 }, (_, index) => call(`${index}`, "r"));
    expect((await run(kit, calls, { maxConcurrency: 3 })).results).toHaveLength(9);
    expect(most).toBe(3);
  });

  it("should refuse a bound that is none", () => {
    expect(() => toolkitExecutor(new Toolkit(), { maxConcurrency: 0 })).toThrow(TypeError);
  });
});

describe("results and events", () => {
  it("should give one result and one pair of events per call, with times", async () => {
    const { kit } = tracingKit();
    const { results, events } = await run(kit, [
      call("a", "read", { id: "x" }),
      call("b", "nope"),
      call("c", "write", { id: 5 }),
    ]);
    expect(results).toMatchObject([
      {
        callId: "a",
        name: "read",
        status: "ok",
        data: "x",
        content: [{ text: "x" }],
        metadata: { ms: expect.any(Number) },
      },
      { callId: "b", name: "nope", status: "error", error: { type: "UnknownTool" } },
      { callId: "c", name: "write", status: "error", error: { type: "InvalidInput", issues: [{ path: "id" }] } },
    ]);
    for (const id of ["a", "b", "c"]) {
      const own = events.filter(({ callId }) => callId === id).map(({ type }) => type);
      expect(own).toEqual(["tool-call-start", "tool-call-end"]);
    }
    expect(events.find((event) => event.type === "tool-call-end" && event.callId === "a")).toMatchObject({
      status: "ok",
      data: "x",
      ms: expect.any(Number),
    });
    expect(results[0]).not.toHaveProperty("error");
  });

  it("should tell progress as chunks come", async () => {
    const kit = new Toolkit();
    const execute = async function* () {
      yield { done: 1 };
      yield [{ type: "text", text: "half" }];
      return "all";
    };
    kit.registerToolFunction(execute, { name: "s", description: "d" });
    const { results, events } = await run(kit, [call("a", "s")]);
    expect(events.map((event) => (event.type === "tool-call-progress" ? event.data : event.type))).toEqual([
      "tool-call-start",
      { done: 1 },
      "half",
      "tool-call-end",
    ]);
    expect(results[0]?.data).toBe("all");
  });

  it("should have an error for a response that only says it failed", async () => {
    const kit = new Toolkit();
    const execute = () => new ToolResponse({ content: "no such row", status: "error" });
    kit.registerToolFunction(execute, { name: "q", description: "d" });
    const { results } = await run(kit, [call("a", "q")]);
    expect(results[0]).toMatchObject({ status: "error", error: { type: "ToolError", message: "no such row" } });
  });

  it("should keep the warnings and conversions of a call", async () => {
    const kit = new Toolkit();
    kit.registerToolFunction((input: unknown) => input, {
      name: "p",
      description: "d",
      args: { key: "string", n: "integer" },
      presets: { key: "k" },
    });
    const { results } = await run(kit, [call("a", "p", { key: "mine", n: "1" })]);
    expect(results[0]).toMatchObject({
      data: { key: "k", n: 1 },
      metadata: { warnings: [expect.stringContaining("key")], conversions: [{ path: "n" }], ms: expect.any(Number) },
    });
  });

  it("should handle calls only", async () => {
    const executor = toolkitExecutor(new Toolkit());
    const span = { start: 0, end: 0 };
    expect(executor.handles({ kind: "calls", calls: [], span })).toBe(true);
    expect(executor.handles({ kind: "decline", message: "no", span })).toBe(false);
    await expect(executor.execute({ kind: "decline", message: "no", span }, {} as never)).rejects.toThrow(TypeError);
    expect((await run(new Toolkit(), [])).results).toEqual([]);
  });
});

describe("approval", () => {
  it("should be asked for destructive tools, after validation, with what the model can set", async () => {
    const { kit, log } = tracingKit();
    const { asked, results } = await run(kit, [call("a", "drop", { id: "x" }), call("b", "drop", { id: 1 })]);
    expect(asked).toEqual([
      {
        kind: "tool-call",
        callId: "a",
        tool: "drop",
        input: { id: "x" },
        reason: "The tool drop may destroy something.",
      },
    ]);
    expect(results.map(({ status }) => status)).toEqual(["ok", "error"]);
    expect(log).toEqual(["+x", "-x"]);
  });

  it("should stop a denied call, and tell the model", async () => {
    const { kit, log } = tracingKit();
    const approve = async () => ({ approved: false, reason: "not on Fridays", by: "ann" });
    const { results, events } = await run(kit, [call("a", "drop", { id: "x" }), call("b", "write", { id: "y" })], {
      approve,
    });
    expect(results).toMatchObject([
      {
        status: "denied",
        error: { type: "Denied", message: 'The call of the tool "drop" was denied: not on Fridays. It did not run.' },
        metadata: { deniedBy: "ann" },
      },
      { status: "ok" },
    ]);
    expect(log).toEqual(["+y", "-y"]);
    expect(events).toMatchObject([
      { type: "tool-call-start", callId: "a" },
      { type: "tool-call-end", callId: "a", status: "denied" },
      { callId: "b" },
      { callId: "b" },
    ]);
  });

  it("should be denied when the host can't be asked", async () => {
    for (const approve of [
      () => Promise.reject(new Error("no terminal")),
      () => {
        throw new Error("no terminal");
      },
      async () => undefined as never,
      async () => ({ approved: "yes" }) as never,
    ]) {
      const { kit, log } = tracingKit();
      expect((await run(kit, [call("a", "drop", { id: "x" })], { approve })).results[0]?.status).toBe("denied");
      expect(log).toEqual([]);
    }
  });

  it("should not count the host's time", async () => {
    const { kit } = tracingKit();
    const approve = async () => {
      await sleep(150);
      return { approved: true };
    };
    const { results } = await run(kit, [call("a", "drop", { id: "x", ms: 0 })], { approve });
    expect(results[0]?.metadata?.ms).toBeLessThan(140);
  });

  it("should be asked one question at a time", async () => {
    let open = 0;
    const approve = async () => {
      expect(++open).toBe(1);
      await sleep(2);
      open--;
      return { approved: true };
    };
    const kit = new Toolkit();
    const annotations = { readOnlyHint: true, requiresApproval: true };
    kit.registerToolFunction(() => 1, { name: "r", description: "d", annotations });
    const { asked } = await run(kit, [call("a", "r"), call("b", "r"), call("c", "r")], { approve });
    expect(asked.map(({ reason }) => reason)).toEqual(Array(3).fill("The tool r asks before each call."));
  });

  it("should end with the run", async () => {
    const { kit, log } = tracingKit();
    const controller = new AbortController();
    const approve = () => new Promise<Decision>(() => {});
    setTimeout(() => controller.abort(), 5);
    const calls = [call("a", "drop", { id: "x" }), call("b", "write", { id: "y" })];
    const { results } = await run(kit, calls, { approve, signal: controller.signal });
    expect(results.map(({ status }) => status)).toEqual(["interrupted", "interrupted"]);
    expect(log).toEqual([]);
  });

  it("should run what was shown, even when the host changes its copy", async () => {
    const kit = new Toolkit();
    const execute = vi.fn();
    kit.registerToolFunction(execute, {
      name: "d",
      description: "d",
      args: { path: "string" },
      annotations: { destructiveHint: true },
    });
    const approve = async (request: ApprovalRequest) => {
      (request.input as { path: string }).path = "/etc";
      return { approved: true };
    };
    await run(kit, [call("a", "d", { path: "/tmp" })], { approve });
    expect(execute.mock.calls[0]?.[0]).toEqual({ path: "/tmp" });
  });
});
