import { operationLogSuite, storageSuite } from "@toolglot/storage/testing";
import type { RouterStore } from "@toolglot/trp-core/store";
import { storeSuite } from "@toolglot/trp-core/store-suite";
import { afterEach, describe, it } from "vitest";
import { emptyStore, skip, why } from "./stores.ts";

const opened: RouterStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

describe.skipIf(skip)(`PostgreSQL store${why}`, () => {
  it.each(storeSuite)("$name", async ({ run }) => run(({ now }) => emptyStore({ now })));

  // Both ways must come to the same.
  it.each(storeSuite)("$name, in transactions of several statements", async ({ run }) =>
    run(({ now }) => emptyStore({ now }, false)),
  );

  it.each(storageSuite)("storage $name", async ({ run }) => run(() => emptyStore()));
});

describe.skipIf(skip)(`PostgreSQL operation log${why}`, () => {
  it.each(operationLogSuite)("$name", async ({ run }) =>
    run(async ({ now }) => {
      const store = await emptyStore({ now });
      opened.push(store);
      return store.operations;
    }),
  );
});
