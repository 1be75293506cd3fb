import { existsSync, readFileSync } from "node:fs";
import { drawn, isLong, leftToCi } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSandbox, type Sandbox } from "../../src/node/index.ts";
import { Canary } from "../canary.ts";
import { readSections, tool } from "../support.ts";
import { keptSandbox } from "./reuse/one-at-a-time.ts";
import { asFunction, inGroups } from "./support.ts";

// What stops what, each layer by itself. `escape-attempts.txt` goes against all of them.
//
// | layer                                   | switched off here            | stops                                         | tested in
// |-----------------------------------------|------------------------------|-----------------------------------------------|---------------------
// | 1 process, permission model, no `eval`  | guard                        | all attempts: files, sockets, processes       | escapes.test.ts
// | 2 built-ins removed, 3 engine border    | guard, permission model,     | all attempts as well: nothing in the child    | layers.test.ts
// |   (child.node.mjs)                      | `eval` allowed, host's env   | rests on the permission model alone           |
// | 4 guard                                 | nothing is run               | every attempt but those named harmless        | escapes.test.ts
// | 4 guard, what is reachable by attribute | guard                        | frames, modules, code, metaclasses, open…     | reachable.test.ts
// | 5 frames and results                    | the whole child is hostile   | forged, odd, endless and malformed messages   | hostile-child.test.ts, frames.fuzz.test.ts
// | limits                                  | guard, for some              | endless work, memory, output, calls           | bombs.apart.test.ts

const canary = new Canary();
const { secret, file, mark } = canary;
beforeAll(() => canary.open());

const limits = { timeoutMs: 120_000 };
/** In test:long each attempt has a process of its own, else those that leave theirs as it was follow one another in one. */
const make = (guard: boolean): Sandbox => {
  const options = { language: "python", limits, guard } as const;
  return isLong ? createSandbox({ ...options, pool: { size: 0 } }) : keptSandbox(options);
};
const guarded = make(true);
const unguarded = make(false);

afterAll(async () => {
  await guarded[Symbol.asyncDispose]();
  await unguarded[Symbol.asyncDispose]();
  canary.close();
});

interface Attempt {
  name: string;
  code: string;
}

/** Marks in a name: `(alone)` ends or changes its interpreter, `(at run time)` and `(harmless: why)` pass the guard's reading. */
const attempts: readonly Attempt[] = readSections(new URL("./escape-attempts.txt", import.meta.url));
const isHarmless = ({ name }: Attempt): boolean => name.includes("(harmless: ");
const isRunTime = ({ name }: Attempt): boolean => name.endsWith("(at run time)");
const isAlone = ({ name }: Attempt): boolean => name.endsWith("(alone)");
const harmless = attempts.filter(isHarmless);
const atRunTime = attempts.filter(isRunTime);
const byReading = attempts.filter((attempt) => !isHarmless(attempt) && !isRunTime(attempt));

/** Against the guard an attempt goes without the import at its end, which would be refused whatever stands before it. */
const TAIL = '\nimport os\nos.system("touch {MARK}")\n';
const forGuard = ({ code }: Attempt): string =>
  canary.fill(code.endsWith(TAIL) ? code.slice(0, 1 - TAIL.length) : code);

function expectUntouched(outcome: unknown): void {
  const text = JSON.stringify(outcome);
  expect(text).not.toContain(secret);
  expect(text).not.toContain("REACHED");
  expect(existsSync(mark)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe(secret);
  expect(canary.connections).toBe(0);
}

it("should hold at least a hundred and fifty attempts, each with its own name", () => {
  expect(new Set(attempts.map(({ name }) => name)).size).toBe(attempts.length);
  expect(attempts.length).toBeGreaterThanOrEqual(150);
});

// Some go from end to end (all in test:long), and all others share one run.
const refused = [...byReading, ...atRunTime];
const ends = [...drawn(byReading, 5), ...atRunTime.slice(0, 1)];

it.for(isLong ? refused : ends)(
  `should be refused by the guard with its line, one of ${isLong ? refused.length : ends.length} of ${refused.length}: $name`,
  async (attempt, context) => {
    leftToCi(context, ends.indexOf(attempt) % 5 === 0);
    const run = await guarded.run(forGuard(attempt));
    expectUntouched(run);
    expect(run).toMatchObject({ status: "error", error: { line: expect.any(Number) } });
    expect(["ForbiddenName", "ImportForbidden"]).toContain(run.status === "error" && run.error.type);
  },
);

it("should refuse by reading all but what only shows at run time, and what is harmless", async () => {
  const read = `
import ast
from toolglot_guest import guard, library, safe_builtins
verdicts = {}
for name, code in json.loads(attempts()):
    available = safe_builtins.TABLE.keys() | library.LIBRARIES.keys()
    try:
        guard.check(ast.parse(code), available, library.MODULES, False, [])
        verdicts[name] = "not refused"
    except guard.Refused as refused:
        verdicts[name] = refused.type
__result__ = verdicts`;
  const sources = tool("attempts", {}, () => JSON.stringify(attempts.map((one) => [one.name, forGuard(one)])));
  const run = await unguarded.run(read, { tools: [sources] });
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  const verdicts = Object.entries(run.value as Record<string, string>);
  const passed = verdicts.filter(([, type]) => type !== "ForbiddenName" && type !== "ImportForbidden");
  expect(verdicts).toHaveLength(attempts.length);
  const unread = attempts.filter((attempt) => isHarmless(attempt) || isRunTime(attempt));
  expect(passed.map(([name]) => name)).toEqual(unread.map(({ name }) => name));
});

/** What came of attempts under the guard, all in one program: each is a function of its own. */
let underGuard: Promise<[string, string][]> | undefined;
const outcomesOf = async (some: readonly Attempt[]): Promise<string[]> => {
  const list = [...atRunTime, ...harmless];
  underGuard ??= outcomesTogether(list);
  const outcomes = await underGuard;
  expect(outcomes).toHaveLength(list.length);
  return some.map((attempt) => outcomes[list.indexOf(attempt)]?.[0] ?? "none");
};

async function outcomesTogether(list: readonly Attempt[]): Promise<[string, string][]> {
  const functions = list.map((attempt, index) => asFunction(`attempt_${index}`, forGuard(attempt)));
  const calls = list.map((_, index) => `attempt_${index}`).join(", ");
  const run = await guarded.run(`${functions.join("")}
__result__ = []
for attempt in [${calls}]:
    try:
        __result__.append(["ended", repr(attempt())])
    except BaseException as error:
        __result__.append([type(error).__name__, str(error)])`);
  expectUntouched(run);
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  return run.value as [string, string][];
}

it("should refuse at run time what could not be read", async () => {
  const outcomes = await outcomesOf(atRunTime);
  const types = Object.fromEntries(atRunTime.map(({ name }, index) => [name, outcomes[index]]));
  expect(types).toEqual(Object.fromEntries(atRunTime.map(({ name }) => [name, "ForbiddenName"])));
});

it("should let pass what is harmless, and it reaches nothing", async () => {
  expect(await outcomesOf(harmless)).not.toContain("none");
  if (!isLong) return;
  for (const attempt of harmless) expectUntouched(await guarded.run(forGuard(attempt)));
});

const inProcesses = attempts.filter((attempt) => isLong || isAlone(attempt));
const together = attempts.filter((attempt) => !isAlone(attempt));

// They end or change their interpreter.
const aloneSample = drawn(inProcesses, 1);
it.for(inProcesses)("should reach nothing without the guard: $name", async (attempt, context) => {
  leftToCi(context, aloneSample.includes(attempt));
  expectUntouched(await unguarded.run(canary.fill(attempt.code)));
});

const groups = inGroups(together, 60).map((group, number) => ({
  group,
  number,
  name: group[0]?.name,
  size: group.length,
}));

it.for(isLong ? [] : groups)(
  "should reach nothing without the guard: $name and those after it, $size",
  async ({ group, number }, context) => {
    leftToCi(context, number === 0);
    const sources = tool("attempts", {}, () => JSON.stringify(group.map(({ code }) => canary.fill(code))));
    const harness = `
names = dict(globals())
outcomes = []
for code in json.loads(attempts()):
    own = dict(names)
    try:
        exec(code, own)
        outcomes.append(repr(own.get("__result__")))
    except BaseException as error:
        outcomes.append(f"{type(error).__name__}: {error}")
__result__ = outcomes`;
    const run = await unguarded.run(harness, { tools: [sources] });
    expectUntouched({ ...run, toolCalls: [] });
    // Every attempt of the group had its turn.
    expect(run.status === "ok" ? run.value : run.error).toHaveLength(group.length);
  },
);
