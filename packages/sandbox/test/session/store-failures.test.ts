import { type LogStore, memoryStorage, type Storage } from "@toolglot/core/storage";
import { expect, it } from "vitest";
import { sharedSandbox } from "../worker-sandbox.ts";

// Once a program has run, its outcome is told, whatever becomes of its image: who does not hear of an effect repeats it.

const key = new Uint8Array(32);

/** A sandbox whose tool counts its effects, and a storage that fails as it is told. */
function world(fail: { put?: () => Promise<boolean> }) {
  let mails = 0;
  const mail = {
    name: "mail",
    description: "Mails.",
    inputSchema: { type: "object" as const, properties: {} },
    execute: async () => ++mails,
  };
  const memory = memoryStorage();
  const append: LogStore["append"] = (...args) => fail.put?.() ?? memory.logs.append(...args);
  const storage: Storage = { ...memory, logs: { ...memory.logs, append } };
  const sandbox = sharedSandbox("javascript", { tools: [mail] });
  return { sandbox, storage, mails: () => mails };
}

it.each<[string, () => Promise<boolean>, RegExp]>([
  ["is full", () => Promise.reject(new Error("ENOSPC: no space left")), /store-failure: .*ENOSPC/],
  ["throws what is no error", () => Promise.reject("gone"), /store-failure: .*gone/],
  ["says that somebody else has the session", () => Promise.resolve(false), /store-failure: .*open elsewhere/],
])("should tell what a program did when the storage %s, and be as before it", async (_name, put, why) => {
  const fail: { put?: () => Promise<boolean> } = {};
  const { sandbox, storage, mails } = world(fail);
  const session = await sandbox.openSession({ storage, key });
  await session.run("let n = 1; return n");
  fail.put = put;
  const run = await session.run("n = 2; console.log('sent'); return [await mail({}), n]");
  expect(run).toMatchObject({ status: "ok", value: [1, 2], state: "rolled-back", turn: 1 });
  expect(run.toolCalls).toMatchObject([{ name: "mail", ok: true }]);
  expect(run.logs).toMatchObject([{ text: "sent" }]);
  expect(run.stats.warnings).toEqual([expect.stringMatching(why)]);
  const failed = await session.run("await mail({}); throw new Error('after')");
  expect(failed).toMatchObject({ status: "error", error: { message: "after" }, state: "rolled-back" });
  expect(failed.toolCalls).toHaveLength(1);
  delete fail.put;
  expect(await session.run("return n")).toMatchObject({ value: 1, state: "kept" });
  expect(mails()).toBe(2);
});

it("should say that a session exists, whether it is open or not", async () => {
  const { sandbox, storage } = world({});
  const session = await sandbox.openSession({ id: "a", storage, key });
  const exists = { code: "sandbox/session-exists" };
  await expect(sandbox.openSession({ id: "a", storage, key })).rejects.toMatchObject(exists);
  const other = await sandbox.openSession({ id: "b", storage, key });
  await expect(other.fork({ id: "a" })).rejects.toMatchObject(exists);
  await session.close();
  await expect(sandbox.openSession({ id: "a", storage, key })).rejects.toMatchObject(exists);
  await expect(sandbox.resumeSession("b", { storage, key })).rejects.toMatchObject({ code: "sandbox/session-live" });
});
