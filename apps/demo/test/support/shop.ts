import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "libsql";
import { Session } from "toolglot/parts";
import { afterAll } from "vitest";
import { type DemoStore, openStore } from "../../src/data/store.ts";
import { demoData } from "../../src/open-demo.ts";

/** A shop with data of its own, and a session on it. */
export interface TestShop {
  store: DemoStore;
  session: Session;
  /** What a query gives, asked without any of our code. */
  rows<Row = Record<string, unknown>>(sql: string): Row[];
  ticketCount(): number;
}

/** One for all tests of a file; called outside of tests. */
export function openShop(): TestShop {
  const folder = mkdtempSync(join(tmpdir(), "demo-shop-"));
  const store = openStore(folder);
  const session = new Session({ folder, modules: [{ ...demoData(store), from: "demo" }] });
  afterAll(async () => {
    await session.dispose();
    rmSync(folder, { recursive: true, force: true });
  });
  function rows<Row>(sql: string): Row[] {
    const db = new Database(store.database);
    try {
      return db.prepare(sql).all() as Row[];
    } finally {
      db.close();
    }
  }
  return {
    store,
    session,
    rows,
    ticketCount: () => rows<{ n: number }>("SELECT COUNT(*) AS n FROM tickets")[0]?.n ?? -1,
  };
}
