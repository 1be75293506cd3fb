import type { CodeAction, ExecutorContext, ToolContext } from "@toolglot/core";
import { expect, it } from "vitest";
import { codeTools, type SandboxSession, sandboxExecutor } from "../../src/node/index.ts";
import { makeSandbox } from "../../src/sandbox.ts";
import { FakeEngine } from "../pool/fake-engine.ts";
import { sharedSandbox } from "../worker-sandbox.ts";

const sandbox = sharedSandbox("python");
const domain = "tests";

function context(runId: string): ExecutorContext {
  return {
    ...{ runId, signal: new AbortController().signal, emit() {} },
    approve: async () => ({ approved: false, reason: "no" }),
  } as unknown as ExecutorContext;
}

const action = (source: string): CodeAction => ({ kind: "code", id: "c", language: "python", source }) as CodeAction;

it("should run the code actions of each conversation in its session", async () => {
  const sessions = new Map<string, Promise<SandboxSession>>();
  const executor = sandboxExecutor(sandbox, {
    session({ runId }) {
      const open = sessions.get(runId) ?? sandbox.openSession({ id: runId, domain });
      sessions.set(runId, open);
      return open;
    },
  });
  await executor.execute(action("a = 1\n__result__ = a"), context("one"));
  await executor.execute(action("a = 2\n__result__ = a"), context("two"));
  const [result] = await executor.execute(action("__result__ = a"), context("one"));
  expect(result).toMatchObject({ data: 1, metadata: { session: { id: "one", turn: 2, state: "kept" } } });
  for (const open of sessions.values()) await (await open).close();
});

it("should tell the model when all is as before", async () => {
  await using session = await sandbox.openSession({ domain, limits: { maxImageBytes: 4_000_000 } });
  const [result] = await sandboxExecutor(sandbox, { session }).execute(
    action("a = 'xyz' * 3_000_000\n__result__ = 1"),
    context("one"),
  );
  expect(result).toMatchObject({ status: "ok", data: 1, metadata: { session: { state: "rolled-back" } } });
  expect(JSON.stringify(result?.content)).toContain("variables are as before it");
});

it("should make code tools whose description says that variables stay", async () => {
  await using session = await sandbox.openSession({ domain });
  const [tool] = codeTools(sandbox, { session: async () => session });
  const [plain] = codeTools(sandbox);
  expect(plain?.description).toContain("nothing is kept");
  expect(tool?.description).toContain("variables, functions and classes stay");
  const [notebook] = codeTools(sandbox, { session, style: "notebook" });
  expect(notebook?.description).toContain("functions, classes and files in `/mnt/data` stay");
  expect(codeTools(sandbox, { session, locale: "zh" })[0]?.description).toContain("会保留到下一个程序");
  const given = { signal: new AbortController().signal, callId: "c" } as unknown as ToolContext;
  await tool?.execute({ code: "a = [1]\n__result__ = 1" }, given);
  expect(await tool?.execute({ code: "a.append(2)\n__result__ = a" }, given)).toEqual({ value: [1, 2], logs: [] });
  await expect(tool?.execute({ code: "a.append(3)\n__result__ = 'x' * 2_000_000" }, given)).rejects.toThrow(
    "variables are as before this program",
  );
  expect(await tool?.execute({ code: "__result__ = a" }, given)).toMatchObject({ value: [1, 2] });
});

it("should refuse what is no session", async () => {
  await using session = await sandbox.openSession({ domain });
  for (const wrong of [{}, 1, sandbox]) {
    expect(() => sandboxExecutor(sandbox, { session: wrong as never })).toThrow("openSession()");
    expect(() => codeTools(sandbox, { session: wrong as never })).toThrow("openSession()");
  }
  expect(() => codeTools([sandbox, sharedSandbox("javascript")], { session })).toThrow("one sandbox");
  const durable = { storage: {} as never };
  expect(() => sandboxExecutor(sandbox, { session, durable })).toThrow("not both");
});

it("should refuse sessions where the engine can't give its memory away, as in browsers", async () => {
  const parts = { engine: new FakeEngine(), limits: sandbox.limits, pool: { size: 0, maxConcurrency: 1 } };
  const other = makeSandbox({ language: "python" }, parts);
  const refused = { code: "sandbox/sessions-unsupported" };
  await expect(other.openSession()).rejects.toMatchObject(refused);
  await expect(other.resumeSession("a")).rejects.toMatchObject(refused);
  expect(parts.engine.guests).toEqual([]);
});
