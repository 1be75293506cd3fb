import type { AnyTool } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { describe, expect, it } from "vitest";
import { sandboxExecutor } from "../src/node/index.ts";
import { sharedSandbox } from "./worker-sandbox.ts";

// What is done on one side is undone, or done as well, on the other.

const give: AnyTool = {
  name: "give",
  description: "",
  inputSchema: { type: "object" },
  execute: () => ({ at: new Date(0), tags: new Set(["a"]), big: 5n }),
};
const lose: AnyTool = {
  name: "lose",
  description: "",
  inputSchema: { type: "object" },
  execute: () => Promise.reject(new Error("lost")),
};
const helper: AnyTool = {
  name: "helper",
  description: "",
  inputSchema: { type: "object" },
  execute(_input, { report }) {
    report?.({ usage: { inputTokens: 40, outputTokens: 2 } });
    report?.({ usage: { inputTokens: 2 }, cost: 0.5 });
    return 1;
  },
};
const tools = [give, lose, helper];
const sandboxes = {
  javascript: sharedSandbox("javascript", { style: "notebook", tools }),
  python: sharedSandbox("python", { style: "notebook", tools }),
};

const programs = {
  javascript: {
    echo: "return await give()",
    twice: "await helper(); await helper(); return 1",
    unheard: "(async () => { await lose(); })();\nreturn 1",
    heard: "const p = lose(); await p.catch(() => {});\nreturn 1",
    timer: "const t = Date.now(); await new Promise((r) => setTimeout(r, 20)); return Date.now() - t >= 20",
  },
  python: {
    echo: "await give()",
    twice: "await helper()\nawait helper()\n1",
    unheard:
      "import asyncio\nasync def f():\n    await lose()\nt = asyncio.create_task(f())\nawait asyncio.sleep(0)\n1",
    heard:
      "import asyncio\nasync def f():\n    await lose()\nt = asyncio.create_task(f())\ntry:\n    await t\nexcept ToolError:\n    pass\n1",
    timer:
      "import asyncio, time\nt = asyncio.get_running_loop().time()\nawait asyncio.sleep(0.02)\nasyncio.get_running_loop().time() - t >= 0.019",
  },
};

describe.each(["javascript", "python"] as const)("%s", (language) => {
  const sandbox = sandboxes[language];
  const { echo, twice, unheard, heard, timer } = programs[language];
  const value = { at: "1970-01-01T00:00:00.000Z", tags: ["a"], big: 5 };

  it("should count what its tools used of models, in a run and in its replay", async () => {
    const durable = { storage: { operations: new MemoryOperationLog() }, id: () => `twice-${language}` };
    const action = { kind: "code" as const, language, source: twice, span: { start: 0, end: 0 } };
    const signal = new AbortController().signal;
    const context = {
      signal,
      emit: () => undefined,
      approve: async () => ({ approved: true }),
      runId: "r",
      stepIndex: 0,
    };
    for (const options of [{}, { durable }, { durable }]) {
      const [result] = await sandboxExecutor(sandbox, { tools, ...options } as object).execute(
        action as never,
        context,
      );
      expect(result?.status).toBe("ok");
      expect(result?.metadata?.usage).toEqual({ inputTokens: 84, outputTokens: 4, cost: 1 });
    }
  });

  it("should note what a tool's result became, in a run and in its replay", async () => {
    const durable = { storage: { operations: new MemoryOperationLog() }, id: `echo-${language}` };
    for (const options of [{}, { durable }, { durable }]) {
      const run = await sandbox.run(echo, options as object);
      const callId = run.toolCalls[0]?.callId;
      const conversions = ["at", "tags", "big"].map((path) => expect.objectContaining({ path, callId }));
      expect(run).toMatchObject({ status: "ok", value, stats: { conversions } });
    }
  });

  it("should tell of a failure that nobody waited for, and of none that somebody did, in a run, a replay and a session", async () => {
    const durable = { storage: { operations: new MemoryOperationLog() }, id: `lost-${language}` };
    await using session = await sandbox.openSession({ domain: "tests" });
    for (const run of [
      await sandbox.run(unheard),
      await sandbox.run(unheard, { durable }),
      await sandbox.run(unheard, { durable }),
      await session.run(unheard),
    ]) {
      expect(run).toMatchObject({ status: "error", error: { type: "ToolError", message: "lost" } });
    }
    for (const run of [await sandbox.run(heard), await session.run(heard)])
      expect(run).toMatchObject({ status: "ok", value: 1 });
  });

  it("should wait for a timer in a run, and for none in a durable one, which comes to the same", async () => {
    const durable = { storage: { operations: new MemoryOperationLog() }, id: `timer-${language}` };
    for (const options of [{}, { durable }, { durable }])
      expect(await sandbox.run(timer, options as object)).toMatchObject({ value: true });
  });
});
