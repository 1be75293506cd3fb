import { existsSync, readFileSync } from "node:fs";
import { leftToCi } from "@toolglot/internal/testing";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { Canary } from "../canary.ts";
import { readSections, tool } from "../support.ts";
import { keptSandbox } from "./reuse/one-at-a-time.ts";
import { inGroups } from "./support.ts";

// The attempts of escape-attempts.txt, as programs of the style "notebook": imports, files and special methods are there.

const canary = new Canary();
const { secret, file, mark } = canary;
beforeAll(() => canary.open());

const more = { language: "python", style: "notebook", limits: { timeoutMs: 120_000 } } as const;
const guarded = createSandbox({ ...more, pool: { size: 0 } });
const unguarded = keptSandbox({ ...more, guard: false });
afterAll(async () => {
  await guarded[Symbol.asyncDispose]();
  await unguarded[Symbol.asyncDispose]();
  canary.close();
});

const attempts = readSections(new URL("./escape-attempts.txt", import.meta.url));
const together = attempts.filter(({ name }) => !name.endsWith("(alone)"));

function expectUntouched(outcome: unknown): void {
  const text = JSON.stringify(outcome);
  expect(text).not.toContain(secret);
  expect(text).not.toContain("REACHED");
  expect(existsSync(mark)).toBe(false);
  expect(readFileSync(file, "utf8")).toBe(secret);
  expect(canary.connections).toBe(0);
}

/** Which attempts the guard refuses by reading. */
async function readAll(): Promise<Record<string, string>> {
  const sources = tool("attempts", {}, () =>
    JSON.stringify(attempts.map(({ name, code }) => [name, canary.fill(code)])),
  );
  const run = await unguarded.run(
    `
import ast, json
from toolglot_guest import guard, notebook, notebook_guard, notebook_libraries
guard.use_notebook_rules(True)
verdicts = {}
for name, code in json.loads(attempts()):
    try:
        libraries = (notebook_libraries.MODULES, notebook_libraries.public_names)
        notebook_guard.check(ast.parse(code), notebook._TABLE.keys() | {"eval", "exec"}, libraries)
        verdicts[name] = "not refused"
    except guard.Refused as refused:
        verdicts[name] = refused.type
guard.use_notebook_rules(False)
__result__ = verdicts`,
    { tools: [sources] },
  );
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  return run.value as Record<string, string>;
}

it("should reach nothing under the guard, whether an attempt is refused by reading or as it runs", async () => {
  const verdicts = await readAll();
  const run = attempts.filter(({ name }) => verdicts[name] === "not refused");
  expect(attempts.length - run.length).toBeGreaterThan(50);
  const sources = tool("attempts", {}, () => JSON.stringify(run.map(({ code }) => canary.fill(code))));
  const outcome = await guarded.run(
    `
import json
__result__ = []
for code in json.loads(attempts()):
    own = {}
    try:
        exec(code, own)
        __result__.append(["ended", repr(own.get("__result__"))])
    except BaseException as error:
        __result__.append([type(error).__name__, str(error)])`,
    { tools: [sources] },
  );
  expectUntouched({ ...outcome, toolCalls: [] });
  if (outcome.status === "error") throw new Error(JSON.stringify(outcome.error));
  const outcomes = outcome.value as [string, string][];
  expect(outcomes).toHaveLength(run.length);
});

const groups = inGroups(together, 60).map((group, number) => ({ group, number, size: group.length }));

// What a harmless attempt is told of the libraries holds for those that a guarded program gets, which are not the modules themselves.
const isAboutGuard = (name: string | undefined): boolean => name?.includes("(harmless: ") === true;

it.for(groups)("should reach nothing without the guard: group $number, $size", async ({ group, number }, context) => {
  leftToCi(context, number === 0);
  const sources = tool("attempts", {}, () => JSON.stringify(group.map(({ code }) => canary.fill(code))));
  const run = await unguarded.run(
    `
import json
names = dict(globals())
outcomes = []
for code in json.loads(attempts()):
    own = dict(names)
    try:
        exec(code, own)
        outcomes.append(repr(own.get("__result__")))
    except BaseException as error:
        outcomes.append(f"{type(error).__name__}: {error}")
__result__ = outcomes`,
    { tools: [sources] },
  );
  const outcomes = run.status === "ok" ? (run.value as string[]) : [];
  expectUntouched(
    outcomes.map((outcome, index) => (isAboutGuard(group[index]?.name) ? outcome.replace("REACHED", "") : outcome)),
  );
  expectUntouched(run.logs);
  expect(run.status === "ok" ? run.value : run.error).toHaveLength(group.length);
});
