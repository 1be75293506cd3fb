import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { folderStorage } from "@toolglot/storage";
import { storageSuite } from "@toolglot/storage/testing";

export async function consume(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-consumer-storage-"));
  try {
    for (const [index, { run }] of storageSuite.entries())
      await run(async () => folderStorage(join(folder, `${index}`)));
    const request = { scope: "shop", key: "order-7", fingerprint: "f", owner: "a", leaseMs: 10_000 };
    const { operations } = folderStorage(join(folder, "once"));
    const first = await operations.claim(request);
    if (first.status !== "claimed") throw new Error("a new key should be free");
    await operations.begin(first.claim);
    await operations.finish(first.claim, { state: "done", outcome: { ticket: 12 } });
    const again = await folderStorage(join(folder, "once")).operations.claim(request);
    return `${storageSuite.length > 10} | ${again.status} | ${JSON.stringify(again.record.outcome)}`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const expected = 'true | replay | {"ticket":12}';
