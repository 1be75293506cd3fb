import { expect, it } from "vitest";
import type { Settled } from "../src/calls/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { add, note, World } from "./calls-capabilities.ts";
import { outcomes, rig } from "./calls-rig.ts";

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

function kinds(told: readonly Settled[]): Record<string, number> {
  const count: Record<string, number> = {};
  for (const { kind } of told) count[kind] = (count[kind] ?? 0) + 1;
  return count;
}

for (const routers of [1, 4]) {
  for (const effect of ["opaque", "probe", "keyed", "idempotent"] as const) {
    it(`does 200 duplicates of one ${effect} WRITE once, in ${routers} routers and many sessions`, async () => {
      const world = new World();
      const store = new MemoryStore();
      const capabilities = [note(world, { effect, before: () => pause(5) })];
      const rigs = Array.from({ length: routers }, () => rig({ store, capabilities }));
      const told = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          (rigs[index % routers] as (typeof rigs)[number]).run(add("x", { idempotency_key: "k" }), {
            sessionId: `sess_${index % 7}`,
          }),
        ),
      );
      expect(world.executions).toBe(1);
      expect(world.ledger).toHaveLength(1);
      expect(kinds(told)).toEqual({ success: 1, "in-progress": 199 });
      expect(
        kinds(await Promise.all(told.map(() => rigs[0]?.run(add("x", { idempotency_key: "k" })) as Promise<Settled>))),
      ).toEqual({
        success: 200,
      });
      expect(world.executions).toBe(1);
      expect(await outcomes(rigs[0] as (typeof rigs)[number])).toHaveLength(400);
    });
  }

  it(`gives 200 duplicates that wait one and the same result, in ${routers} routers`, async () => {
    const world = new World();
    const store = new MemoryStore();
    const capabilities = [note(world, { before: () => pause(10) })];
    const rigs = Array.from({ length: routers }, () => rig({ store, capabilities }));
    const told = await Promise.all(
      Array.from({ length: 200 }, (_, index) =>
        (rigs[index % routers] as (typeof rigs)[number]).run(add("x", { idempotency_key: "k" }), { waitForBusy: true }),
      ),
    );
    expect(world.executions).toBe(1);
    expect(kinds(told)).toEqual({ success: 200 });
    expect(told.filter((settled) => "replayedFrom" in settled)).toHaveLength(199);
  });
}

it("waits no longer than the call's own time", async () => {
  const world = new World();
  let open = (): void => {};
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const router = rig({ capabilities: [note(world, { before: () => gate })] });
  const first = router.run(add("x", { idempotency_key: "k" }));
  expect(await router.run(add("x", { idempotency_key: "k", timeout_ms: 40 }), { waitForBusy: true })).toMatchObject({
    kind: "in-progress",
    retryAfterMs: expect.any(Number),
  });
  open();
  expect((await first).kind).toBe("success");
});

it("goes on when the sender of a call is gone, and stops it only when its signal says so", async () => {
  const world = new World();
  const stop = new AbortController();
  const router = rig({
    capabilities: [
      note(world, {
        effect: "idempotent",
        before: ({ signal }) =>
          new Promise<void>((_resolve, reject) => {
            signal.addEventListener("abort", () => reject(new Error("closing")));
          }),
      }),
    ],
  });
  const running = router.run(add("x", { idempotency_key: "k" }), { signal: stop.signal });
  await pause(5);
  stop.abort();
  expect(await running).toMatchObject({ kind: "failed", fault: { code: "TRP_3002", dispatched: true } });
});
