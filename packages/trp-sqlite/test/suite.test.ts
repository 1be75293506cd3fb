import type { OperationLog } from "@toolglot/core";
import { operationLogSuite } from "@toolglot/storage/testing";
import { storeSuite } from "@toolglot/trp-core/store-suite";
import { afterEach, describe, expect, it } from "vitest";
import { openSqliteOperationLog, openSqliteStore, type SqliteOperationLog } from "../src/index.ts";
import { drivers, newFile } from "./files.ts";

const opened: SqliteOperationLog[] = [];
afterEach(async () => {
  for (const log of opened.splice(0)) await log.close();
});

describe.each(drivers)("SQLite store on %s", (driver) => {
  it.each(storeSuite)("$name", async ({ run }) => run(({ now }) => openSqliteStore({ file: newFile(), now, driver })));

  it("should name its binding and say what survives", async () => {
    const full = await openSqliteStore({ file: newFile(), driver });
    expect(full).toMatchObject({ name: `sqlite (${driver})`, durability: "disk" });
    await full.close();
    const normal = await openSqliteStore({ file: newFile(), driver, synchronous: "normal" });
    expect(normal).toMatchObject({ durability: "process", operations: { durability: "process" } });
    await normal.close();
  });
});

describe.each(drivers)("SQLite operation log on %s", (driver) => {
  it.each(operationLogSuite)("$name", async ({ run }) =>
    run(async ({ now }): Promise<OperationLog> => {
      const log = await openSqliteOperationLog({ file: newFile(), now, driver });
      opened.push(log);
      return log;
    }),
  );
});
