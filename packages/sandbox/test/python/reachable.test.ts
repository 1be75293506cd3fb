import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { addTool } from "../support.ts";

const limits = { timeoutMs: 900_000 };
const sandbox = createSandbox({ language: "python", limits, tools: [addTool], guard: false, pool: { size: 0 } });
afterAll(() => sandbox[Symbol.asyncDispose]());

it("should lead from what a program finds to no frame, module, code, metaclass or unchecked builtin", async () => {
  const run = await sandbox.run(readFileSync(new URL("./reachable.py", import.meta.url), "utf8"));
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  const { seen, faults } = run.value as { seen: number; faults: string[] };
  expect(faults).toEqual([]);
  expect(seen).toBeGreaterThan(1000);
});
