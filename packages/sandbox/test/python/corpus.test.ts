import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { readSections } from "../support.ts";
import { corpusTools } from "./corpus/tools.ts";
import { SharedInterpreter } from "./shared-interpreter.ts";

const read = (name: string): string => readFileSync(new URL(`./corpus/${name}`, import.meta.url), "utf8");
const { python, values } = JSON.parse(read("expected.json")) as { python: string; values: Record<string, unknown> };
const programs = readSections(new URL("./corpus/programs.txt", import.meta.url));

const interpreter = new SharedInterpreter({ tools: corpusTools });
afterAll(() => interpreter[Symbol.asyncDispose]());

it(`should know a value of CPython for each program (${python})`, () => {
  expect(programs.map(({ name }) => name)).toEqual(Object.keys(values));
  expect(programs.length).toBeGreaterThanOrEqual(150);
});

it.each(programs)("should give CPython's value: $name", async ({ name, code }) => {
  const run = await interpreter.run(code);
  expect(run.status === "ok" ? run.value : run.error).toEqual(values[name]);
});
