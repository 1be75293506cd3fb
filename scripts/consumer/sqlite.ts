import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqlite } from "@toolglot/sqlite";

export async function consume(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-sqlite-"));
  try {
    const file = join(folder, "store.db");
    const request = { scope: "shop", key: "order-7", fingerprint: "f", owner: "a", leaseMs: 10_000 };
    const { operations, logs, close } = await openSqlite({ file });
    const first = await operations.claim(request);
    if (first.status !== "claimed") throw new Error("a new key should be free");
    await operations.begin(first.claim);
    await operations.finish(first.claim, { state: "done", outcome: { ticket: 12 } });
    await logs.append("orders", ["order-7"], 0);
    await close();
    const store = await openSqlite({ file });
    const lines = await store.logs.read("orders");
    const again = await store.operations.start(request, {});
    await store.close();
    return `${store.durability} | ${again.status} | ${"record" in again && JSON.stringify(again.record.outcome)} | ${lines}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const expected = 'disk | replay | {"ticket":12} | order-7';
