import { expect, it } from "vitest";
import { tool } from "../../support.ts";
import { sharedSandbox } from "../../worker-sandbox.ts";

it("should end a program whose calls have more arguments in all than a host should keep", async () => {
  const kept: number[] = [];
  const keep = tool("keep", { text: { type: "string" } }, ({ text }: { text: string }) => kept.push(text.length));
  const sandbox = sharedSandbox("javascript", { tools: [keep] });
  const run = await sandbox.run('const text = "x".repeat(3e6);\nfor (let n = 0; n < 50; n++)\n  await keep({ text });');
  expect(run).toMatchObject({
    status: "error",
    error: { type: "ToolCallLimit", line: 3, message: expect.stringContaining("32 MB") },
  });
  expect(kept).toHaveLength(11);
});

it.each([
  ["const name = 'x';\nconst found = await import(name);\nconst text = 'unrelated';", "no module is available"],
  ["const fs = await import('node:fs');", "node:fs is not available"],
  ["import { a as b, c } from 'left-pad';\nconst d = 'unrelated';", "left-pad is not available"],
  ["import 'side-effect';", "side-effect is not available"],
])("should name the module of an import, and no other text: %j", async (code, hint) => {
  const run = await sharedSandbox("javascript").run(code);
  expect(run).toMatchObject({ error: { type: "ImportForbidden", hint: expect.stringContaining(hint) } });
});
