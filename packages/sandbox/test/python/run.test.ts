import { expect, it } from "vitest";
import { addTool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";

const sandbox = sharedSandbox("python", { tools: [addTool] });

it("should run a program that calls a tool and prints", async () => {
  const run = await sandbox.run("total = add(1) + add(a=1, b=5)\nprint('total', total)\n__result__ = total");
  expect(run).toMatchObject({
    status: "ok",
    value: 9,
    logs: [{ stream: "stdout", text: "total 9" }],
    toolCalls: [
      { callId: expect.stringMatching(/^run-\d+:1$/), name: "add", args: { a: 1, b: 2 }, ok: true },
      { callId: expect.stringMatching(/^run-\d+:2$/), name: "add", args: { a: 1, b: 5 }, ok: true },
    ],
    stats: { engine: "pyodide 314.0.7", toolCalls: 2, resultBytes: 1, conversions: [], warnings: [] },
  });
});

it("should have what the compiler warns of with what the program prints", async () => {
  const run = await sandbox.run('print("first")\nx = "\\d"\n__result__ = 1');
  expect(run).toMatchObject({
    status: "ok",
    logs: [{ stream: "stderr", text: expect.stringContaining("SyntaxWarning") }, { text: "first" }],
  });
});
