import { memoryStorage } from "@toolglot/core/storage";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, describe, expect, it } from "vitest";
import { type Sandbox, type SandboxSession, ToolError } from "../../src/node/index.ts";
import { pythonSandbox } from "../own-sandbox.ts";
import { endless } from "../python/reuse/one-at-a-time.ts";
import { addTool, tool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";
import { key, outcomeOf, sessionSandbox, value, withBlobs } from "./support.ts";

const sandbox = sharedSandbox("python", { tools: [addTool] });
/** For what is the same in both languages. */
const javascript = sharedSandbox("javascript", { tools: [addTool] });
/** For programs that never end. */
const short = sessionSandbox(1500);
afterAll(() => short[Symbol.asyncDispose]());
const domain = "tests";

/** A session whose memory is put into another interpreter, or the same after it was set back, before each program. */
async function moved(session: SandboxSession, to: Sandbox = sandbox): Promise<SandboxSession> {
  await session.close();
  return await to.resumeSession(session.id, { domain });
}

const everything = `
import_free = {"a": [1, 2, (3, None)], 2: {1.5}}
def make_counter():
    count = 0
    def counter():
        nonlocal count
        count += 1
        return count
    return counter
counter = make_counter()
counter()
class Point:
    total = 0
    def __init__(self, x):
        self.x = x
        Point.total += 1
class Point3(Point):
    def twice(self):
        return self.x * 2
points = [Point3(n) for n in range(3)]
def squares():
    for n in range(10):
        yield n * n
running = squares()
next(running), next(running)
random.seed(5)
drawn = [random.random() for _ in range(3)]
hashed = hash("text")
__result__ = len(points)
`;
const look = `__result__ = [import_free["a"], counter(), [p.twice() for p in points], Point.total, isinstance(points[0], Point), next(running), hash("text") == hashed, random.random()]`;

describe("a session", () => {
  it("keeps variables, functions, classes, closures, generators, random numbers and hashes, in any interpreter", async () => {
    await using hot = await sandbox.openSession({ domain });
    await value(hot, everything);
    const origin = await hot.fork();
    const expected = await value(hot, look);
    expect(expected).toMatchObject([[1, 2, [3, null]], 2, [0, 2, 4], 3, true, 4, true, expect.any(Number)]);
    await using cold = await moved(origin);
    expect(cold.turn).toBe(1);
    expect(await value(cold, look)).toEqual(expected);
    expect(await value(cold, "__result__ = [counter(), next(running)]")).toEqual([3, 9]);
  });

  it("does not keep __result__, and shows nothing of itself", async () => {
    await using session = await sandbox.openSession({ domain });
    expect(await value(session, "a = 1\nb_ = 'two'\n__result__ = 7")).toBe(7);
    expect(await session.run("a += 1")).toMatchObject({ error: { type: "MissingResult" }, state: "kept", turn: 2 });
    expect(await value(session, "__result__ = a")).toBe(2);
    expect(session.variables()).toEqual([
      { name: "a", type: "int", preview: "2" },
      { name: "b_", type: "str", preview: "'two'" },
    ]);
  });

  it("keeps what was done until an exception, and makes no turn of a program that did not run", async () => {
    await using session = await sandbox.openSession({ domain });
    const failed = await session.run("a = 1\nb = 1 / 0\na = 2");
    expect(failed).toMatchObject({ error: { type: "ZeroDivisionError", line: 2 }, state: "kept", turn: 1 });
    for (const code of ["a = (", "import os", "x = ().__class__.__subclasses__", "x".repeat(200_000)]) {
      expect(await session.run(code)).toMatchObject({ status: "error", state: "kept", turn: 1 });
    }
    expect(await value(session, "__result__ = a")).toBe(1);
    expect(session.checkpoints().map(({ turn }) => turn)).toEqual([0, 1]);
  });

  it.for([
    ["Timeout", "while True: pass"],
    ["Timeout", "try:\n    while True: pass\nfinally:\n    while True: pass"],
    ["MemoryError", "b = [0] * 10**9"],
    ["ToolCallLimit", "for n in range(101): add(n)"],
    ["ResultTooLarge", "__result__ = 'x' * 2_000_000"],
    ["RecursionError", "def f(): return f()\nf()"],
  ])("is as before a program that ends as %s", async ([type, code], context) => {
    // Each of them ends its interpreter.
    leftToCi(context, type === "ResultTooLarge");
    await using session = await (type === "Timeout" ? short : sandbox).openSession({ domain });
    await value(session, "a = [1]\n__result__ = 1");
    const run = await session.run(`a.append(2)\n${code}`);
    expect(run).toMatchObject({ error: { type }, state: "rolled-back", turn: 1 });
    expect(run.status === "error" && run.error.hint).toContain("variables are as before this program");
    expect(await value(session, "__result__ = a")).toEqual([1]);
  });

  it("is as before a program that was aborted, and goes on", async () => {
    await using session = await javascript.openSession({ domain });
    await value(session, "let a = [1]; return 1;");
    const abort = new AbortController();
    const slow = tool("slow", {}, async () => {
      abort.abort();
      return 1;
    });
    const run = await session.run("a.push(2); await slow(); return 1;", { tools: [slow], signal: abort.signal });
    expect(run).toMatchObject({ error: { type: "Aborted" }, state: "rolled-back", turn: 1 });
    expect(await session.run("a.push(3);", { signal: AbortSignal.abort() })).toMatchObject({ state: "rolled-back" });
    expect(await value(session, "return a;")).toEqual([1]);
  });

  it("binds tools anew: a function kept calls the tool of that name, one that is gone says so", async () => {
    await using session = await sandbox.openSession({ domain, tools: [tool("greet", {}, async () => "hello")] });
    const code = "def f():\n    return greet()\nkept = greet\n__result__ = [f(), kept(), add(1)]";
    expect(await value(session, code)).toEqual(["hello", "hello", 3]);
    const other = tool(
      "greet",
      { name: { type: "string", default: "you" } },
      async ({ name }: { name: string }) => `hi ${name}`,
    );
    const run = await session.run("__result__ = [f(), kept(name='me'), add(1)]", { tools: [other] });
    expect(outcomeOf(run)).toEqual(["hi you", "hi me", 3]);
    await session.close();
    await using later = await sandbox.resumeSession(session.id, { domain });
    for (const call of ["f()", "kept()", "greet()"]) {
      expect(await later.run(`__result__ = ${call}`)).toMatchObject({
        error: { type: "ToolError", message: "the tool greet is not offered any more" },
        state: "kept",
      });
    }
    expect(await value(later, "__result__ = add(2)")).toBe(4);
    const refusing = tool("greet", {}, async () => {
      throw new ToolError("not today");
    });
    const caught = "try:\n    f()\nexcept ToolError as error:\n    __result__ = str(error)";
    expect(outcomeOf(await later.run(caught, { tools: [refusing] }))).toBe("not today");
  });

  it("says when a variable hides a tool, and has the tool again when it is gone", async () => {
    await using session = await sandbox.openSession({ domain });
    const run = await session.run("add = 3\n__result__ = add");
    expect(run.stats.warnings).toEqual(["hides-tool: add"]);
    expect(await value(session, "del add\n__result__ = add(1)")).toBe(3);
  });

  it("runs programs in the order of their calls", async () => {
    await using session = await javascript.openSession({ domain });
    await value(session, "const seen = []; return 1;");
    const runs = [1, 2, 3, 4].map((n) => session.run(`seen.push(${n}); return [...seen];`));
    expect((await Promise.all(runs)).map(({ turn }) => turn)).toEqual([2, 3, 4, 5]);
    expect(await value(session, "return seen;")).toEqual([1, 2, 3, 4]);
  });

  it("refuses more than 100 waiting programs", async () => {
    const session = await javascript.openSession({ domain });
    const stop = new AbortController();
    const run = () => session.run("return 1;", { signal: stop.signal }).catch((error) => error.code);
    const runs = Array.from({ length: 102 }, run);
    stop.abort();
    expect((await Promise.all(runs)).filter((one) => one === "sandbox/busy")).toHaveLength(2);
    await session.close();
  });

  it("rolls back what is larger than it may be", async (context) => {
    // As JavaScript does.
    leftToCi(context);
    await using session = await sandbox.openSession({ domain, limits: { maxImageBytes: 4_000_000 } });
    await value(session, "a = 1\n__result__ = 1");
    const run = await session.run("a = 'xyz' * 3_000_000\n__result__ = len(a)");
    expect(run).toMatchObject({ status: "ok", value: 9_000_000, state: "rolled-back", turn: 1 });
    expect(run.stats.warnings.join()).toMatch(/session-too-large: \d+ bytes/);
    expect(await value(session, "__result__ = a")).toBe(1);
  });

  it("has memory that grew, in another interpreter too", async () => {
    await using session = await sandbox.openSession({ domain });
    await value(session, "a = [str(n) for n in range(400_000)]\n__result__ = 1");
    await using later = await moved(session);
    expect(await value(later, "__result__ = [len(a), a[399_999], sum(map(int, a))]")).toEqual([
      400_000,
      "399999",
      79_999_800_000,
    ]);
    await later.close({ forget: true });
  });

  it("tells its variables without running code of the program", async () => {
    await using session = await sandbox.openSession({ domain });
    await value(
      session,
      `
class Loud:
    def __repr__(self): raise ValueError("asked")
    __str__ = __len__ = __repr__
    def __iter__(self): raise ValueError("asked")
class Odd(dict):
    def items(self): raise ValueError("asked")
loud, odd, many = Loud(), Odd(a=1), [Loud()] * 3
deep = [[[[[1]]]]]
big, text, data = 10**5000, "x" * 500, {"a": (1,), "b": {2}, 3: None}
__result__ = 1`,
    );
    const shown = Object.fromEntries(session.variables().map(({ name, type, preview }) => [name, [type, preview]]));
    expect(shown).toMatchObject({
      loud: ["Loud", "<Loud>"],
      odd: ["Odd", "<Odd>"],
      many: ["list", "[<Loud>, <Loud>, <Loud>]"],
      deep: ["list", "[[[[…]]]]"],
      big: ["int", "<an int of 16610 bits>"],
      data: ["dict", "{'a': (1,), 'b': {2}, 3: None}"],
    });
    expect(shown.text?.[1]).toHaveLength(120);
  });
});

describe("undo and fork", () => {
  it("go back by images, count turns upwards, and go no further than there are", async () => {
    await using session = await javascript.openSession({ domain, limits: { checkpoints: 3 } });
    for (let n = 1; n <= 5; n++) await value(session, `let a = ${n}; return a;`);
    expect(session.checkpoints().map(({ turn }) => turn)).toEqual([2, 3, 4]);
    await session.undo(2);
    expect(session.turn).toBe(6);
    expect(await value(session, "return a;")).toBe(3);
    await expect(session.undo(5)).rejects.toMatchObject({ code: "sandbox/session-checkpoint" });
    await expect(session.undo(0)).rejects.toThrow(TypeError);
    expect(await value(session, "return a;")).toBe(3);
    await using later = await moved(session, javascript);
    expect(later.turn).toBe(8);
    expect(await value(later, "return a;")).toBe(3);
  });

  it("go back to the start, where nothing is", async () => {
    await using session = await sandbox.openSession({ domain });
    await value(session, "a = 1\n__result__ = a");
    await session.undo();
    expect(await session.run("__result__ = a")).toMatchObject({ error: { type: "NameError" } });
    expect(session.variables()).toEqual([]);
  });

  it("share an image, not a state", async () => {
    await using session = await javascript.openSession({ domain });
    await value(session, "const a = [1]; return 1;");
    await value(session, "a.push(2); return 1;");
    await using now = await session.fork();
    await using before = await session.fork({ turn: 1, id: `${session.id}.before` });
    await value(session, "a.push(3); return 1;");
    await value(now, "a.push(4); return 1;");
    expect(await Promise.all([session, now, before].map((one) => value(one, "return a;")))).toEqual([
      [1, 2, 3],
      [1, 2, 4],
      [1],
    ]);
    await expect(session.fork({ id: before.id })).rejects.toMatchObject({ code: "sandbox/session-exists" });
    await before.close();
    await expect(session.fork({ id: before.id })).rejects.toMatchObject({ code: "sandbox/session-exists" });
    await expect(session.fork({ turn: 77 })).rejects.toMatchObject({ code: "sandbox/session-checkpoint" });
  });

  it("draw the random numbers of the origin, unless they are to be others", async () => {
    await using session = await sandbox.openSession({ domain });
    await value(session, "__result__ = random.random()");
    const drawn: unknown[] = [];
    for (const reseed of [false, false, true]) {
      await using fork = await session.fork({ reseed });
      drawn.push(await value(fork, "__result__ = random.random()"));
    }
    expect(drawn[1]).toBe(drawn[0]);
    expect(drawn[2]).not.toBe(drawn[0]);
  });

  it("have only what was saved, where saving is by hand", async () => {
    const session = await javascript.openSession({ domain, save: "manual" });
    await value(session, "let a = 1; return 1;");
    await session.save();
    await value(session, "a = 2; return 1;");
    await using later = await moved(session, javascript);
    expect(later.turn).toBe(1);
    expect(await value(later, "return a;")).toBe(1);
  });
});

describe("no session is seen in another", () => {
  const mark = "secret = 'x'\n__result__ = 1";
  const limits = { timeoutMs: 60_000 };
  const open = pythonSandbox({ guard: false, domain, reuse: endless, limits });
  afterAll(() => open[Symbol.asyncDispose]());

  it("in one domain: after a fork, after resuming, in plain programs, in a session that is new", async () => {
    await using one = await sandbox.openSession({ domain });
    await value(one, mark);
    expect(await sandbox.run("__result__ = secret")).toMatchObject({ error: { type: "NameError" } });
    await using two = await sandbox.openSession({ domain });
    expect(await two.run("__result__ = secret")).toMatchObject({ error: { type: "NameError" } });
    await value(two, "other = 1\n__result__ = 1");
    expect(await one.run("__result__ = other")).toMatchObject({ error: { type: "NameError" } });
    expect(await sandbox.run("__result__ = other")).toMatchObject({ error: { type: "NameError" } });
    expect(await value(one, "__result__ = secret")).toBe("x");
    await using fork = await one.fork();
    await value(fork, "mine = 1\n__result__ = secret");
    for (const each of [one, two])
      expect(await each.run("__result__ = mine")).toMatchObject({ error: { type: "NameError" } });
  });

  it("without a guard: what a session did to the engine stays with it", async () => {
    await using one = await open.openSession({ domain });
    await using two = await open.openSession({ domain });
    const poison = `
import sys, json, builtins, gc
sys.left = 1
json.dumps = lambda *args, **more: "poisoned"
builtins.sum = lambda x: 42
sys.modules["left"] = sys
sys.setrecursionlimit(500)
gc.disable()
__result__ = 1`;
    const probe = `
import sys, json, builtins, gc
__result__ = [getattr(sys, "left", None), json.dumps([1]), builtins.sum([1]), "left" in sys.modules, sys.getrecursionlimit() > 500, gc.isenabled()]`;
    const clean = [null, "[1]", 1, false, true, true];
    expect(await value(two, probe)).toEqual(clean);
    await value(one, poison);
    expect(await value(two, probe)).toEqual(clean);
    expect(await open.run(probe)).toMatchObject({ value: clean });
    expect(await value(one, probe)).toEqual([1, "poisoned", 42, true, false, false]);
    await one.undo(2);
    expect(await value(one, probe)).toEqual(clean);
  });

  it("keeps files of one from another", async () => {
    await using one = await open.openSession({ domain });
    await value(one, "file = open('/mnt/data/left', 'w')\nfile.write('x')\nfile.flush()\n__result__ = 1");
    const probe = "import os\n__result__ = os.path.exists('/mnt/data/left')";
    expect(await open.run(probe)).toMatchObject({ value: false });
    expect(await value(one, probe)).toBe(true);
  });

  it("never shares an interpreter with another domain", async () => {
    await using one = await sandbox.openSession();
    await using two = await sandbox.openSession();
    const first = await one.run("__result__ = 1");
    const second = await two.run("__result__ = 1");
    expect(first.stats.domain).not.toBe(second.stats.domain);
    expect([first.stats.reused, second.stats.reused]).toEqual([0, 0]);
  });
});

describe("opening and closing", () => {
  it("one holder at a time", async () => {
    const session = await sandbox.openSession({ id: "held" });
    const live = { code: "sandbox/session-live", data: { id: "held", until: expect.any(Number) } };
    await expect(sandbox.resumeSession("held")).rejects.toMatchObject(live);
    const exists = { code: "sandbox/session-exists" };
    await expect(sandbox.openSession({ id: "held" })).rejects.toMatchObject(exists);
    await session.close();
    await session.close();
    await expect(session.run("1")).rejects.toMatchObject({ code: "sandbox/session-closed" });
    await expect(sandbox.openSession({ id: "held" })).rejects.toMatchObject(exists);
    const again = await sandbox.resumeSession("held");
    await again.close({ forget: true });
    await expect(sandbox.resumeSession("held")).rejects.toMatchObject({ code: "sandbox/session-unknown" });
    await (await sandbox.openSession({ id: "held" })).close();
  });

  it("reads its image once, and again after it has rested", async () => {
    const memory = memoryStorage();
    let reads = 0;
    const get: typeof memory.blobs.get = async (...args) => {
      reads++;
      return await memory.blobs.get(...args);
    };
    const options = { storage: withBlobs(memory, { get }), key, save: "manual" as const, domain };
    const first = await javascript.openSession({ ...options, id: "read", save: "each" });
    await value(first, "let a = 1; return 1;");
    await first.close();
    reads = 0;
    const second = await javascript.resumeSession("read", options);
    expect(await value(second, "return a;")).toBe(1);
    expect(reads).toBe(1);
    await second.close();
    const third = await javascript.resumeSession("read", { ...options, limits: { idleMs: 1 } });
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await value(third, "return a;")).toBe(1);
    expect(reads).toBe(3);
    await third.close();
  });

  it("starts no interpreter before its first program", async () => {
    await using own = pythonSandbox();
    await (await own.openSession()).close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(own.stats().started).toBe(0);
  });

  it("is over after its time", async () => {
    const session = await sandbox.openSession();
    await session.close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    const limits = { expireMs: 10 };
    await expect(sandbox.resumeSession(session.id, { limits })).rejects.toMatchObject({
      code: "sandbox/session-expired",
    });
    await expect(sandbox.resumeSession(session.id)).rejects.toMatchObject({ code: "sandbox/session-unknown" });
  });

  it("refuses a session of another key", async () => {
    const storage = memoryStorage();
    const session = await sandbox.openSession({ storage, key });
    await session.close();
    await expect(sandbox.resumeSession(session.id, { storage, key: new Uint8Array(32) })).rejects.toMatchObject({
      code: "sandbox/session-tampered",
    });
    await using same = await sandbox.resumeSession(session.id, { storage, key });
    expect(same.turn).toBe(0);
  });

  it.each([
    [{ id: "a/b" }, "letters"],
    [{ idd: 1 }, "id"],
    [{ save: "always" }, "save"],
    [{ storage: {} }, "folderStorage"],
    [{ storage: { ...memoryStorage(), durability: "disk" } }, "32 bytes"],
    [{ key: new Uint8Array(31) }, "32 bytes"],
    [{ limits: { checkpoint: 1 } }, "checkpoints"],
    [{ limits: { leaseMs: 1 } }, "leaseMs"],
    [{ tools: [1] }, "tools"],
    [{ domain: "" }, "domain"],
    [{ style: "script" }, "notebook"],
    [{ limits: { maxFileBytes: 40_000_000 } }, "maxFileBytes"],
  ])("refuses the options %j", async (options, said) => {
    await expect(sandbox.openSession(options as object)).rejects.toThrow(TypeError);
    await expect(sandbox.openSession(options as object)).rejects.toThrow(said);
  });

  it("refuses options of a program that are the session's", async () => {
    await using session = await sandbox.openSession({ domain });
    await expect(session.run("1", { domain: "x" })).rejects.toThrow(TypeError);
    await expect(session.run(1 as unknown as string)).rejects.toThrow(TypeError);
  });
});
