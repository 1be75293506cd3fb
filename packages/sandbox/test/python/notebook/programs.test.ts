import { readFileSync } from "node:fs";
import { isLong, leftToCi } from "@toolglot/internal/testing";
import { afterAll, expect, it } from "vitest";
import { createSandbox, type SandboxRun } from "../../../src/node/index.ts";
import { addTool, readSections } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";
import { inGroups } from "../support.ts";

/** Of each program what CPython made of it: `generate.py` says how. */
interface Expected {
  given: Record<string, string>;
  programs: Record<string, { value: unknown; printed: string; files: Record<string, string> }>;
}

const programs = readSections(new URL("./programs.txt", import.meta.url));
const { given, programs: expected } = JSON.parse(
  readFileSync(new URL("./expected.json", import.meta.url), "utf8"),
) as Expected;

const limits = { timeoutMs: 60_000 };
const options = { language: "python", style: "notebook", tools: [addTool], limits } as const;
const once = createSandbox({ ...options, pool: { size: 0 } });
afterAll(() => once[Symbol.asyncDispose]());
const kept = sharedSandbox("python", { style: "notebook", tools: [addTool] });

const files = Object.entries(given).map(([path, data]) => ({ path, data }));

/** As `generate.py` writes it. */
function shown(run: SandboxRun): unknown {
  if (run.status === "error") return run.error;
  const printed = run.logs
    .filter(({ stream }) => stream === "stdout")
    .map(({ text }) => `${text}\n`)
    .join("");
  const made = (run.files ?? []).map(({ path, data }) => [path, Buffer.from(data ?? []).toString("latin1")]);
  return { value: run.value, printed, files: Object.fromEntries(made) };
}

it("should have what CPython made of a hundred programs", () => {
  expect(programs.length).toBeGreaterThanOrEqual(100);
  expect(programs.map(({ name }) => name)).toEqual(Object.keys(expected));
});

// Two of the first group in interpreters of their own (all of it in test:long), the others in a kept one.
const groups = inGroups(programs, 10).map((group, number) => ({ group, number, first: group[0]?.name }));

it.for(groups)("should run programs as CPython does: $first and those after it", async ({ group, number }, context) => {
  leftToCi(context, number === 0);
  for (const [index, { name, code }] of group.entries()) {
    const isAlone = number === 0 && (isLong || index < 2);
    const run = await (isAlone ? once.run(code, { files }) : kept.run(code, { files }));
    expect({ name, ...Object(shown(run)) }).toEqual({ name, ...expected[name] });
  }
});
