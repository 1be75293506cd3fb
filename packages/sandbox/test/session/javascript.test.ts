import type { CodeAction, ExecutorContext, ToolContext } from "@toolglot/core";
import { memoryStorage } from "@toolglot/core/storage";
import { afterAll, describe, expect, it } from "vitest";
import { codeTools, type SandboxSession, sandboxExecutor, ToolError } from "../../src/node/index.ts";
import { javascriptSandbox, pythonSandbox } from "../own-sandbox.ts";
import { addTool, tool } from "../support.ts";
import { imageOf, key, outcomeOf, value, withBlobs } from "./support.ts";

const domain = "tests";
const make = (timeoutMs: number) =>
  javascriptSandbox({
    tools: [addTool],
    domain,
    reuse: { maxPrograms: 10_000, maxMs: 86_400_000 },
    limits: { timeoutMs, maxToolCalls: 20 },
  });
const sandbox = make(60_000);
/** For programs that never end. */
const short = make(2000);
afterAll(() => Promise.all([sandbox, short].map((each) => each[Symbol.asyncDispose]())));

/** A session whose memory is put into another interpreter. */
async function moved(session: SandboxSession): Promise<SandboxSession> {
  await session.close();
  return await sandbox.resumeSession(session.id, { domain });
}

const everything = `
const data = { a: [1, 2, [3, null]], map: new Map([["k", new Set([1.5])]]) };
function makeCounter() { let count = 0; return () => ++count; }
const counter = makeCounter();
counter();
class Point { static total = 0; #x; constructor(x) { this.#x = x; Point.total++; } get x() { return this.#x; } }
class Point3 extends Point { twice() { return this.x * 2; } }
let points = [0, 1, 2].map((n) => new Point3(n));
function* squares() { for (let n = 0; n < 10; n++) yield n * n; }
var running = squares();
running.next(), running.next();
async function* ticks() { yield 1; yield 2; }
const ticking = ticks();
await ticking.next();
const settled = Promise.resolve("settled");
const { promise: pending, resolve } = Promise.withResolvers();
const after = pending.then((value) => value + "!");
Math.random();
globalThis.hung = Symbol.for("hung");
return points.length;`;
const look = `return [data.a, [...data.map.get("k")], counter(), points.map((p) => p.twice()), Point.total,
  points[0] instanceof Point, running.next().value, (await ticking.next()).value, await settled, hung === Symbol.for("hung"),
  Math.random(), Math.random()];`;

describe("a session of JavaScript", () => {
  it("keeps variables, classes, closures, generators, promises and random numbers, in any interpreter", async () => {
    await using hot = await sandbox.openSession({ domain });
    expect(await value(hot, everything)).toBe(3);
    const origin = await hot.fork();
    const expected = await value(hot, look);
    const shown = [[1, 2, [3, null]], [1.5], 2, [0, 2, 4], 3, true, 4, 2, "settled", true];
    expect(expected).toEqual([...shown, expect.any(Number), expect.any(Number)]);
    await using cold = await moved(origin);
    expect(await value(cold, look)).toEqual(expected);
    const resolving = 'resolve("late"); return [await after, counter(), running.next().value];';
    expect(await value(cold, resolving)).toEqual(["late!", 3, 9]);
    expect(await value(hot, resolving)).toEqual(["late!", 3, 9]);
  });

  it("lets what is declared again replace what was, for functions of earlier programs too", async () => {
    await using session = await sandbox.openSession({ domain });
    await value(
      session,
      "const factor = 2; function helper(x) { return x * factor; } const f = (x) => helper(x); return 1;",
    );
    expect(await value(session, "const factor = 3; return f(1);")).toBe(3);
    expect(await value(session, "function helper(x) { return -x; } return f(1);")).toBe(-1);
    expect(await value(session, "let helper = () => 'let'; return f(1);")).toBe("let");
    expect(await value(session, "class helper {} ; return typeof helper;")).toBe("function");
    expect(await value(session, "var helper = 1; factor++; return [helper, factor];")).toEqual([1, 4]);
  });

  it("does not keep __result__, nor what a block declares", async () => {
    await using session = await sandbox.openSession({ domain });
    expect(
      await value(
        session,
        "let a = 1; { let inner = 1; const deep = 2; } for (let i = 0; i < 2; i++) {} __result__ = 7;",
      ),
    ).toBe(7);
    expect(await session.run("a++;")).toMatchObject({ error: { type: "MissingResult" }, state: "kept", turn: 2 });
    expect(await value(session, "return [a, typeof inner, typeof deep, typeof i, __result__];")).toEqual([
      2,
      ...["undefined", "undefined", "undefined"],
      null,
    ]);
    expect(session.variables()).toEqual([{ name: "a", type: "number", preview: "2" }]);
  });

  it("gives the value of the last expression in a notebook", async () => {
    await using session = await sandbox.openSession({ domain, style: "notebook" });
    expect(await value(session, "const rows = [1, 2, 3];\nrows.length")).toBe(3);
    expect(await value(session, "async function sum() { return rows.reduce((a, b) => a + b) }\nsum()")).toBe(6);
    expect(await value(session, "let unused")).toBe(null);
  });

  it("keeps what was done until an exception, and makes no turn of a program that did not run", async () => {
    await using session = await sandbox.openSession({ domain });
    const failed = await session.run("let a = 1;\nnull.x;\na = 2;");
    expect(failed).toMatchObject({ error: { type: "TypeError", line: 2 }, state: "kept", turn: 1 });
    for (const code of ["let a = (", "import 'x'", "let a = 1; let a = 2;", "}} a = 3; {{", "x".repeat(200_000)]) {
      expect(await session.run(code)).toMatchObject({ status: "error", state: "kept", turn: 1 });
    }
    expect(await value(session, "return a;")).toBe(1);
    expect(session.checkpoints().map(({ turn }) => turn)).toEqual([0, 1]);
  });

  it("tells where errors are, in functions of earlier programs where they were called", async () => {
    await using session = await sandbox.openSession({ domain });
    const first = await session.run(
      "function f(o) {\n  return o.a.b;\n}\nlet one, two = f({ a: 1 }); class A {} f({});",
    );
    expect(first).toMatchObject({ error: { line: 2, column: 13, sourceLine: "  return o.a.b;" } });
    const second = await session.run("// a comment\n\nlet x; const y = 1; f({});");
    expect(second).toMatchObject({ error: { line: 3, column: 22, sourceLine: "let x; const y = 1; f({});" } });
    const thrown = await session.run("let q, w; class B {} const e = new Error('told'); throw e;");
    expect(thrown).toMatchObject({ error: { message: "told", line: 1, column: 41 } });
  });

  it.each([
    ["Timeout", "for (;;) {}"],
    ["Timeout", "await new Promise(() => {});"],
    ["MemoryLimit", "const all = []; for (;;) all.push(new Array(10_000).fill(1));"],
    ["ToolCallLimit", "for (let n = 0; n < 21; n++) await add({ a: n });"],
    ["ResultTooLarge", "return 'x'.repeat(2_000_000);"],
  ])("is as before a program that ends as %s: %s", async (type, code) => {
    await using session = await (code.includes(";;") && type === "Timeout" ? short : sandbox).openSession({ domain });
    await value(session, "let a = [1]; return 1;");
    const run = await session.run(`a.push(2);\n${code}`);
    expect(run).toMatchObject({ error: { type }, state: "rolled-back", turn: 1 });
    expect(run.status === "error" && run.error.hint).toContain("variables are as before this program");
    expect(await value(session, "return a;")).toEqual([1]);
  });

  it("goes on after a program that failed while calls were in flight", async () => {
    await using session = await sandbox.openSession({ domain });
    const failed = await session.run("let a = 1; const late = add({ a: 1 }); throw new Error('first');");
    expect(failed).toMatchObject({ error: { message: "first" }, state: "kept", turn: 1 });
    expect(await value(session, "return [a, await add({ a })];")).toEqual([1, 3]);
  });

  it("binds tools anew: a function kept calls the tool of that name, one that is gone says so", async () => {
    await using session = await sandbox.openSession({ domain, tools: [tool("greet", {}, async () => "hello")] });
    const code =
      "const f = async () => await greet(); const kept = greet; return [await f(), await kept(), await add({ a: 1 })];";
    expect(await value(session, code)).toEqual(["hello", "hello", 3]);
    const other = tool(
      "greet",
      { name: { type: "string", default: "you" } },
      async ({ name }: { name: string }) => `hi ${name}`,
    );
    const run = await session.run("return [await f(), await kept({ name: 'me' }), await add({ a: 1 })];", {
      tools: [other],
    });
    expect(outcomeOf(run)).toEqual(["hi you", "hi me", 3]);
    await using later = await moved(session);
    for (const call of ["f()", "kept()", "greet()"]) {
      expect(await later.run(`return await ${call};`)).toMatchObject({
        error: { type: "ToolError", message: "the tool greet is not offered any more" },
        state: "kept",
      });
    }
    expect(await value(later, "return await add({ a: 2 });")).toBe(4);
    const refusing = tool("greet", {}, async () => {
      throw new ToolError("not today");
    });
    const caught = "try { await f(); } catch (error) { return [error instanceof ToolError, error.message]; }";
    expect(outcomeOf(await later.run(caught, { tools: [refusing] }))).toEqual([true, "not today"]);
  });

  it("says when a variable hides a tool, and has the tool again when it is gone", async () => {
    await using session = await sandbox.openSession({ domain });
    const run = await session.run("let add = 3; return add;");
    expect(run.stats.warnings).toEqual(["hides-tool: add"]);
    expect(await value(session, "delete globalThis.add; return await add({ a: 1 });")).toBe(3);
    const declared = await session.run("function add() { return 'mine'; } return add();");
    expect(declared).toMatchObject({ value: "mine", stats: { warnings: ["hides-tool: add"] } });
  });

  it("gives a tool the name of one of the engine's own globals", async () => {
    await using session = await sandbox.openSession({
      domain,
      tools: [tool("queueMicrotask", {}, async () => "tool")],
    });
    expect(await value(session, "return await queueMicrotask();")).toBe("tool");
    expect((await session.run("let queueMicrotask = 1;")).stats.warnings).toEqual(["hides-tool: queueMicrotask"]);
  });

  it("has memory that grew, in another interpreter too, and rolls back what is too large", async () => {
    await using session = await sandbox.openSession({ domain });
    await value(session, "let a = Array.from({ length: 300_000 }, (_, n) => ({ n })); return 1;");
    await using later = await moved(session);
    const sum = "return [a.length, a[299_999].n, a.reduce((sum, { n }) => sum + n, 0)];";
    expect(await value(later, sum)).toEqual([300_000, 299_999, 44_999_850_000]);
    await using small = await sandbox.openSession({ domain, limits: { maxImageBytes: 1_000_000 } });
    await value(small, "let a = 1; return 1;");
    const run = await small.run("a = 'xyz'.repeat(1_000_000); return a.length;");
    expect(run).toMatchObject({ status: "ok", value: 3_000_000, state: "rolled-back", turn: 1 });
    expect(run.stats.warnings.join()).toMatch(/session-too-large: \d+ bytes/);
    expect(await value(small, "return a;")).toBe(1);
  });

  it("tells its variables without running code of the program", async () => {
    await using session = await sandbox.openSession({ domain });
    await value(
      session,
      `let asked = 0;
const loud = new Proxy([], new Proxy({}, { get() { asked++; return undefined; } }));
const odd = { get a() { asked++; return 1; }, toString() { asked++; return "x"; }, toJSON() { asked++; } };
Object.defineProperty(globalThis, "lazy", { get() { asked++; return 1; }, enumerable: true });
const text = "x".repeat(500), big = 10n ** 100n, zero = -0, map = new Map([[1, 2]]), bytes = new Uint8Array(2);
const when = new Date(0), nothing = null, f = () => 1;
return 1;`,
    );
    const shown = Object.fromEntries(session.variables().map(({ name, type, preview }) => [name, [type, preview]]));
    expect(shown).toMatchObject({
      ...{ loud: ["Array", "<Array>"], odd: ["object", "<object>"], lazy: ["accessor", "<accessor>"] },
      ...{ big: ["bigint", "<a large bigint>"], zero: ["number", "-0"], map: ["Map", "<Map of 1>"] },
      ...{ bytes: ["Uint8Array", "<Uint8Array>"], when: ["Date", "1970-01-01T00:00:00.000Z"] },
      ...{ nothing: ["null", "null"], f: ["function", "<function>"], text: ["string", expect.any(String)] },
    });
    expect(shown.text?.[1]).toHaveLength(120);
    expect(await value(session, "return asked;")).toBe(0);
  });

  it("has no files", async () => {
    await using session = await sandbox.openSession({ domain });
    expect(session.files()).toEqual([]);
    for (const use of [session.readFile("a.csv"), session.writeFile("a.csv", "1")]) {
      await expect(use).rejects.toThrow("There are files in Python alone.");
    }
  });
});

describe("undo and fork", () => {
  it("go back by images to the start, and share an image, not a state", async () => {
    await using session = await sandbox.openSession({ domain });
    for (let n = 1; n <= 3; n++) await value(session, `let a = [${n}]; return a;`);
    await session.undo(2);
    expect(await value(session, "return a;")).toEqual([1]);
    await using fork = await session.fork();
    await value(session, "a.push('origin'); return 1;");
    await value(fork, "a.push('fork'); return 1;");
    expect(await value(session, "return a;")).toEqual([1, "origin"]);
    expect(await value(fork, "return a;")).toEqual([1, "fork"]);
    await session.undo(session.checkpoints().length);
    expect(await session.run("return a;")).toMatchObject({ error: { type: "ReferenceError" } });
    expect(session.variables()).toEqual([]);
  });

  it("draw the random numbers of the origin, unless they are to be others", async () => {
    await using session = await sandbox.openSession({ domain });
    await value(session, "return Math.random();");
    const forks = await Promise.all([session.fork(), session.fork(), session.fork({ reseed: true })]);
    const [same, equal, other] = await Promise.all(forks.map((one) => value(one, "return Math.random();")));
    expect(same).toBe(equal);
    expect(other).not.toBe(same);
    for (const one of forks) await one.close();
  });
});

describe("no session of JavaScript", () => {
  it("is seen in another, nor in plain programs", async () => {
    await using one = await sandbox.openSession({ domain });
    await value(one, "let secret = 'x'; Array.prototype.left = 1; globalThis.escape = 1; return 1;");
    const probe = "return [typeof secret, [].left ?? null, typeof escape];";
    const clean = ["undefined", null, "function"];
    expect(await sandbox.run(probe)).toMatchObject({ value: clean });
    await using two = await sandbox.openSession({ domain });
    expect(await value(two, probe)).toEqual(clean);
    expect(await value(one, probe)).toEqual(["string", 1, "number"]);
    await one.undo(2);
    expect(await value(one, probe)).toEqual(clean);
  });

  it("is taken for one of Python, or the other way round", async () => {
    const storage = memoryStorage();
    const session = await sandbox.openSession({ storage, key });
    await session.close();
    await using python = pythonSandbox({ pool: { size: 0 } });
    await expect(python.resumeSession(session.id, { storage, key })).rejects.toMatchObject({
      code: "sandbox/session-mismatch",
      data: { field: "language", saved: "javascript", here: "python" },
    });
  });

  it("is loaded from an image of which a byte was changed", async () => {
    const storage = memoryStorage();
    const session = await sandbox.openSession({ storage, key });
    await value(session, "let a = 1; return 1;");
    await session.close();
    const spoilt = await imageOf(storage, session.id, 1);
    spoilt[2000] = (spoilt[2000] ?? 0) ^ 1;
    const lying = withBlobs(storage, { get: async () => spoilt });
    const tampered = { code: "sandbox/session-tampered" };
    await expect(sandbox.resumeSession(session.id, { storage: lying, key })).rejects.toMatchObject(tampered);
  });
});

describe("what runs programs in a session", () => {
  it("says so to the model, and has its variables", async () => {
    await using session = await sandbox.openSession({ domain });
    const [made] = codeTools(sandbox, { session, style: "notebook" });
    expect(made?.name).toBe("executeJavascriptCode");
    expect(made?.description).toContain("variables, functions and classes stay");
    const given = { signal: new AbortController().signal, callId: "c" } as unknown as ToolContext;
    await made?.execute({ code: "const a = [1]; a" }, given);
    expect(await made?.execute({ code: "a.push(2); a" }, given)).toEqual({ value: [1, 2], logs: [] });
    const context = { runId: "r", signal: new AbortController().signal, emit() {} } as unknown as ExecutorContext;
    const action = { kind: "code", id: "c", language: "javascript", source: "return a.length;" } as CodeAction;
    const [result] = await sandboxExecutor(sandbox, { session }).execute(action, context);
    expect(result).toMatchObject({ data: 2, metadata: { session: { id: session.id, turn: 3, state: "kept" } } });
  });
});
