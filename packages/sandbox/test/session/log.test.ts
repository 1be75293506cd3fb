import { memoryStorage, type Storage } from "@toolglot/core/storage";
import { beforeEach, expect, it } from "vitest";
import { createSandbox, type SessionOptions, sandboxExecutor } from "../../src/node/index.ts";
import { tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { key, outcomeOf, value } from "./support.ts";

// Sessions whose programs are in a log.

const python = sharedSandbox("python");
/** For what is the same in both languages. */
const sandbox = sharedSandbox("javascript");

let effects: string[] = [];
beforeEach(() => {
  effects = [];
});
const act = (name: string, requiresApproval = false) =>
  tool(
    name,
    { what: { type: "string" } },
    ({ what }: { what: string }) => {
      effects.push(what);
      return `did ${what}`;
    },
    { annotations: { requiresApproval } },
  );
const tools = [act("effect"), act("asked", true)];
const later = { approve: async () => "later" as const };
const yes = { approve: async () => ({ approved: true as const }) };

/** Options of sessions of their own. */
function fresh(): SessionOptions & { storage: Storage } {
  return { storage: memoryStorage(), key, durable: true, tools, domain: "tests" };
}

const waiting = `
const before = await effect({ what: "one" });
const answer = await asked({ what: "two" });
rows.push(answer);
return [before, answer, rows.length];`;

it("goes on with a parked program from the image before it, and runs no other until then", async () => {
  const options = fresh();
  const waiting = `
before = effect("one")
answer = asked("two")
rows.append(answer)
__result__ = [before, answer, len(rows)]`;
  const first = await python.openSession({ ...options, id: "ada" });
  await value(first, "rows = [1]\ndef size(): return len(rows)\n__result__ = 1");
  expect(await first.run(waiting, later)).toMatchObject({
    status: "parked",
    parked: { id: "ada#2", waiting: [{ callId: "ada#2:2", name: "asked", args: { what: "two" } }] },
    ...{ turn: 1, state: "rolled-back" },
  });
  expect(first.pending).toEqual({ runId: "ada#2", code: waiting });
  const parked = { code: "sandbox/session-parked", data: { id: "ada", runId: "ada#2" } };
  await expect(first.run("1")).rejects.toMatchObject(parked);
  await expect(first.writeFile("a.csv", "1")).rejects.toMatchObject(parked);
  await first.close();

  await using second = await python.resumeSession("ada", options);
  expect(second.pending).toEqual({ runId: "ada#2", code: waiting });
  await expect(second.run("1")).rejects.toMatchObject(parked);
  const run = await second.resumeRun(yes);
  expect(outcomeOf(run)).toEqual(["did one", "did two", 2]);
  expect(run.toolCalls).toMatchObject([
    { callId: "ada#2:1", replayed: true },
    { callId: "ada#2:2", ok: true },
  ]);
  expect([second.turn, second.pending, effects]).toEqual([2, undefined, ["one", "two"]]);
  expect(await value(second, "__result__ = [rows, size()]")).toEqual([[1, "did two"], 2]);
  await expect(second.resumeRun()).rejects.toMatchObject({ code: "sandbox/run-unknown" });
});

it("takes a parked program back, for good", async () => {
  const options = fresh();
  const first = await sandbox.openSession({ ...options, id: "ben" });
  await value(first, "const rows = [1]; return 1;");
  await first.run(waiting, later);
  await first.undo();
  expect([first.turn, first.pending]).toEqual([2, undefined]);
  expect(await value(first, "return rows;")).toEqual([1]);
  await first.run(waiting, later);
  await first.undo(2);
  await first.close();
  await using second = await sandbox.resumeSession("ben", options);
  expect(second.pending).toBeUndefined();
  expect(await value(second, "return rows;")).toEqual([1]);
  expect(effects).toEqual(["one", "one"]);
});

it("gives an interpreter up in the middle of a program, and goes on in another that has the session's memory", async () => {
  const options = fresh();
  const slow = tool("slow", {}, async () => await new Promise((resolve) => setTimeout(() => resolve("late"), 80)));
  await using session = await python.openSession({ ...options, limits: { idleMs: 1 } });
  await value(session, "import_of = [random.random()]\n__result__ = 1");
  const run = await session.run("import_of.append(slow())\n__result__ = len(import_of)", { tools: [slow] });
  expect(outcomeOf(run)).toBe(2);
  expect(run.stats.parked).toBe(1);
  expect(await value(session, "__result__ = import_of[1]")).toBe("late");
});

it("makes no turn of a program that did not run or ended its interpreter, and goes on under other names", async () => {
  const options = fresh();
  const first = await sandbox.openSession({ ...options, id: "cleo" });
  await value(first, "let a = 1; return 1;");
  expect(await first.run("a = ;")).toMatchObject({ error: { type: "SyntaxError" }, turn: 1, state: "kept" });
  const endless = "a = 2; await effect({ what: 'x' }); for (const all = []; ; ) all.push(new Array(10_000).fill(1));";
  expect(await first.run(endless)).toMatchObject({ error: { type: "MemoryLimit" }, state: "rolled-back" });
  expect(await first.run("a = 3; null.x;")).toMatchObject({
    error: { type: "TypeError" },
    turn: 2,
    state: "kept",
  });
  await first.close();
  await using second = await sandbox.resumeSession("cleo", options);
  expect([second.pending, await value(second, "return a;")]).toEqual([undefined, 3]);
  const { operations: log } = options.storage;
  expect(await sandbox.resume({ storage: { operations: log }, id: "cleo#2.2" })).toMatchObject({
    error: { type: "MemoryLimit" },
  });
  expect(await sandbox.resume({ storage: { operations: log }, id: "cleo#2.3" })).toMatchObject({
    error: { type: "TypeError" },
  });
});

it("keeps an aborted program that has called a tool, and forgets one that has not", async () => {
  const options = fresh();
  await using session = await sandbox.openSession({ ...options, id: "dora" });
  const started = (code: string) => {
    const controller = new AbortController();
    const onLog = () => controller.abort();
    return session.run(code, { signal: controller.signal, onLog });
  };
  expect(await started("console.log(1); for (;;);")).toMatchObject({ error: { type: "Aborted" } });
  expect(session.pending).toBeUndefined();
  const code = "let a = await effect({ what: 'one' }); console.log(1); a += await asked({ what: 'two' }); return a;";
  expect(await started(code)).toMatchObject({ error: { type: "Aborted" }, state: "rolled-back" });
  expect(session.pending).toMatchObject({ code });
  expect(outcomeOf(await session.resumeRun(yes))).toBe("did onedid two");
  expect(effects).toEqual(["one", "two"]);
});

it("keeps times of files still, also of those from earlier programs", async () => {
  const options = { ...fresh(), style: "notebook" as const };
  const first = await python.openSession({ ...options, id: "emil" });
  await first.run("open('a.txt', 'w').write('a')");
  const code =
    "import os\nopen('b.txt', 'w').write('b')\n[effect(str([os.path.getmtime(n) for n in ('a.txt', 'b.txt', 'c.txt')])), asked('x')]";
  expect(await first.run(code, { ...later, files: [{ path: "c.txt", data: "c" }] })).toMatchObject({
    status: "parked",
  });
  await first.close();
  await new Promise((resolve) => setTimeout(resolve, 20));
  await using second = await python.resumeSession("emil", options);
  const run = await second.resumeRun(yes);
  expect(outcomeOf(run)).toHaveLength(2);
  expect(run).toMatchObject({ files: [{ path: "b.txt", data: new TextEncoder().encode("b") }] });
  expect(effects).toHaveLength(2);
  expect(second.files().map(({ path, turn }) => [path, turn])).toEqual([
    ["a.txt", 1],
    ["b.txt", 2],
    ["c.txt", 2],
  ]);
});

it("tells sessions of one id apart, and a program from elsewhere", async () => {
  const options = fresh();
  const first = await sandbox.openSession({ ...options, id: "fay" });
  const asks = "return await asked({ what: 'x' });";
  await first.run(asks, later);
  await first.close({ forget: true });
  await using second = await sandbox.openSession({ ...options, id: "fay" });
  expect(second.pending).toBeUndefined();
  const parked = await second.run(asks, later);
  expect(parked).toMatchObject({ parked: { id: "fay#1.2" } });
  // Not from its image, which it needs.
  const outside = await sandbox.resume(
    { storage: { operations: options.storage.operations }, id: "fay#1.2" },
    { tools, ...yes },
  );
  expect(outside).toMatchObject({ error: { type: "Diverged", message: expect.stringContaining("session fay") } });
  await using fork = await second.fork({ id: "fay-2" });
  expect(fork.pending).toBeUndefined();
  expect(await value(fork, "return await effect({ what: 'y' });")).toBe("did y");
  expect(outcomeOf(await second.resumeRun(yes))).toBe("did x");
});

it("goes on with an executor's action that is pending", async () => {
  const session = await sandbox.openSession(fresh());
  const executor = sandboxExecutor(sandbox, { session });
  const parked = await session.run(waiting.replace("rows.push(answer)", "const rows = [1, 2]"), later);
  const { code: source = "" } = session.pending ?? {};
  const context = {
    ...{ runId: "r", signal: new AbortController().signal, emit: () => {} },
    approve: async () => ({ approved: true }),
  } as unknown as Parameters<typeof executor.execute>[1];
  const action = { kind: "code", id: "a1", language: "javascript", source } as Parameters<typeof executor.execute>[0];
  expect(parked.status).toBe("parked");
  expect(await executor.execute(action, context)).toMatchObject([
    { status: "ok", data: ["did one", "did two", 2], metadata: { session: { turn: 1, state: "kept" } } },
  ]);
  expect(effects).toEqual(["one", "two"]);
  await session.close();
});

it("refuses options that make no sense", async () => {
  const options = fresh();
  for (const save of ["idle", "manual"] as const) {
    await expect(sandbox.openSession({ ...options, save })).rejects.toThrow(TypeError);
  }
  await expect(sandbox.openSession({ ...options, durable: "yes" as never })).rejects.toThrow(TypeError);
  await expect(sandbox.openSession({ ...options, rebuild: true } as never)).rejects.toThrow(TypeError);
  await expect(sandbox.resumeSession("x", { key, rebuild: true })).rejects.toThrow(TypeError);
  await using open = createSandbox({ language: "python", guard: false });
  await expect(open.openSession(options)).rejects.toThrow("A durable session needs the guard: leave out guard: false.");
});
