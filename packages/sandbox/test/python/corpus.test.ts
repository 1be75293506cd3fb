import { readFileSync } from "node:fs";
import { ToolError } from "@toolglot/core";
import { afterAll, expect, it } from "vitest";
import { addTool, readSections, tool } from "../support.ts";
import { SharedInterpreter } from "./shared-interpreter.ts";

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

const interpreter = new SharedInterpreter({ tools });
afterAll(() => interpreter[Symbol.asyncDispose]());

it(`should know a value of CPython for each program (${python})`, () => {
  expect(programs.map(({ name }) => name)).toEqual(Object.keys(values));
  expect(programs.length).toBeGreaterThanOrEqual(150);
});

it.each(programs)("should give CPython's value: $name", async ({ name, code }) => {
  const run = await interpreter.run(code);
  expect(run.status === "ok" ? run.value : run.error).toEqual(values[name]);
});
