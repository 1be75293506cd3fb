import type {
  ApprovalRequest,
  Decision,
  ExecutorEvent,
  OperationLog,
  Plan,
  PlanStep,
  ToolResult,
} from "@toolglot/core";
import { ToolError } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { describe, expect, it } from "vitest";
import {
  defineTool,
  type Resource,
  type TaskEvent,
  Toolkit,
  type ToolkitExecutor,
  type ToolkitExecutorOptions,
  toolkitExecutor,
} from "../src/index.ts";

function step(index: number, tool: string, more: Partial<PlanStep> = {}): PlanStep {
  const span = { start: index * 10, end: index * 10 + 5 };
  return {
    index,
    callId: `c${index}`,
    tool,
    params: {},
    uris: {},
    onError: "stop",
    retry: 0,
    errors: [],
    span,
    ...more,
  };
}

interface RunOptions {
  approve?: (request: ApprovalRequest) => Decision;
  signal?: AbortSignal;
}

async function runPlan(executor: ToolkitExecutor, plan: Plan, options: RunOptions = {}) {
  const events: ExecutorEvent[] = [];
  const asked: ApprovalRequest[] = [];
  const context = executorContext({
    signal: options.signal ?? new AbortController().signal,
    emit: (event) => events.push(event),
    approve: async (request) => {
      asked.push(request);
      return options.approve?.(request) ?? { approved: true };
    },
    runId: "r",
  });
  const results = await executor.execute({ kind: "plan", plan, span: { start: 0, end: 100 } }, context);
  return { results, events, asked };
}

/** A kit with tools that note their calls. */
function kitOf() {
  const log: string[] = [];
  const kit = new Toolkit();
  let failures = 0;
  kit.registerToolFunction(
    defineTool({
      name: "Note.Write",
      description: "d",
      args: { text: "string", "project?": "string" },
      execute: ({ text, project }) => {
        log.push(`write ${text}${project === undefined ? "" : ` in ${project}`}`);
        return `wrote ${text}`;
      },
    }),
  );
  kit.registerToolFunction(
    defineTool({
      name: "Flaky",
      description: "fails as often as it is told",
      args: { times: "integer" },
      execute: ({ times }) => {
        failures += 1;
        log.push(`flaky ${failures}`);
        if (failures <= times) throw new ToolError(`failure ${failures}`);
        return failures;
      },
    }),
  );
  kit.registerToolFunction(
    defineTool({
      name: "Drop",
      description: "d",
      args: {},
      annotations: { destructiveHint: true },
      execute: () => void log.push("dropped"),
    }),
  );
  kit.registerToolFunction(
    defineTool({
      name: "Image.Generate",
      description: "d",
      args: { prompt: "string" },
      annotations: { async: true },
      execute: async function* ({ prompt }) {
        log.push(`start ${prompt}`);
        yield "half";
        await Promise.resolve();
        if (prompt === "bad") throw new ToolError("no image of that");
        return { url: `img:${prompt}` };
      },
    }),
  );
  const make = (options: ToolkitExecutorOptions = {}) => toolkitExecutor(kit, options);
  return { kit, log, make };
}

const statuses = (results: readonly ToolResult[]): string[] =>
  results.map(({ status, error }) => (error ? `${status} ${error.type}` : status));

const taskOf = (result: ToolResult | undefined): string => String((result?.data as { task_id?: string })?.task_id);

describe("serial execution", () => {
  it("should run steps one after another, sorted as the plan has them, one result each", async () => {
    const { log, make } = kitOf();
    const { results, events } = await runPlan(make(), {
      common: {},
      steps: [step(1, "Note.Write", { params: { text: "a" } }), step(3, "Note.Write", { params: { text: "b" } })],
    });
    expect(log).toEqual(["write a", "write b"]);
    expect(results.map(({ callId, name, data, metadata }) => [callId, name, data, metadata?.step])).toEqual([
      ["c1", "Note.Write", "wrote a", 1],
      ["c3", "Note.Write", "wrote b", 3],
    ]);
    expect(events.map(({ type, callId }) => `${type} ${callId}`)).toEqual([
      "tool-call-start c1",
      "tool-call-end c1",
      "tool-call-start c3",
      "tool-call-end c3",
    ]);
  });

  it("should stop at a failure by default, and say so of the steps that did not run", async () => {
    const { log, make } = kitOf();
    const { results } = await runPlan(make(), {
      common: {},
      steps: [
        step(1, "Flaky", { params: { times: 9 } }),
        step(2, "Note.Write", { params: { text: "a" } }),
        step(3, "Note.Write", { params: { text: "b" } }),
      ],
    });
    expect(statuses(results)).toEqual(["error ToolError", "error NotRun", "error NotRun"]);
    expect(results[2]?.error?.message).toBe("Step 3 did not run, because step 1 failed.");
    expect(log).toEqual(["flaky 1"]);
  });

  it("should go on after a failure with on_error: continue", async () => {
    const { log, make } = kitOf();
    const { results } = await runPlan(make(), {
      common: {},
      steps: [
        step(1, "Flaky", { params: { times: 9 }, onError: "continue" }),
        step(2, "Note.Write", { params: { text: "a" } }),
      ],
    });
    expect(statuses(results)).toEqual(["error ToolError", "ok"]);
    expect(log).toEqual(["flaky 1", "write a"]);
  });

  it("should fail a step that has errors, without running it, and obey its on_error", async () => {
    const { log, make } = kitOf();
    const errors = [
      { type: "InvalidInput", message: "one" },
      { type: "InvalidInput", message: "two" },
    ];
    const steps = [step(1, "Note.Write", { errors }), step(2, "Note.Write", { params: { text: "a" } })];
    const stop = await runPlan(make(), { common: {}, steps });
    expect(statuses(stop.results)).toEqual(["error InvalidInput", "error NotRun"]);
    expect(stop.results[0]?.error?.message).toBe("one\ntwo");
    const [first, second] = steps as [PlanStep, PlanStep];
    const go = await runPlan(make(), { common: {}, steps: [{ ...first, onError: "continue" }, second] });
    expect(statuses(go.results)).toEqual(["error InvalidInput", "ok"]);
    expect(log).toEqual(["write a"]);
  });

  it("should name the nearest tools, and the parameters that are wrong or missing", async () => {
    const { make } = kitOf();
    const { results } = await runPlan(make(), {
      common: {},
      steps: [
        step(1, "Note.Wirte", { params: { text: "a" }, onError: "continue" }),
        step(2, "Note.Write", { params: { txt: "a" } }),
      ],
    });
    expect(results[0]?.error?.message).toContain("Note.Write");
    expect(results[1]?.error?.message).toMatch(/text: missing/);
    expect(results[1]?.error?.message).toMatch(/txt: unknown/);
  });
});

describe("retry", () => {
  it("should try again as often as the step says, and report one call", async () => {
    const { log, make } = kitOf();
    const { results, events } = await runPlan(make(), {
      common: {},
      steps: [step(1, "Flaky", { params: { times: 2 }, retry: 3 })],
    });
    expect(statuses(results)).toEqual(["ok"]);
    expect(results[0]?.data).toBe(3);
    expect(results[0]?.metadata?.attempts).toBe(3);
    expect(log).toEqual(["flaky 1", "flaky 2", "flaky 3"]);
    expect(events.map(({ type }) => type)).toEqual([
      "tool-call-start",
      "tool-call-progress",
      "tool-call-progress",
      "tool-call-end",
    ]);
  });

  it("should give the last failure when all attempts failed", async () => {
    const { log, make } = kitOf();
    const { results } = await runPlan(make(), {
      common: {},
      steps: [step(1, "Flaky", { params: { times: 9 }, retry: 1 })],
    });
    expect(results[0]?.error?.message).toBe("failure 2");
    expect(log).toHaveLength(2);
  });

  it("should not try again what can't get better, or may have happened", async () => {
    const { kit, make } = kitOf();
    let slow = 0;
    kit.registerToolFunction(
      () => {
        slow += 1;
        return new Promise(() => {});
      },
      { name: "slow", description: "d", timeoutMs: 10 },
    );
    const denied = { approve: () => ({ approved: false }) };
    const plan = (name: string, params = {}): Plan => ({ common: {}, steps: [step(1, name, { params, retry: 3 })] });
    expect(statuses((await runPlan(make(), plan("slow"))).results)).toEqual(["error Timeout"]);
    expect(slow).toBe(1);
    const asked = await runPlan(make(), plan("Drop"), denied);
    expect([statuses(asked.results), asked.asked.length]).toEqual([["denied Denied"], 1]);
    expect(statuses((await runPlan(make(), plan("Note.Write", { nothing: 1 }))).results)).toEqual([
      "error InvalidInput",
    ]);
  });
});

describe("parameters", () => {
  it("should give common parameters to the steps that take them, and let a step's own win", async () => {
    const { log, make } = kitOf();
    await runPlan(make(), {
      common: { project: "shared", other: "x" },
      steps: [
        step(1, "Note.Write", { params: { text: "a" } }),
        step(2, "Note.Write", { params: { text: "b", project: "own" } }),
      ],
    });
    expect(log).toEqual(["write a in shared", "write b in own"]);
  });

  it("should give a tool a resource for a uri_ parameter, and text where its schema says string", async () => {
    const { kit, log, make } = kitOf();
    let got: Resource | undefined;
    kit.registerToolFunction(
      ({ image }: { image: Resource }) => {
        got = image;
        return "seen";
      },
      { name: "see", description: "d", jsonSchema: { type: "object", properties: { image: {} }, required: ["image"] } },
    );
    const { results } = await runPlan(make(), {
      common: {},
      steps: [
        step(1, "see", { uris: { image: "data:image/png;base64,AAEC" } }),
        step(2, "Note.Write", { uris: { text: "data:,h%C3%A9" } }),
      ],
    });
    expect(statuses(results)).toEqual(["ok", "ok"]);
    expect([got?.uri, got?.mediaType]).toEqual(["data:image/png;base64,AAEC", "image/png"]);
    expect([...((await got?.bytes()) ?? [])]).toEqual([0, 1, 2]);
    expect(log).toEqual(["write hé"]);
  });

  it("should pass bytes on as they are", async () => {
    const { kit, make } = kitOf();
    const got: unknown[] = [];
    kit.registerToolFunction(({ data }: { data: unknown }) => void got.push(data), {
      name: "take",
      description: "d",
      args: { data: "string" },
    });
    const bytes = Uint8Array.of(1, 2);
    await runPlan(make(), { common: {}, steps: [step(1, "take", { params: { data: bytes } })] });
    expect(got[0]).toBe(bytes);
  });

  it("should refuse unknown schemes, values given twice, and text that is none", async () => {
    const { make } = kitOf();
    const go = { onError: "continue" as const };
    const { results } = await runPlan(make(), {
      common: {},
      steps: [
        step(1, "Note.Write", { uris: { text: "fam://x/y" }, ...go }),
        step(2, "Note.Write", { uris: { text: "no uri" }, ...go }),
        step(3, "Note.Write", { params: { text: "a" }, uris: { text: "data:,b" }, ...go }),
        step(4, "Note.Write", { uris: { text: "data:;base64,/w==" }, ...go }),
      ],
    });
    expect(statuses(results)).toEqual([
      "error UnknownUriScheme",
      "error UnknownUriScheme",
      "error InvalidInput",
      "error InvalidResource",
    ]);
  });
});

describe("asynchronous tools", () => {
  it("should return a task id at once, count the step as done, and tell progress and completion", async () => {
    const { log, make } = kitOf();
    const executor = make();
    const told: TaskEvent[] = [];
    executor.tasks.events.subscribe((event) => told.push(event));
    const { results } = await runPlan(executor, {
      requestId: "req-1",
      common: {},
      steps: [
        step(1, "Image.Generate", { params: { prompt: "owl" } }),
        step(2, "Note.Write", { params: { text: "a" } }),
      ],
    });
    expect(statuses(results)).toEqual(["pending", "ok"]);
    const taskId = taskOf(results[0]);
    await executor.tasks.idle();
    expect(log).toContain("start owl");
    expect(told.map(({ type }) => type)).toEqual(["task-started", "task-progress", "task-completed"]);
    for (const event of told)
      expect(event).toMatchObject({ taskId, callId: "c1", name: "Image.Generate", step: 1, requestId: "req-1" });
    expect(executor.tasks.get(taskId)).toMatchObject({ status: "ok", result: { data: { url: "img:owl" } } });
  });

  it("should tell failures and cancellations, each once", async () => {
    const { kit, make } = kitOf();
    kit.registerToolFunction(({ id: _ }: { id: number }) => new Promise(() => {}), {
      name: "hang",
      description: "d",
      args: { id: "integer" },
      annotations: { async: true },
    });
    const executor = make();
    const ends: string[] = [];
    executor.tasks.events.subscribe("task-failed", ({ name, result }) => ends.push(`${name} ${result.status}`));
    const { results } = await runPlan(executor, {
      common: {},
      steps: [step(1, "Image.Generate", { params: { prompt: "bad" } }), step(2, "hang", { params: { id: 1 } })],
    });
    expect(statuses(results)).toEqual(["pending", "pending"]);
    const taskId = taskOf(results[1]);
    expect(executor.tasks.cancel(taskId)).toBe(true);
    await executor.tasks.idle();
    expect(executor.tasks.cancel(taskId)).toBe(false);
    expect(ends.sort()).toEqual(["Image.Generate error", "hang interrupted"]);
  });

  it("should start tasks for calls too", async () => {
    const { make } = kitOf();
    const executor = make();
    const calls = [{ id: "n1", name: "Image.Generate", input: { prompt: "owl" }, protocol: "native" }];
    const results = await executor.execute(
      { kind: "calls", calls, span: { start: 0, end: 0 } },
      executorContext({
        approve: async () => ({ approved: true }),
        runId: "r",
      }),
    );
    expect(statuses(results)).toEqual(["pending"]);
    await executor.tasks.close();
  });
});

describe("request ids", () => {
  const plan = (text: string, requestId = "req-1"): Plan => ({
    requestId,
    common: {},
    steps: [step(1, "Note.Write", { params: { text } })],
  });

  it("should give the recorded results for the same id with the same content", async () => {
    const { log, make } = kitOf();
    const executor = make();
    const first = await runPlan(executor, plan("a"));
    const again = await runPlan(executor, {
      ...plan("a"),
      steps: [{ ...plan("a").steps[0], callId: "other" } as PlanStep],
    });
    expect(log).toEqual(["write a"]);
    expect(again.results[0]).toMatchObject({ callId: "other", data: "wrote a", metadata: { replayed: true } });
    expect(first.results[0]?.metadata).toMatchObject({ requestId: "req-1", step: 1 });
  });

  it("should run once, however many send it at one time", async () => {
    const { log, make } = kitOf();
    const executor = make();
    const runs = await Promise.all(Array.from({ length: 20 }, () => runPlan(executor, plan("a"))));
    expect(log).toEqual(["write a"]);
    for (const { results } of runs) expect(results[0]?.data).toBe("wrote a");
  });

  it("should refuse the same id with other content", async () => {
    const { log, make } = kitOf();
    const executor = make();
    await runPlan(executor, plan("a"));
    const other = await runPlan(executor, plan("b"));
    expect(statuses(other.results)).toEqual(["error RequestIdConflict"]);
    expect(log).toEqual(["write a"]);
    expect(statuses((await runPlan(executor, plan("b", "req-2"))).results)).toEqual(["ok"]);
  });

  it("should free the id of a plan of which nothing ran", async () => {
    const { log, make } = kitOf();
    const executor = make();
    const wrong: Plan = { requestId: "q", common: {}, steps: [step(1, "Note.Write", { params: { txt: "a" } })] };
    expect(statuses((await runPlan(executor, wrong)).results)).toEqual(["error InvalidInput"]);
    expect(statuses((await runPlan(executor, plan("a", "q"))).results)).toEqual(["ok"]);
    expect(log).toEqual(["write a"]);
  });

  it("should be in doubt about a run that a crash cut off", async () => {
    let now = 1000;
    const log: OperationLog = new MemoryOperationLog({ now: () => now });
    const { make, log: effects } = kitOf();
    const executor = make({ storage: { operations: log } });
    // What a process that died in the middle leaves behind: the claim of the same plan, begun and never finished.
    const seen: { fingerprint?: string } = {};
    const spy: OperationLog = Object.create(log, {
      claim: {
        value: (request: Parameters<OperationLog["claim"]>[0]) => {
          seen.fingerprint = request.fingerprint;
          return log.claim(request);
        },
      },
      finish: { value: async () => true },
      begin: { value: log.begin.bind(log) },
      renew: { value: log.renew.bind(log) },
    });
    await runPlan(make({ storage: { operations: spy } }), plan("a"));
    expect(seen.fingerprint).toMatch(/^[\da-f]{64}$/);
    now += 61_000;
    const { results } = await runPlan(executor, plan("a"));
    expect(statuses(results)).toEqual(["in-doubt InDoubt"]);
    expect(effects).toEqual(["write a"]);
  });
});

describe("cancellation", () => {
  it("should interrupt the running step, and run none after it", async () => {
    const { kit, log, make } = kitOf();
    const controller = new AbortController();
    kit.registerToolFunction(
      () => {
        controller.abort();
        return new Promise(() => {});
      },
      { name: "hang", description: "d" },
    );
    const { results } = await runPlan(
      make(),
      {
        common: {},
        steps: [step(1, "hang", { onError: "continue" }), step(2, "Note.Write", { params: { text: "a" } })],
      },
      { signal: controller.signal },
    );
    expect(statuses(results)).toEqual(["interrupted Interrupted", "interrupted Interrupted"]);
    expect(log).toEqual([]);
  });
});
