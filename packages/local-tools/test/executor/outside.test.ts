// Results of calls that were carried out elsewhere, where the machine's tools ask about them.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRequest, Decision } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { afterEach, expect, it } from "vitest";
import { type LocalTools, localExecutor, openLocalTools } from "../../src/index.ts";

const opened: { local: LocalTools; folder: string }[] = [];
afterEach(async () => {
  for (const { local, folder } of opened.splice(0)) {
    await local.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

async function open() {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-outside-"));
  const local = await openLocalTools({ roots: folder, stateDir: `${folder}-state` });
  opened.push({ local, folder });
  for (const name of ["page.txt", ".env.1"]) writeFileSync(join(folder, name), "no\n");
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({ name: "choose", description: "Lets the person choose.", args: { of: "string" }, external: true }),
  );
  const run = (calls: [name: string, input: unknown][], approve: (request: ApprovalRequest) => Decision) =>
    localExecutor(local, { others: toolkitExecutor(toolkit) }).execute(
      {
        kind: "calls",
        calls: calls.map(([name, input], n) => ({ id: `c${n}`, name, input, protocol: "toolsxml" })),
        span: { start: 0, end: 0 },
      },
      executorContext({ approve: async (request) => approve(request) }),
    );
  return { run, read: (name: string) => readFileSync(join(folder, name), "utf8") };
}

const result = { callId: "?", name: "?", status: "ok" as const, content: [{ type: "text" as const, text: "by hand" }] };
const edit = (src: string): [string, unknown] => [
  "edit",
  { files: [{ src, edits: [{ find: "no", replace: "yes" }] }] },
];

it("should stand for one edit of a block, and leave the others unmade, which says so", async () => {
  const { run, read } = await open();
  const results = await run([edit("page.txt"), edit(".env.1")], () => ({ approved: false, result }));
  expect(results).toMatchObject([
    { callId: "c0", status: "error", error: { type: "NotRun", message: expect.stringContaining("elsewhere") } },
    { callId: "c1", name: "edit", status: "ok", content: result.content },
  ]);
  expect([read("page.txt"), read(".env.1")]).toEqual(["no\n", "no\n"]);
});

it("should be waited for by a whole block of edits", async () => {
  const { run, read } = await open();
  const results = await run([edit("page.txt"), edit(".env.1")], () => ({ approved: false, later: true }));
  expect(results).toMatchObject([{ status: "pending" }, { status: "pending" }]);
  expect([read("page.txt"), read(".env.1")]).toEqual(["no\n", "no\n"]);
});

it("should be taken for a tool of another executor", async () => {
  const { run } = await open();
  const asked: string[] = [];
  const results = await run([["choose", { of: "colours" }]], ({ kind }) => {
    asked.push(kind);
    return { approved: false, result };
  });
  expect(asked).toEqual(["external-call"]);
  expect(results).toMatchObject([{ callId: "c0", name: "choose", status: "ok", content: result.content }]);
});
