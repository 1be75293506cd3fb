import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openSqliteOperationLog, openSqliteStore } from "@toolglot/trp-sqlite";

export async function consume(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-sqlite-"));
  try {
    const file = join(folder, "store.db");
    const request = { scope: "shop", key: "order-7", fingerprint: "f", owner: "a", leaseMs: 10_000 };
    const log = await openSqliteOperationLog({ file });
    const first = await log.claim(request);
    if (first.status !== "claimed") throw new Error("a new key should be free");
    await log.begin(first.claim);
    await log.finish(first.claim, { state: "done", outcome: { ticket: 12 } });
    await log.close();
    const store = await openSqliteStore({ file });
    const again = await store.operations.start(request, {});
    await store.close();
    return `${store.durability} | ${again.status} | ${"record" in again && JSON.stringify(again.record.outcome)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const expected = 'disk | replay | {"ticket":12}';
