import { ProtocolError } from "@modelcontextprotocol/server";
import { ToolError } from "@toolglot/core";
import { settleOnce } from "@toolglot/core/once";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { describe, expect, it } from "vitest";
import { defineTool, Toolkit, type ToolkitOnce, type ToolResponse, toolkitExecutor } from "../src/index.ts";
import { inProcess, listed } from "./mcp/in-process.ts";

interface World {
  toolkit: Toolkit;
  log: MemoryOperationLog;
  /** Inputs with which the tool ran. */
  ran: unknown[];
}

type Act = (input: { n: number }, run: number) => unknown;

function world(act: Act, once: Partial<ToolkitOnce> = {}, register: object = {}, annotations: object = {}): World {
  const log = new MemoryOperationLog();
  const toolkit = new Toolkit({ once: { log, scope: "tenant", allowVolatile: true, ...once } });
  const ran: unknown[] = [];
  const tool = defineTool({
    name: "pay",
    description: "Pays.",
    args: { n: "integer", "to?": "string = ann" },
    annotations,
    execute: (input) => {
      ran.push(input);
      return act(input as never, ran.length);
    },
  });
  toolkit.registerToolFunction(tool, register);
  return { toolkit, log, ran };
}

async function call(toolkit: Toolkit, input: unknown, options: object = {}): Promise<ToolResponse[]> {
  const responses: ToolResponse[] = [];
  for await (const response of toolkit.callToolFunction({ name: "pay", input }, options)) responses.push(response);
  return responses;
}

const last = async (toolkit: Toolkit, input: unknown, options: object = {}): Promise<ToolResponse> =>
  (await call(toolkit, input, options)).at(-1) as ToolResponse;
const textOf = ({ content }: ToolResponse): string =>
  content.map((block) => (block.type === "text" ? block.text : block.type)).join("\n");

describe("a toolkit whose calls happen once", () => {
  it("should run a call once, and tell a model that repeats it in its first line", async () => {
    const { toolkit, ran } = world(({ n }) => ({ paid: n }));
    const first = await last(toolkit, { n: 5 });
    expect([first.data, textOf(first)]).toEqual([{ paid: 5 }, '{"paid":5}']);
    // In other words: as text, with a default, in another order.
    for (const input of [{ n: "5" }, { to: "ann", n: 5 }, '{"n":5}']) {
      const again = await last(toolkit, input);
      expect([again.status, again.data, again.metadata?.replayed]).toEqual(["ok", { paid: 5 }, true]);
      expect(textOf(again)).toMatch(
        /^\(This call was made before, at \S+Z\. Nothing was done now\. .*\)\n\{"paid":5\}$/,
      );
    }
    expect(ran).toEqual([{ n: 5, to: "ann" }]);
    expect((await last(toolkit, { n: 6 })).data).toEqual({ paid: 6 });
  });

  it("should leave alone what says of itself that it may be called again, unless it is told otherwise", async () => {
    for (const annotations of [{ readOnlyHint: true }, { idempotentHint: true }]) {
      const { toolkit, ran } = world(() => 1, {}, {}, annotations);
      await last(toolkit, { n: 1 });
      await last(toolkit, { n: 1 });
      expect(ran).toHaveLength(2);
      const told = world(() => 1, { effects: { pay: "opaque" } }, {}, annotations);
      await last(told.toolkit, { n: 1 });
      await last(told.toolkit, { n: 1 });
      expect(told.ran).toHaveLength(1);
    }
    const pure = world(() => 1, { effects: { pay: "pure" } });
    await last(pure.toolkit, { n: 1 });
    await last(pure.toolkit, { n: 1 });
    expect(pure.ran).toHaveLength(2);
  });

  it("should say of a call in doubt who can settle it, and not run it again", async () => {
    const { toolkit, log, ran } = world((_, run) => {
      if (run === 1) throw new Error("socket hang up");
      return "paid";
    });
    const first = await last(toolkit, { n: 5 });
    expect(first).toMatchObject({ status: "error", error: { type: "InDoubt" } });
    expect(textOf(first)).toMatch(
      /socket hang up\nError: Nobody knows .* settle it \(settleOnce, scope "tenant\/pay", key "fx1:/,
    );
    const again = await last(toolkit, { n: 5 });
    expect(again.error?.type).toBe("InDoubt");
    expect(ran).toHaveLength(1);
    const key = /key "(fx1:\w+)"/.exec(textOf(again))?.[1] ?? "";
    expect(await settleOnce(log, { scope: "tenant/pay", key }, { happened: false }, "ann")).toBe(true);
    expect(textOf(await last(toolkit, { n: 5 }))).toBe("paid");
  });

  it("should let a model repair and retry what is judged to have failed", async () => {
    const judge = (error: unknown) => (ToolError.isInstance(error) ? ("failed" as const) : ("unknown" as const));
    const { toolkit, ran } = world(
      (_, run) => {
        if (run === 1) throw new ToolError("no such account");
        return "paid";
      },
      { judge },
    );
    const first = await last(toolkit, { n: 5 });
    expect([first.error?.message, textOf(first)]).toEqual(["no such account", "Error: no such account"]);
    expect(textOf(await last(toolkit, { n: 5 }))).toBe("paid");
    expect(ran).toHaveLength(2);
  });

  it("should know that nothing was done by a wrong input, and by a tool that needs something first", async () => {
    const { toolkit, log } = world((_, run) => {
      if (run === 1) throw new ToolError("ask first", { data: { needs: "later" } });
      return "paid";
    });
    expect((await last(toolkit, { n: "x" })).error?.type).toBe("InvalidInput");
    expect((await last(toolkit, { n: 5 })).error?.message).toBe("ask first");
    expect(textOf(await last(toolkit, { n: 5 }))).toBe("paid");
    expect(log.durability).toBe("none");
  });

  it("should throw what the tool threw to whoever wants that, after the last response", async () => {
    const thrown = new Error("down");
    const fail = (): never => {
      throw thrown;
    };
    for (const once of [{}, { judge: () => "failed" as const }]) {
      const responses: ToolResponse[] = [];
      const run = async () => {
        const { toolkit } = world(fail, once);
        for await (const one of toolkit.callToolFunction({ name: "pay", input: { n: 1 } }, { onError: "throw" }))
          responses.push(one);
      };
      await expect(run()).rejects.toBe(thrown);
      expect(responses.map(({ isLast }) => isLast)).toEqual([true]);
    }
  });

  it("should pass chunks on as they come, and keep the whole", async () => {
    const { toolkit } = world(async function* () {
      yield "a";
      yield "ab";
    });
    const responses = await call(toolkit, { n: 1 });
    expect(responses.map((one) => [textOf(one), one.isLast])).toEqual([
      ["a", false],
      ["ab", false],
      ["ab", true],
    ]);
    const again = await call(toolkit, { n: 1 });
    expect(again).toHaveLength(1);
    expect(textOf(again[0] as ToolResponse)).toMatch(/Nothing was done now.*\nab$/);
  });

  it("should keep what a tool answers, also when that is an error of its own", async () => {
    const log = new MemoryOperationLog();
    const toolkit = new Toolkit({ once: { log, scope: "t", allowVolatile: true } });
    let runs = 0;
    const { ToolResponse } = await import("../src/index.ts");
    toolkit.registerToolFunction(
      () =>
        new ToolResponse({ content: `no: ${++runs}`, status: "error", error: { type: "ToolError", message: "no" } }),
      { name: "pay", description: "Pays.", args: { n: "integer" } },
    );
    expect(await last(toolkit, { n: 1 })).toMatchObject({ status: "error", error: { message: "no" } });
    const again = await last(toolkit, { n: 1 });
    expect([again.status, again.error?.message, runs]).toEqual(["error", "no", 1]);
  });

  it("should not name a call by what the host has set", async () => {
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const { toolkit, ran } = world(() => "paid", {}, { presets: { to: circle } });
    await last(toolkit, { n: 1 });
    circle.changed = true;
    expect(textOf(await last(toolkit, { n: 1, to: "eve" }))).toMatch(/Nothing was done now/);
    expect(ran).toHaveLength(1);
  });

  it("should be in doubt after an abort and after a time-out", async () => {
    const stop = new AbortController();
    const silent = world(() => new Promise(() => stop.abort()));
    expect((await last(silent.toolkit, { n: 1 }, { signal: stop.signal })).error?.type).toBe("InDoubt");
    expect((await last(silent.toolkit, { n: 1 })).error?.type).toBe("InDoubt");
    const judge = (): "failed" => "failed";
    const slow = world(() => new Promise(() => {}), { judge }, { timeoutMs: 20 });
    expect((await last(slow.toolkit, { n: 1 })).error?.type).toBe("InDoubt");
    expect(slow.ran).toHaveLength(1);
    const early = world(() => 1);
    expect((await last(early.toolkit, { n: 1 }, { signal: AbortSignal.abort() })).status).toBe("interrupted");
    expect(early.ran).toEqual([]);
  });

  it("should run one of many equal calls at a time, in programs and plans too", async () => {
    const { toolkit, ran } = world(async () => {
      await new Promise((resolve) => setTimeout(resolve, 10));
      return "paid";
    });
    const calls = Array.from({ length: 5 }, () => last(toolkit, { n: 1 }));
    expect((await Promise.all(calls)).filter(({ metadata }) => metadata?.replayed).length).toBe(4);
    const [tool] = toolkit.tools().filter(({ name }) => name === "pay");
    expect(await tool?.execute({ n: 1 }, { callId: "c", signal: new AbortController().signal })).toBe("paid");
    const action = {
      kind: "calls" as const,
      span: { start: 0, end: 0 },
      calls: [{ id: "a", name: "pay", input: { n: 1 }, protocol: "x" }],
    };
    const context = { signal: new AbortController().signal, runId: "r", stepIndex: 0, emit: () => {} };
    const results = await toolkitExecutor(toolkit).execute(action, context as never);
    expect(results[0]?.content[0]).toMatchObject({ text: expect.stringMatching(/Nothing was done now/) });
    expect(ran).toHaveLength(1);
  });

  it.each<[string, object]>([
    ["no option", { log: new MemoryOperationLog(), scope: "a", effect: {} }],
    ["scope", { log: new MemoryOperationLog() }],
    ["log", { log: {}, scope: "a" }],
    ['once.effects.pay is "opaque"', { log: new MemoryOperationLog(), scope: "a", effects: { pay: "none" } }],
  ])("should refuse a mistake in the options: %s", (text, once) => {
    expect(() => new Toolkit({ once: once as ToolkitOnce })).toThrow(text);
  });
});

describe("a toolkit whose calls happen once, with an MCP server", () => {
  const answers: Record<string, () => unknown> = {
    "refused as invalid": () => {
      throw new ProtocolError(-32602, "no such argument");
    },
    "failed inside": () => {
      throw new ProtocolError(-32603, "oops");
    },
    "an error of the tool": () => ({ content: [{ type: "text", text: "no funds" }], isError: true }),
  };

  it.each<[string, number, string]>([
    ["refused as invalid", 2, "McpError"],
    ["failed inside", 1, "InDoubt"],
    ["an error of the tool", 1, "ToolError"],
  ])("should know of an answer whether the call may be made again: %s", async (what, made, type) => {
    const log = new MemoryOperationLog();
    const toolkit = new Toolkit({ once: { log, scope: "tenant", allowVolatile: true } });
    const server = inProcess([listed("pay")], { answer: () => answers[what]?.() });
    await toolkit.registerMcpClient(server.client);
    for (let time = 0; time < 2; time++) expect((await last(toolkit, {})).error?.type).toBe(type);
    expect(server.called).toHaveLength(made);
    await toolkit.close();
  });
});
