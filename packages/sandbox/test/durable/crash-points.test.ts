import type { AnyTool, Decision } from "@toolglot/core";
import type { MemoryOperationLog } from "@toolglot/core/operation-log";
import { drawn, leftToCi, type Share, share } from "@toolglot/internal/testing";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { type Sandbox, type SandboxRun, type SandboxRunParked, settleCall } from "../../src/node/index.ts";
import { javascriptSandbox, pythonSandbox } from "../own-sandbox.ts";
import { tool } from "../support.ts";
import { dyingLog, logWithClock, sleep } from "./support.ts";

// A program is killed at one moment of its life and resumed, until it ends. Whatever the moment: the same value as if
// nothing had happened, and no effect twice.

const sandboxes = {
  javascript: javascriptSandbox({ seed: "fixed", pool: { size: 2 } }),
  python: pythonSandbox({ seed: "fixed", pool: { size: 1 } }),
};
afterAll(() => Promise.all(Object.values(sandboxes).map((sandbox) => sandbox[Symbol.asyncDispose]())));

type Kind = "effect" | "again" | "asked" | "fails";
/** Lines of calls; those of a line follow each other, the lines go on side by side (in Python one after the other). */
type Lines = Kind[][];

const programs = {
  javascript: (lines: Lines): string => `
const trace = [];
const first = Math.random();
const line = async (kinds, l) => {
  const got = [];
  for (const [i, kind] of kinds.entries()) {
    // What is asked for depends on the order of all answers before: a replay in another order diverges.
    const input = { key: l + "." + i, seen: trace.join() };
    const ask = { effect, again, asked, fails }[kind];
    got.push(await ask(input).catch((error) => error.message));
    trace.push(input.key);
    console.log(input.key);
  }
  return got;
};
const got = await Promise.all(${JSON.stringify(lines)}.map(line));
__result__ = { first, got, count: trace.length, later: Date.now() >= 1e12 };`,
  python: (lines: Lines): string => `
trace = []
first = random.random()
tools = {"effect": effect, "again": again, "asked": asked, "fails": fails}
got = []
for l, kinds in enumerate(${JSON.stringify(lines)}):
    line = []
    for i, kind in enumerate(kinds):
        key = f"{l}.{i}"
        try:
            line.append(tools[kind](key=key, seen=",".join(trace)))
        except ToolError as error:
            line.append(str(error))
        trace.append(key)
        print(key)
    got.append(line)
__result__ = {"first": first, "got": got, "count": len(trace), "later": datetime.now().timestamp() >= 1e9}`,
};

/** The world outside: what was done to it, by key. */
class World {
  readonly done = new Map<string, number>();
  readonly askedFor: string[] = [];
  /** The process of these tools is dead: what they would do happens no more. */
  tools(isDead: () => boolean): AnyTool[] {
    const act = (name: string, annotations: AnyTool["annotations"]): AnyTool =>
      tool(
        name,
        { key: { type: "string" }, seen: { type: "string" } },
        async ({ key }: { key: string }) => {
          if (isDead()) return await new Promise(() => {});
          this.done.set(key, (this.done.get(key) ?? 0) + 1);
          // Lines overtake each other.
          await sleep(key.length * 3 * (Number(key[0]) % 2));
          if (name === "fails") throw new Error(`no ${key}`);
          return `did ${key}`;
        },
        { annotations: { ...annotations } },
      );
    return [
      act("effect", {}),
      act("again", { idempotentHint: true }),
      act("asked", { destructiveHint: true }),
      act("fails", {}),
    ];
  }
}

/** Runs to the end; dies at each of these moments of its lives. Gives the last life's run. */
async function live(sandbox: Sandbox, code: string, deaths: readonly number[], later: boolean) {
  const { log, pass } = logWithClock();
  const world = new World();
  let lives = 0;
  for (; ; lives++) {
    if (lives > 60) throw new Error("it never ends");
    let isDead = false;
    const dying = dyingLog(log, deaths[lives] ?? Number.POSITIVE_INFINITY);
    const controller = new AbortController();
    const wasAsked = new Set(world.askedFor);
    const run = sandbox.run(code, {
      tools: world.tools(() => isDead),
      signal: controller.signal,
      durable: { storage: { operations: dying.log }, id: "life", parkAfterMs: lives % 2 === 0 ? 60_000 : 0 },
      approve: async ({ callId }): Promise<Decision | "later"> => {
        world.askedFor.push(callId);
        return later && !wasAsked.has(callId) ? "later" : { approved: true };
      },
    });
    const died = dying.died.then(() => {
      isDead = true;
      return undefined;
    });
    const ended = await Promise.race([run, died]);
    // Frees the interpreter; the log of a dead process hears nothing of it.
    controller.abort();
    pass(3_600_000);
    if (ended === undefined || ended.status === "parked") continue;
    if (ended.status === "error" && ended.error.type === "InDoubt") {
      await settle(log, world, ended);
      pass(10);
    } else return { run: ended, world, moments: dying.moments(), log };
  }
}

/** Somebody looks into the world and says what happened. */
async function settle(log: MemoryOperationLog, world: World, run: SandboxRun | SandboxRunParked): Promise<void> {
  const callId = run.status === "error" ? (run.error.callId ?? "") : "";
  const call = run.toolCalls.find((each) => each.callId === callId);
  const key = String(call?.args.key);
  if (!world.done.has(key)) await settleCall({ operations: log }, "life", callId, "released");
  else if (call?.name === "fails") await settleCall({ operations: log }, "life", callId, { error: `no ${key}` });
  else await settleCall({ operations: log }, "life", callId, { value: `did ${key}` });
}

async function check(language: keyof typeof programs, lines: Lines, deaths: readonly number[], later: boolean) {
  const code = programs[language](lines);
  const keys = lines.flatMap((kinds, l) => kinds.map((kind, i) => ({ key: `${l}.${i}`, kind })));
  const { run, world, moments } = await live(sandboxes[language], code, deaths, later);
  const draws = { javascript: expect.any(Number), python: expect.any(Number) };
  expect(run).toMatchObject({
    status: "ok",
    value: {
      first: draws[language],
      got: lines.map((kinds, l) => kinds.map((kind, i) => (kind === "fails" ? `no ${l}.${i}` : `did ${l}.${i}`))),
      count: keys.length,
      later: true,
    },
  });
  expect(run.logs.map(({ text }) => text).sort()).toEqual(keys.map(({ key }) => key).sort());
  for (const { key, kind } of keys) {
    const times = world.done.get(key) ?? 0;
    if (kind === "again") expect(times).toBeGreaterThanOrEqual(1);
    else expect(times, `${kind} ${key} in ${JSON.stringify({ lines, deaths, later })}`).toBe(1);
  }
  return { value: run.status === "ok" ? run.value : undefined, moments };
}

/** Dies once, at so many moments of an undisturbed life. */
async function dieEverywhere(language: keyof typeof programs, lines: Lines, { count }: Share): Promise<void> {
  const undisturbed = await check(language, lines, [], false);
  const first = (value: unknown): unknown => (value as { first: number }).first;
  const all = Array.from({ length: MOMENTS[language] }, (_, index) => index + 1);
  expect(undisturbed.moments).toBe(all.length);
  for (const moment of drawn(all, count)) {
    const { value } = await check(language, lines, [moment], false);
    expect(first(value)).toBe(first(undisturbed.value));
  }
}

/** Before and after each write of the programs below. */
const MOMENTS = { javascript: 34, python: 28 };
const moments = {
  javascript: share("moments", 6, MOMENTS.javascript),
  python: share("moments", 1, MOMENTS.python),
};

it(`should come to the same end whenever a JavaScript program is killed: ${moments.javascript.told}`, async () => {
  await dieEverywhere("javascript", [["effect", "again"], ["asked"], ["fails"]], moments.javascript);
}, 600_000);

it(`should come to the same end whenever a Python program is killed: ${moments.python.told}`, async () => {
  await dieEverywhere("python", [["effect", "asked"], ["again"]], moments.python);
}, 600_000);

const lines = fc.array(
  fc.array(fc.constantFrom<Kind>("effect", "again", "asked", "fails"), { minLength: 1, maxLength: 3 }),
  { minLength: 1, maxLength: 4 },
);
const deaths = fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 4 });
const often = { javascript: share("programs", 4, 100), python: share("programs", 1, 10) };

/** Programs of any shape, killed at any moments, whoever decides later. */
async function dieOften(language: keyof typeof programs, seed: number): Promise<void> {
  const property = fc.asyncProperty(lines, deaths, fc.boolean(), async (program, at, later) => {
    await check(language, program, at, later);
  });
  await fc.assert(property, { numRuns: often[language].count, seed });
}

it(`should come to the same end however often a JavaScript program is killed, and whoever decides later: ${often.javascript.told}`, async () => {
  await dieOften("javascript", 1);
}, 600_000);

it(`should come to the same end however often a Python program is killed, and whoever decides later: ${often.python.told}`, async (context) => {
  leftToCi(context);
  await dieOften("python", 2);
}, 600_000);
