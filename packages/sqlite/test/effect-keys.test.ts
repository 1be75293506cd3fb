import { createRouter, defineCapability } from "@toolglot/trp-core";
import type { ResponseFrame } from "@toolglot/trp-core/frames";
import { expect, it } from "vitest";
import { openSqlite } from "../src/index.ts";
import { drivers, newFile } from "./files.ts";
import { callOnce } from "./session.ts";

// Two routers on one file, and a call of many that names its effect.

for (const driver of drivers) {
  it(`does an effect once for 32 calls at one time, each in its own session (${driver})`, async () => {
    const refunds: string[] = [];
    const refund = defineCapability({
      capId: "cap.shop.refund.v1",
      name: "refund",
      description: "Pays an order back.",
      riskTier: "MEDIUM",
      ioClass: "WRITE",
      effect: "opaque",
      args: { order: "string" },
      effectKey: ({ order }) => order,
      execute: async ({ order }) => {
        await new Promise((resolve) => setImmediate(resolve));
        return { refund: refunds.push(order) };
      },
    });
    const file = newFile();
    const stores = [await openSqlite({ file, driver }), await openSqlite({ file, driver })] as const;
    const routers = stores.map((store) => createRouter({ store, capabilities: [refund] }));
    const ask = (index: number, key?: string): Promise<ResponseFrame> =>
      callOnce(
        routers[index % 2] as (typeof routers)[0],
        refund.capId,
        { order: "17" },
        key === undefined ? {} : { key },
      );
    const replies = await Promise.all(Array.from({ length: 32 }, (_, index) => ask(index)));
    // Later ones, with keys of their own.
    for (const index of [0, 1]) replies.push(await ask(index, `key-${index}`), await ask(index + 1, `key-${index}`));
    expect(refunds).toEqual(["17"]);
    const results = replies.map(
      ({ payload }) => payload as Extract<ResponseFrame, { frame_type: "RESULT" }>["payload"],
    );
    for (const { status, result } of results) expect([status, result?.data]).toEqual(["SUCCESS", { refund: 1 }]);
    expect(results.filter(({ replayed_from }) => replayed_from === undefined)).toHaveLength(1);
    const [audit] = await Promise.all(routers.map((router) => router.audit.verify()));
    expect(audit).toMatchObject({ ok: true, operations: 1 });
    for (const router of routers) await router.close();
    for (const store of stores) await store.close();
  });
}
