import { expect, it } from "vitest";
import { addTool } from "../support.ts";
import { sharedSandbox } from "../worker-sandbox.ts";

it("should run a program that calls tools side by side and prints", async () => {
  const sandbox = sharedSandbox("javascript", { tools: [addTool] });
  const run = await sandbox.run(`
const sums = await Promise.all([add({ a: 1 }), add({ a: 1, b: 5 })]);
console.log("sums", sums);
__result__ = sums[0] + sums[1];`);
  expect(run).toMatchObject({
    status: "ok",
    value: 9,
    logs: [{ stream: "stdout", text: "sums [ 3, 6 ]" }],
    toolCalls: [
      { callId: expect.stringMatching(/^run-\d+:1$/), name: "add", args: { a: 1, b: 2 }, ok: true },
      { callId: expect.stringMatching(/^run-\d+:2$/), name: "add", args: { a: 1, b: 5 }, ok: true },
    ],
    stats: { toolCalls: 2, resultBytes: 1, isolation: "worker", conversions: [], warnings: [] },
  });
});
