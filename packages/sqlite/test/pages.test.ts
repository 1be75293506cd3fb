import { rounds } from "@toolglot/internal/testing";
import { expect, it } from "vitest";
import { openSqlite } from "../src/index.ts";
import { newFile } from "./files.ts";

// A list costs its page, however many records there are: here by processor time, at two sizes of one store.

const few = 1_000;
const many = rounds(5_000, 100_000);

it(`should list a page of ${many} approvals about as fast as one of ${few}`, async () => {
  const store = await openSqlite({ file: newFile(), synchronous: "normal" });
  let count = 0;
  const fill = async (to: number): Promise<void> => {
    while (count < to) {
      const more = Array.from({ length: 500 }, () => {
        const n = ++count;
        return store.approvals.request({
          id: `apr_${n}`,
          tenant: "default",
          // As many as a router with a limit of pending requests lets in.
          requester: `agent ${n % 500}`,
          operation: { scope: "s", key: `k${n}` },
          capId: "cap.x.high.v1",
          fingerprint: `f${n}`,
          args: { n: "x".repeat(100) },
          riskTier: "HIGH",
          reason: "r",
          policyVersion: "v",
          ttlMs: 900_000,
          maxPending: 1_000_000,
        });
      });
      await Promise.all(more);
    }
  };
  // Not among them: what has expired is found by a walk along the index of what was pending, about 0.1 µs for each.
  const filters = [
    {},
    { status: "approved" },
    { status: "denied", requester: "agent 1" },
    { status: "pending", requester: "agent 1", before: "apr_500" },
    { requester: "nobody" },
  ] as const;
  const cost = async (): Promise<number> => {
    const before = process.cpuUsage();
    for (let round = 0; round < 20; round++) {
      for (const filter of filters) await store.approvals.list({ tenant: "default", limit: 50, ...filter });
    }
    const { user, system } = process.cpuUsage(before);
    return user + system;
  };
  await fill(few);
  await cost();
  const one = await cost();
  await fill(many);
  const other = await cost();
  // A store that reads them all would take more than ten, or a hundred, times as long.
  expect(other).toBeLessThan(one * 4);
  await store.close();
}, 600_000);
