import { operationLogSuite, storageSuite } from "@toolglot/storage/testing";
import type { RouterStore } from "@toolglot/trp-core/store";
import { storeSuite } from "@toolglot/trp-core/store-suite";
import { afterEach, describe, expect, it } from "vitest";
import { openSqlite } from "../src/index.ts";
import { drivers, newFile } from "./files.ts";

const opened: RouterStore[] = [];
afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

describe.each(drivers)("SQLite store on %s", (driver) => {
  it.each(storeSuite)("$name", async ({ run }) => run(({ now }) => openSqlite({ file: newFile(), now, driver })));

  it.each(storageSuite)("storage $name", async ({ run }) => run(() => openSqlite({ file: newFile(), driver })));

  it("should name its binding and say what survives", async () => {
    const full = await openSqlite({ file: newFile(), driver });
    expect(full).toMatchObject({ name: `sqlite (${driver})`, durability: "disk" });
    await full.close();
    const normal = await openSqlite({ file: newFile(), driver, synchronous: "normal" });
    expect(normal).toMatchObject({ durability: "process", operations: { durability: "process" } });
    await normal.close();
  });
});

describe.each(drivers)("SQLite operation log on %s", (driver) => {
  it.each(operationLogSuite)("$name", async ({ run }) =>
    run(async ({ now }) => {
      const store = await openSqlite({ file: newFile(), now, driver });
      opened.push(store);
      return store.operations;
    }),
  );
});
