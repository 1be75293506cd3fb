import { createRouter, defineCapability, type Router } from "@toolglot/trp-core";
import type { ResponseFrame } from "@toolglot/trp-core/frames";
import { afterEach, describe, expect, it } from "vitest";
import { boss, callOnce, endOf } from "../../sqlite/test/session.ts";
import { openPostgres } from "../src/index.ts";
import { newSchema, skip, url, why } from "./stores.ts";

// Routers in processes of their own, as far as the database can tell.

describe.skipIf(skip)(`routers on one database${why}`, () => {
  const running = new Set<Router>();
  afterEach(async () => {
    for (const router of running) await stop(router);
  });
  const stop = async (router: Router): Promise<void> => {
    running.delete(router);
    await router.close({ graceMs: 10 });
    await router.store.close();
  };

  it("should do an effect once for 32 calls at one time, each in its own session", async () => {
    const schema = newSchema();
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
    const start = async (): Promise<Router> => {
      const router = createRouter({ store: await openPostgres({ url, schema }), capabilities: [refund] });
      running.add(router);
      return router;
    };
    const routers = [await start(), await start(), await start()];
    const ask = (index: number, key?: string): Promise<ResponseFrame> =>
      callOnce(routers[index % 3] as Router, refund.capId, { order: "17" }, { timeoutMs: 30_000, ...(key && { key }) });
    const replies = await Promise.all(Array.from({ length: 32 }, (_, index) => ask(index)));
    // Later ones, with keys of their own.
    for (const index of [0, 1]) replies.push(await ask(index, `key-${index}`), await ask(index + 1, `key-${index}`));
    expect(refunds).toEqual(["17"]);
    const results = replies.map(
      ({ payload }) => payload as Extract<ResponseFrame, { frame_type: "RESULT" }>["payload"],
    );
    for (const { status, result } of results) expect([status, result?.data]).toEqual(["SUCCESS", { refund: 1 }]);
    expect(results.filter(({ replayed_from }) => replayed_from === undefined)).toHaveLength(1);
    const audits = await Promise.all(routers.map((router) => router.audit.verify()));
    for (const audit of audits) expect(audit).toMatchObject({ ok: true, operations: 1 });
  });

  it("should begin a write of unknown outcome once, over routers and restarts", async () => {
    const schema = newSchema();
    const capId = "cap.bank.transfer.v1";
    let begun = 0;
    const start = async (): Promise<Router> => {
      const transfer = defineCapability({
        capId,
        name: "transfer",
        description: "Transfers.",
        riskTier: "MEDIUM",
        ioClass: "WRITE",
        effect: "opaque",
        args: { invoice: "string" },
        execute: () => {
          begun += 1;
          return new Promise(() => {});
        },
      });
      const router = createRouter({ capabilities: [transfer], store: await openPostgres({ url, schema }) });
      running.add(router);
      return router;
    };
    let keys = 0;
    const ask = async (router: Router): Promise<string> =>
      endOf(await callOnce(router, capId, { invoice: "bill-9" }, { key: `key-${++keys}`, timeoutMs: 200 }));
    const [one, two] = [await start(), await start()];
    expect(await ask(one)).toBe("UNKNOWN");
    expect(await ask(one)).toBe("UNKNOWN");
    expect(await ask(two)).toBe("UNKNOWN");
    expect(begun).toBe(1);
    await stop(one);
    await stop(two);
    const three = await start();
    expect(await ask(three)).toBe("UNKNOWN");
    expect(begun).toBe(1);
    const [record] = await three.operations.inDoubt(boss);
    if (record === undefined) throw new Error("nothing is in doubt");
    await three.operations.resolve(boss, record, { state: "not-applied" });
    expect(await ask(three)).toBe("UNKNOWN");
    expect(begun).toBe(2);
  });
});
