import { ToolglotError } from "@toolglot/core";
import { expect, it } from "vitest";
import type { Settled } from "../src/calls/types.ts";
import { principal } from "../src/identity/principal.ts";
import { add, note, World } from "./calls-capabilities.ts";
import { bob, type Rig, rig } from "./calls-rig.ts";

const code = (settled: Settled): string => ("fault" in settled ? settled.fault.code : settled.kind);

/** A router with one operation in doubt. */
async function inDoubt(
  who?: Parameters<Rig["run"]>[1],
): Promise<{ router: Rig; world: World; key: { scope: string; key: string } }> {
  const world = new World();
  let fail = true;
  const router = rig({
    capabilities: [
      note(world, {
        before: () => {
          if (!fail) return;
          fail = false;
          throw new Error("connection reset");
        },
      }),
    ],
  });
  expect(code(await router.run(add("x", { idempotency_key: "k", call_id: "c1" }), who))).toBe("TRP_3004");
  const [record] = await router.store.operations.list({ states: ["in-doubt"] });
  return { router, world, key: { scope: record?.scope as string, key: record?.key as string } };
}

async function codeOf(run: Promise<unknown>): Promise<unknown> {
  const error = await run.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return ToolglotError.isInstance(error) ? error.code : error;
}

it("shows what is in doubt to who may settle it, in their tenant", async () => {
  const { router, key } = await inDoubt();
  expect(await router.operations.inDoubt(bob)).toMatchObject([
    { ...key, state: "in-doubt", reason: expect.any(String), data: { cap_id: "cap.note.add.v1", args: { text: "x" } } },
  ]);
  expect(await router.operations.inDoubt(principal({ id: "bob", tenant: "elsewhere", roles: ["approver"] }))).toEqual(
    [],
  );
  // A tenant whose name begins like another's is another.
  expect(await router.operations.inDoubt(principal({ id: "bob", tenant: "def", roles: ["approver"] }))).toEqual([]);
  expect(await codeOf(router.operations.inDoubt(principal({ id: "carol" })))).toBe("trp/not-allowed");
});

it("replays the value that was found out", async () => {
  const { router, world, key } = await inDoubt();
  await router.operations.resolve(bob, key, { state: "done", value: { found: true } });
  expect(await router.run(add("x", { idempotency_key: "k" }))).toMatchObject({
    kind: "success",
    result: { data: { found: true } },
    replayedFrom: "c1",
  });
  expect(world.executions).toBe(1);
  expect(router.events.at(-3)).toMatchObject({
    type: "operation.resolved",
    tenant: "default",
    state: "done",
    by: "bob",
  });
  expect((await router.audit()).find((row) => row.kind === "resolution")).toMatchObject({
    decided_by: "bob",
    principal: "alice",
    call_id: "c1",
    cap_id: "cap.note.add.v1",
    result_status: "SUCCESS",
    idempotency_key: (await router.audit())[0]?.idempotency_key,
  });
});

it("replays a failure that was found out", async () => {
  const { router, world, key } = await inDoubt();
  await router.operations.resolve(bob, key, { state: "failed", message: "the note was refused" });
  expect(await router.run(add("x", { idempotency_key: "k" }))).toMatchObject({
    kind: "failed",
    fault: { code: "TRP_3002", message: "the note was refused", retryable: false },
  });
  expect(world.executions).toBe(1);
  expect((await router.audit()).find((row) => row.kind === "resolution")).toMatchObject({
    result_status: "FAILED",
    error_code: "TRP_3002",
  });
});

it("runs again after it was found not to have been applied", async () => {
  const { router, world, key } = await inDoubt();
  await router.operations.resolve(bob, key, { state: "not-applied" });
  expect(await router.run(add("x", { idempotency_key: "k" }))).toMatchObject({ kind: "success" });
  expect(world.executions).toBe(2);
  expect(world.ledger).toHaveLength(1);
});

it("settles only what is in doubt, once, by who may", async () => {
  const { router, key } = await inDoubt();
  const done = { state: "done", value: null } as const;
  expect(await codeOf(router.operations.resolve(principal({ id: "carol" }), key, done))).toBe("trp/not-allowed");
  const elsewhere = principal({ id: "bob", tenant: "elsewhere", roles: ["approver"] });
  expect(await codeOf(router.operations.resolve(elsewhere, key, done))).toBe("trp/not-in-doubt");
  expect(await codeOf(router.operations.resolve(bob, { ...key, key: "other" }, done))).toBe("trp/not-in-doubt");
  const told = await Promise.all([
    codeOf(router.operations.resolve(bob, key, done)),
    codeOf(router.operations.resolve(bob, key, { state: "not-applied" })),
    codeOf(router.operations.resolve(bob, key, { state: "failed", message: "no" })),
  ]);
  expect(told.filter((each) => each === undefined)).toHaveLength(1);
  expect(told.filter((each) => each === "trp/not-in-doubt")).toHaveLength(2);
  expect((await router.audit()).filter((row) => row.kind === "resolution")).toHaveLength(1);
  expect(await router.operations.inDoubt(bob)).toEqual([]);
});

it("tells a caller what a resolution looks like", async () => {
  const { router, key } = await inDoubt();
  for (const wrong of [{ state: "maybe" }, { state: "failed" }, { state: "done" }]) {
    await expect(router.operations.resolve(bob, key, wrong as never)).rejects.toThrow(TypeError);
  }
});

it("never runs an operation in doubt by itself, however often it is sent or swept", async () => {
  const { router, world } = await inDoubt();
  for (let turn = 0; turn < 3; turn++) {
    expect(code(await router.run(add("x", { idempotency_key: "k" })))).toBe("TRP_3004");
    expect(await router.recover()).toEqual({ rerun: 0, probed: 0, inDoubt: 0, leftAlone: 0 });
  }
  expect(code(await router.run(add("y", { idempotency_key: "k" })))).toBe("TRP_4004");
  expect(world.executions).toBe(1);
});
