import { createRouter, defineCapability } from "@toolglot/trp-core";
import type { ResponseFrame } from "@toolglot/trp-core/frames";
import { expect, it } from "vitest";
import { onEach, sharedStores } from "../../postgres/test/every-store.ts";
import { placeOn } from "../../trp-core/test/store-kinds.ts";
import { callOnce } from "./session.ts";

// Two routers that share a store, and a call of many that names its effect.

onEach(sharedStores, (kind) => {
  it("does an effect once for 32 calls at one time, each in its own session", async () => {
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
    const place = placeOn(kind);
    const stores = [await place.open(), await place.open()] as const;
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
  });
});
