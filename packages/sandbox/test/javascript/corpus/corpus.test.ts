import { readFileSync } from "node:fs";
import { drawn, leftToCi } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { sharedSandbox } from "../../worker-sandbox.ts";
import { corpusPrograms, programTools } from "../support.ts";

const json = readFileSync(new URL("./expected.json", import.meta.url), "utf8");
const { node, values } = JSON.parse(json) as { node: string; values: Record<string, unknown> };
const programs = corpusPrograms();

const sandbox = sharedSandbox("javascript", { tools: programTools });

it(`should know a value of Node for each program (${node})`, () => {
  expect(programs.map(({ name }) => name)).toEqual(Object.keys(values));
  expect(programs.length).toBeGreaterThanOrEqual(100);
});

const sample = drawn(programs, 50);

it.for(programs)("should give Node's value: $name", async (program, context) => {
  leftToCi(context, sample.includes(program));
  const { name, code } = program;
  const run = await sandbox.run(code);
  expect(run.status === "ok" ? run.value : run.error).toEqual(values[name]);
});
