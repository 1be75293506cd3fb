import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperationClaim, OperationLog } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { loggedOperations, memoryStorage } from "@toolglot/core/storage";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { folderStorage } from "../src/index.ts";
import { operationLogSuite } from "../src/testing/index.ts";

const folder = mkdtempSync(join(tmpdir(), "toolglot-operations-"));
afterAll(() => rm(folder, { recursive: true }));

/** Kept as lines of logs, without a disk. */
const inLines = (now: () => number): OperationLog => loggedOperations({ ...memoryStorage({ now }) });
const logs: [name: string, open: (now: () => number) => OperationLog][] = [
  ["memory", (now) => new MemoryOperationLog({ now })],
  ["lines in memory", inLines],
  ["a folder", (now) => folderStorage(mkdtempSync(join(folder, "log-")), { now }).operations],
];

describe.each(logs)("an operation log in %s", (_, open) => {
  it.each(operationLogSuite)("$name", ({ run }) => run(async ({ now }) => open(now)));
});

it.each(logs)("should say what it survives: %s", (name, open) => {
  expect(open(Date.now).durability).toBe(name === "a folder" ? "disk" : "none");
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

it.each(logs.slice(0, 2))(
  "should let no two holders begin one operation, whatever callers and clock do: %s",
  async (_, open) => {
    const step = fc.oneof(
      fc.record({
        do: fc.constantFrom("claim", "begin", "renew", "done", "release", "doubt", "settle", "free"),
        who: fc.nat(2),
      }),
      fc.record({ do: fc.constant("wait"), who: fc.nat(30) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        let now = 0;
        const log = open(() => now);
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
          else if (claim && what === "doubt") await log.doubt(claim, "?");
          else if (claim && what === "settle") await log.settle(claim, { state: "done", outcome: who }, `${who}`);
          else if (what === "free" && (await log.settle({ scope: "s", key: "k" }, { state: "released" }, `${who}`)))
            begunBy = undefined;
          else if (claim && what === "release" && (await log.finish(claim, { state: "released" }))) begunBy = undefined;
        }
      }),
    );
  },
);

it("should remove the logs of operations that are forgotten, and no others", async () => {
  let now = Date.now();
  const storage = folderStorage(mkdtempSync(join(folder, "sweep-")), { now: () => now });
  const { operations, logs: stored, blobs } = storage;
  const request = { scope: "s", fingerprint: "f", owner: "o", leaseMs: 1000, ttlMs: 1000 };
  const claim = async (key: string): Promise<OperationClaim> => {
    const claimed = await operations.claim({ ...request, key });
    if (claimed.status !== "claimed") throw new Error(claimed.status);
    return claimed.claim;
  };
  const done = await claim("done");
  await operations.renew(done, 2000);
  await operations.finish(done, { state: "done", outcome: 1 });
  await operations.finish(await claim("released"), { state: "released" });
  const doubtful = await claim("doubt");
  await operations.doubt(doubtful, "?");
  const fence = (await claim("given up")).fence;
  const names = async (): Promise<string[]> => {
    const found: string[] = [];
    for (const store of [stored, blobs]) for await (const name of store.list("operations/")) found.push(name);
    return found.map((name) => name.split("/").at(-1) ?? "").sort();
  };
  expect(await names()).toEqual(["done", "done", "doubt", "given%20up", "released"]);
  now += 700_000;
  await claim("other");
  expect(await names()).toEqual(["doubt", "other"]);
  expect((await claim("given up")).fence).toBeGreaterThan(fence);
});

it("should name operations whose keys no name can hold", async () => {
  const { operations } = folderStorage(mkdtempSync(join(folder, "keys-")));
  for (const key of ["k".repeat(5000), `${"k".repeat(5000)}x`, "\ud800", "%ud800", "a/b", ""]) {
    const request = { scope: "s", key, fingerprint: key, owner: "o", leaseMs: 1000 };
    expect((await operations.claim(request)).status).toBe("claimed");
    expect((await operations.read({ scope: "s", key }))?.fingerprint).toBe(key);
  }
});
