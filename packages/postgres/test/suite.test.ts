import { operationLogSuite, storageSuite } from "@toolglot/storage/testing";
import type { RouterStore } from "@toolglot/trp-core/store";
import { storeSuite } from "@toolglot/trp-core/store-suite";
import { afterEach, describe, it } from "vitest";
import { openPostgres } from "../src/index.ts";

let count = 0;
const url = process.env.TOOLGLOT_POSTGRES_URL as string;
const schema = (): string => `s_${process.pid}_${++count}`;
const opened: RouterStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

describe("PostgreSQL store", () => {
  it.each(storeSuite)("$name", async ({ run }) => run(({ now }) => openPostgres({ url, schema: schema(), now })));
  it.each(storageSuite)("storage $name", async ({ run }) => run(() => openPostgres({ url, schema: schema() })));
});

describe("PostgreSQL operation log", () => {
  it.each(operationLogSuite)("$name", async ({ run }) =>
    run(async ({ now }) => {
      const store = await openPostgres({ url, schema: schema(), now });
      opened.push(store);
      return store.operations;
    }),
  );
});
