import fc from "fast-check";
import { expect, it } from "vitest";
import type { OperationClaim } from "../src/index.ts";
import { MemoryOperationLog } from "../src/memory-operation-log.ts";
import { operationLogSuite } from "../src/testing.ts";

it.each(operationLogSuite)("$name", ({ run }) => run(async ({ now }) => new MemoryOperationLog({ now })));

it("should say that it survives nothing", () => {
  expect(new MemoryOperationLog().durability).toBe("none");
});

it("should forget what is over, and what never began, but nothing in doubt", async () => {
  let now = 0;
  const log = new MemoryOperationLog({ now: () => now });
  const request = { scope: "s", fingerprint: "f", owner: "o", leaseMs: 10, ttlMs: 100 };
  const doubtful = await log.claim({ ...request, key: "doubt" });
  if (doubtful.status === "claimed") await log.doubt(doubtful.claim, "?");
  await log.claim({ ...request, key: "given up" });
  now = 109;
  expect(await log.read({ scope: "s", key: "given up" })).toBeDefined();
  now = 110;
  expect(await log.read({ scope: "s", key: "given up" })).toBeUndefined();
  for (let index = 0; index < 5000; index++) {
    now += 1;
    await log.claim({ ...request, key: `k${index}` });
  }
  expect((await log.read({ scope: "s", key: "doubt" }))?.state).toBe("in-doubt");
  expect(await log.read({ scope: "s", key: "k100" })).toBeUndefined();
  expect((await log.read({ scope: "s", key: "k4950" }))?.state).toBe("claimed");
});

it("should keep no outcome longer than it is remembered, and no key longer than it is kept", async () => {
  let now = 0;
  const log = new MemoryOperationLog({ now: () => now });
  const request = { scope: "s", fingerprint: "f", owner: "o", leaseMs: 10, ttlMs: 100, keepMs: 2000 };
  for (let index = 0; index < 5000; index++) {
    now += 1;
    const { status, ...claimed } = await log.claim({ ...request, key: `k${index}` });
    expect(status).toBe("claimed");
    if ("claim" in claimed) await log.finish(claimed.claim, { state: "done", outcome: index });
  }
  const statusOf = async (index: number): Promise<string> => (await log.claim({ ...request, key: `k${index}` })).status;
  expect([await statusOf(4950), await statusOf(3500), await statusOf(2000)]).toEqual(["replay", "expired", "claimed"]);
});

it("should let no two holders begin one operation, whatever callers and clock do", async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constantFrom("claim", "begin", "renew", "done", "release"), who: fc.nat(2) }),
    fc.record({ do: fc.constant("wait"), who: fc.nat(30) }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      let now = 0;
      const log = new MemoryOperationLog({ now: () => now });
      const claims: (OperationClaim | undefined)[] = [];
      const fences = new Set<number>();
      // Without "reclaim", an operation that began can begin again only after it was released or forgotten.
      let begunBy: number | undefined;
      for (const { do: what, who } of steps) {
        const claim = claims[who];
        if (what === "wait") now += who;
        else if (what === "claim") {
          const result = await log.claim({ scope: "s", key: "k", fingerprint: "f", owner: `${who}`, leaseMs: 20 });
          if (result.status !== "claimed") continue;
          expect(fences.has(result.claim.fence)).toBe(false);
          fences.add(result.claim.fence);
          claims[who] = result.claim;
        } else if (claim && what === "begin" && (await log.begin(claim))) {
          expect(begunBy ?? claim.fence).toBe(claim.fence);
          begunBy = claim.fence;
        } else if (claim && what === "renew") await log.renew(claim, 20);
        else if (claim && what === "done") await log.finish(claim, { state: "done", outcome: who });
        else if (claim && what === "release" && (await log.finish(claim, { state: "released" }))) begunBy = undefined;
      }
    }),
  );
});
