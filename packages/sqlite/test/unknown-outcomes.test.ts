import { createRouter, defineCapability, type Router } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import { onEach, sharedStores } from "../../postgres/test/every-store.ts";
import { placeOn } from "../../trp-core/test/store-kinds.ts";
import { boss, callOnce, endOf } from "./session.ts";

const capId = "cap.bank.transfer.v1";

onEach(sharedStores, (kind) => {
  it("begins a write of unknown outcome once, over routers and restarts on one store", async () => {
    const place = placeOn(kind);
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
      return createRouter({ capabilities: [transfer], store: await place.open() });
    };
    let keys = 0;
    const ask = async (router: Router): Promise<string> =>
      endOf(await callOnce(router, capId, { invoice: "bill-9" }, { key: `key-${++keys}`, timeoutMs: 200 }));
    const stop = async (router: Router): Promise<void> => {
      await router.close({ graceMs: 10 });
      await router.store.close();
    };
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
    await stop(three);
  });
});
