import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createAgent, forgetRun, nativeProtocol } from "@toolglot/agent";
import { scriptedModel } from "@toolglot/agent/testing";
import type { ModelPart } from "@toolglot/core";
import { memoryStorage, type Storage } from "@toolglot/core/storage";
import { defineTool, Toolkit, toolkitExecutor } from "@toolglot/toolkit";
import { afterAll, describe, expect, it } from "vitest";
import { postgresForTests } from "../../../../scripts/lib/postgres.mjs";
import { openStorage } from "../support/open-storage.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-runs-"));
afterAll(() => rm(folder, { recursive: true }));

const call = (id: string, name: string, input: object): ModelPart => ({
  type: "call",
  call: { id, name, input, protocol: "native" },
});
const long = `first ${"x".repeat(5000)} \ud800 ${"y".repeat(5000)} last`;

function agentOf(storage: Storage, turns: Parameters<typeof scriptedModel>[0], isLater = false) {
  const toolkit = new Toolkit();
  toolkit.registerToolFunction(
    defineTool({
      name: "look",
      description: "Looks.",
      args: {},
      execute: () => long,
      annotations: { readOnlyHint: true },
    }),
  );
  toolkit.registerToolFunction(
    defineTool({
      ...{ name: "act", description: "Acts.", args: {}, execute: () => "done" },
      annotations: { requiresApproval: true },
    }),
  );
  const model = scriptedModel(turns);
  const agent = createAgent({
    ...{ model, protocol: nativeProtocol(), executor: toolkitExecutor(toolkit), tools: toolkit, storage },
    context: { maxResultChars: 1000 },
    approve: async () => (isLater ? ("later" as const) : { approved: true }),
  });
  return { agent, model };
}

const stored = async ({ logs, blobs }: Storage): Promise<string[]> => {
  const names: string[] = [];
  for (const store of [logs, blobs]) for await (const name of store.list("")) names.push(name);
  return names.sort();
};

const { url, skip } = await postgresForTests();

describe.each<[string, () => Storage | Promise<Storage>, string | undefined]>([
  ["memory", () => memoryStorage(), undefined],
  ["a folder", () => openStorage(mkdtempSync(join(folder, "run-"))), undefined],
  ["SQLite", () => openStorage(join(folder, "run.sqlite")), undefined],
  ["PostgreSQL", () => openStorage(`${url}#test_run_${process.pid}`), skip],
])("a run in %s", (_, open, why) => {
  const title =
    "finds in another process what its requests left out of results, and leaves nothing when it is forgotten";
  it.skipIf(why)(`${title}${why ? ` (skipped: ${why})` : ""}`, async () => {
    const storage = await open();
    const first = agentOf(storage, [[call("a", "look", {})], [call("b", "act", {})]], true);
    expect((await first.agent.run("Go", { runId: "r" }).result).status).toBe("waiting");
    const id = /art_[0-9a-f]+/.exec(JSON.stringify(first.model.requests.at(-1)))?.[0];
    expect(id).toBeDefined();

    const second = agentOf(storage, [[call("c", "read_artifact", { id, offset: 5006, length: 400 })], "Done."]);
    const result = await (await second.agent.resume("r")).result;
    expect(result).toMatchObject({ status: "answered", text: "Done." });
    const piece = result.results.find(({ callId }) => callId === "c")?.data as { text: string; total: number };
    expect(piece.total).toBe(long.length);
    expect(piece.text).toBe(long.slice(5006, 5406));

    const other = agentOf(storage, [[call("d", "read_artifact", { id })], "Done."]);
    const foreign = await other.agent.run("Go", { runId: "other" }).result;
    expect(foreign.results.find(({ callId }) => callId === "d")?.status).toBe("error");

    await forgetRun({ storage, runId: "r" });
    await forgetRun({ storage, runId: "other" });
    expect(await stored(storage)).toEqual([]);
    await expect(second.agent.resume("r")).rejects.toMatchObject({ code: "agent/session-unknown" });
    await storage.close();
  });
});

it.each(["", "r".repeat(500), "\ud800"])("ends at once with an id that no storage can keep", async (runId) => {
  const { agent } = agentOf(memoryStorage(), ["Hi."]);
  const result = await Promise.resolve()
    .then(() => agent.run("Go", { runId }).result)
    .catch((error: unknown) => error);
  if (result instanceof TypeError) return;
  expect(result).toMatchObject({ status: "error", error: { code: "agent/session-failed" } });
});

it.each([undefined, {}, { storage: memoryStorage() }, { runId: "r" }, { storage: memoryStorage(), runId: "" }])(
  "forgets nothing without a storage and a run: %o",
  async (options) => {
    await expect(forgetRun(options as never)).rejects.toThrow(TypeError);
  },
);
