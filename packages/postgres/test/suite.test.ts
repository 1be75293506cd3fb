import { someOf } from "@toolglot/internal/testing";
import { operationLogSuite, storageSuite } from "@toolglot/storage/testing";
import type { RouterStore } from "@toolglot/trp-core/store";
import { storeSuite } from "@toolglot/trp-core/store-suite";
import { afterEach, describe, expect, it } from "vitest";
import { openPostgres } from "../src/index.ts";
import { collectStatements, fill, scannedBy } from "./plans.ts";
import { emptyStore, newSchema, query, skip, url, why } from "./stores.ts";

const statements = collectStatements();
const opened: RouterStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

describe.skipIf(skip)(`PostgreSQL store${why}`, () => {
  it.each(storeSuite)("$name", async ({ run }) => run(({ now }) => emptyStore({ now })));

  // Both ways must come to the same.
  it.each(someOf(storeSuite, Math.ceil(storeSuite.length / 6)))(
    "$name, in transactions of several statements",
    async ({ run }) => run(({ now }) => emptyStore({ now }, false)),
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

describe.skipIf(skip)(`PostgreSQL plans${why}`, () => {
  // Of all that the cases above have made the store send.
  it("should read no large table from end to end", async () => {
    const schema = newSchema();
    await (await openPostgres({ url, schema })).close();
    await query(async (client) => {
      await fill(client, schema);
      const scans: string[] = [];
      for (const sent of statements.values()) {
        const tables = await scannedBy(client, schema, sent);
        if (tables.length > 0) scans.push(`${tables.join(", ")}: ${sent.text}`);
      }
      await client.query(`DROP SCHEMA "${schema}" CASCADE`);
      expect(scans).toEqual([]);
    });
  }, 60_000);
});
