import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { createSandbox } from "../../src/node/index.ts";
import { addTool } from "../support.ts";

const limits = { timeoutMs: 900_000 };
const sandbox = createSandbox({ language: "python", guard: false, pool: { size: 0 }, limits });
afterAll(() => sandbox[Symbol.asyncDispose]());

it("should lead from what a program in the style notebook finds to no frame, module, code, metaclass or unchecked builtin", async () => {
  const walk = readFileSync(new URL("./reachable.py", import.meta.url), "utf8");
  const run = await sandbox.run(`NOTEBOOK = True\n${walk}`, { tools: [addTool] });
  if (run.status === "error") throw new Error(JSON.stringify(run.error));
  const { seen, faults, libraries } = run.value as { seen: number; faults: string[]; libraries: string[] };
  expect(faults).toEqual([]);
  expect(libraries).toEqual(
    expect.arrayContaining(["asyncio", "os", "pathlib", "sqlite3", "sys", "time", "urllib.parse"]),
  );
  expect(seen).toBeGreaterThan(3000);
});
