import { readFileSync } from "node:fs";
import { ToolError } from "@toolglot/core";
import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { runsAll } from "../rounds.ts";
import { addTool, readSections, tool } from "../support.ts";
import { inGroups } from "./support.ts";

const read = (name: string): string => readFileSync(new URL(`./corpus/${name}`, import.meta.url), "utf8");
const { python, values } = JSON.parse(read("expected.json")) as { python: string; values: Record<string, unknown> };
const programs = readSections(new URL("./corpus/programs.txt", import.meta.url));

/** The tools of corpus/generate.py. */
const tools = [
  addTool,
  tool("get_user", { id: { type: "integer" } }, async ({ id }: { id: number }) => {
    if (id > 3) throw new ToolError(`there is no user ${id}`);
    const name = ["Ada", "Bo", "Cy"][id - 1];
    return { id, name, tags: ["t1", "t2"].slice(0, id), active: id !== 3, manager: null };
  }),
  tool(
    "list_orders",
    { user_id: { type: "integer" }, limit: { type: "integer", default: 10 } },
    ({ user_id, limit }: { user_id: number; limit: number }) =>
      [0, 1, 2, 3].map((n) => ({ id: user_id * 100 + n, amount: n * 1.25 + user_id })).slice(0, limit),
  ),
];

const limits = { timeoutMs: 60_000, maxToolCalls: 2000 };
const sandbox = createSandbox({ language: "python", limits, tools });
const unguarded = createSandbox({ language: "python", limits, tools, guard: false, pool: { size: 0 } });
afterAll(() => Promise.all([sandbox, unguarded].map((each) => each[Symbol.asyncDispose]())));

it(`should know a value of CPython for each program (${python})`, () => {
  expect(programs.map(({ name }) => name)).toEqual(Object.keys(values));
  expect(programs.length).toBeGreaterThanOrEqual(150);
});

// A process per program would take two minutes of processor time: a plain run takes a sample.
it.each(programs.filter((_, index) => runsAll || index % 28 === 0))(
  "should give CPython's value: $name",
  async ({ name, code }) => {
    const run = await sandbox.run(code);
    expect(run.status === "ok" ? run.value : run.error).toEqual(values[name]);
  },
);

// All the others share an interpreter, each with the names and the guard of a program that has one for itself.
const harness = `
from toolglot_guest import runner
mine = runner._kept[-1].request
found = {}
for name, code in json.loads(programs()):
    request = {**mine, "code": code, "guard": True, "seed": name}
    try:
        found[name] = json.loads(runner._Program(request).execute())["value"]
    except BaseException as error:
        found[name] = f"{type(error).__name__}: {error} {getattr(error, 'report', '')}"
__result__ = found`;

it.each(runsAll ? [] : inGroups(programs, 60))(
  "should give CPython's values: $name and those after it",
  async (...group) => {
    const sources = tool("programs", {}, () => JSON.stringify(group.map(({ name, code }) => [name, code])));
    const run = await unguarded.run(harness, { tools: [sources] });
    const expected = Object.fromEntries(group.map(({ name }) => [name, values[name]]));
    expect(run.status === "ok" ? run.value : run.error).toEqual(expected);
  },
);
