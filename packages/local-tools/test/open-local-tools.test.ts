import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ApprovalRequest, ToolCall } from "@toolglot/core";
import { executorContext } from "@toolglot/core/executing";
import { localExecutor, openLocalTools } from "@toolglot/local-tools";
import { afterEach, expect, it } from "vitest";

const made: string[] = [];

function scratch(): string {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-open-"));
  made.push(folder);
  return folder;
}

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true, force: true });
});

it("should refuse a state directory inside a root before it makes anything", async () => {
  const folder = scratch();
  const root = join(folder, "root");
  mkdirSync(root);
  symlinkSync(root, join(folder, "link"));
  for (const stateDir of [root, join(root, "deep/state"), join(folder, "link/state")]) {
    await expect(openLocalTools({ roots: root, stateDir })).rejects.toThrow(/stateDir: .* inside a root/);
  }
  await expect(openLocalTools({ roots: root, stateDir: folder })).rejects.toThrow(/stateDir: .* around a root/);
  expect(readdirSync(folder).sort()).toEqual(["link", "root"]);
  mkdirSync(join(folder, "state"));
  symlinkSync(root, join(folder, "state/artifacts"));
  await expect(openLocalTools({ roots: root, stateDir: join(folder, "state") })).rejects.toThrow(/no link/);
  expect(readdirSync(root)).toEqual([]);
});

it("should keep its state for this user alone", async () => {
  const folder = scratch();
  const stateDir = join(folder, "a/b/state");
  mkdirSync(join(folder, "root"));
  const local = await openLocalTools({ roots: join(folder, "root"), stateDir });
  for (const name of ["", "journal", "backups", "artifacts"]) {
    expect(statSync(join(stateDir, name)).mode & 0o777, name).toBe(0o700);
  }
  await local.close();
});

it("should clear away whole outputs of more than a week ago, and nothing else", async () => {
  const folder = scratch();
  const root = join(folder, "root");
  const stateDir = join(folder, "state");
  mkdirSync(root);
  await (await openLocalTools({ roots: root, stateDir })).close();
  const [old, young] = [join(stateDir, "artifacts/old.txt"), join(stateDir, "artifacts/young.txt")];
  for (const file of [old, young]) writeFileSync(file, "x");
  const { utimesSync } = await import("node:fs");
  const then = Date.now() / 1000 - 8 * 86_400;
  utimesSync(old, then, then);
  await (await openLocalTools({ roots: root, stateDir })).close();
  expect([existsSync(old), existsSync(young)]).toEqual([false, true]);
});

it("should throw for a caller's mistakes at once, with the cure", async () => {
  const root = scratch();
  await expect(openLocalTools({ roots: [] })).rejects.toThrow(/at least one directory/);
  await expect(openLocalTools({ roots: join(root, "none") })).rejects.toThrow(/no existing directory/);
  await expect(openLocalTools({ roots: root, maxChars: 10 })).rejects.toThrow(/maxChars/);
  const local = await openLocalTools({ roots: root, stateDir: `${root}-state` });
  made.push(`${root}-state`);
  expect(() => localExecutor(local, { maxConcurrency: 0 })).toThrow(/maxConcurrency/);
  expect(() => localExecutor({} as never)).toThrow(/openLocalTools/);
  await local.close();
  expect(() => local.changes()).toThrow(/closed/);
});

it("should ask about a risky file with the call that names it", async () => {
  const root = scratch();
  made.push(`${root}-state`);
  writeFileSync(join(root, "a.txt"), "one\n");
  writeFileSync(join(root, ".env"), "KEY=1\n");
  const local = await openLocalTools({ roots: root, stateDir: `${root}-state` });
  const edit = (id: string, src: string, find: string): ToolCall => ({
    id,
    name: "edit",
    input: { files: [{ src, edits: [{ find, replace: "two" }] }] },
    protocol: "toolsxml",
  });
  const asked: ApprovalRequest[] = [];
  const context = executorContext({
    approve: async (request) => {
      asked.push(request);
      return { approved: true };
    },
    runId: "run",
  });
  const calls = [edit("first", "a.txt", "one"), edit("second", "./.env", "KEY=1")];
  const results = await localExecutor(local).execute({ kind: "calls", calls, span: { start: 0, end: 0 } }, context);
  expect(results.map(({ callId, status }) => [callId, status])).toEqual([
    ["first", "ok"],
    ["second", "ok"],
  ]);
  expect(asked.map(({ callId, input }) => [callId, input])).toEqual([["second", calls[1]?.input]]);
  await local.close();
});

it("should take only true for a yes, and run what was asked about", async () => {
  const root = scratch();
  made.push(`${root}-state`);
  writeFileSync(join(root, ".env"), "KEY=1\n");
  const local = await openLocalTools({ roots: root, stateDir: `${root}-state` });
  const files = [{ src: ".env", edits: [{ find: "1", replace: "2" }] }];
  const ask = async (): Promise<{ approved: boolean }> => ({ approved: "no" as unknown as boolean });
  await expect(local.edit(files, { ask })).rejects.toMatchObject({ data: { type: "Denied" } });

  const call: ToolCall = { id: "a", name: "edit", input: { files }, protocol: "toolsxml" };
  const context = executorContext({
    approve: async (request) => {
      (request.input as { files: typeof files }).files[0]?.edits.splice(0, 1, { find: "1", replace: "EVIL" });
      return { approved: true };
    },
    runId: "run",
  });
  await localExecutor(local).execute({ kind: "calls", calls: [call], span: { start: 0, end: 0 } }, context);
  expect(readFileSync(join(root, ".env"), "utf8")).toBe("KEY=2\n");
  await local.close();
});

it.each([
  ["throws", () => Promise.reject(new Error("boom")), "in-doubt"],
  ["gives nothing", () => Promise.resolve([]), "in-doubt"],
  ["answers another call", () => Promise.resolve([{ callId: "other", status: "ok", content: [] }]), "in-doubt"],
  ["never ends", () => new Promise(() => {}), "in-doubt"],
] as const)("should end a foreign call once when its executor %s", async (_what, execute, status) => {
  const root = scratch();
  made.push(`${root}-state`);
  const local = await openLocalTools({ roots: root, stateDir: `${root}-state` });
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 50);
  const context = executorContext({
    signal: controller.signal,
    approve: async () => ({ approved: false }),
    runId: "run",
  });
  const others = { handles: () => true, execute: execute as never };
  const call: ToolCall = { id: "a", name: "foreign", input: {}, protocol: "toolsxml" };
  const results = await localExecutor(local, { others }).execute(
    { kind: "calls", calls: [call], span: { start: 0, end: 0 } },
    context,
  );
  expect(results.map((result) => [result.callId, result.name, result.status])).toEqual([["a", "foreign", status]]);
  await local.close();
});

it("should ignore in edits what no reader sees, unless told not to", async () => {
  const folder = scratch();
  const root = join(folder, "root");
  mkdirSync(root);
  const pair = { src: "a.txt", edits: [{ find: 'say "a"\nb\n', replace: 'say "a"\nc\n' }] };
  for (const lenient of [false, undefined]) {
    writeFileSync(join(root, "a.txt"), "say “a” \nb");
    const options = { roots: root, stateDir: join(folder, "state"), ...(lenient === undefined ? {} : { lenient }) };
    await using local = await openLocalTools(options);
    const edit = local.edit([pair]);
    if (lenient === false) await expect(edit).rejects.toMatchObject({ data: { type: "FindMissing" } });
    else expect((await edit).files[0]?.notes).toEqual([expect.stringContaining("what no reader sees")]);
    const expected = lenient === false ? "say “a” \nb" : "say “a” \nc";
    expect(readFileSync(join(root, "a.txt"), "utf8")).toBe(expected);
  }
});
