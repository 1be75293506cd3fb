import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { OperationClaim } from "@toolglot/core";
import { sleep } from "@toolglot/internal";
import { folderStorage } from "@toolglot/storage";
import { afterAll, it } from "vitest";

import { holdSession } from "../../src/node/session/holding.ts";

const dir = mkdtempSync(join(tmpdir(), "toolglot-holding-"));
afterAll(() => rmSync(dir, { recursive: true }));

it("should be free for others after it was given back, also when it was being renewed at that moment", async () => {
  const storage = folderStorage(dir);
  let begun = (): void => {};
  const renewing = new Promise<void>((resolve) => {
    begun = resolve;
  });
  let goOn = (): void => {};
  const held = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let renewed: Promise<boolean> | undefined;
  const slow = {
    ...storage,
    operations: {
      ...storage.operations,
      async renew(claim: OperationClaim, leaseMs: number) {
        begun();
        renewed = held.then(() => storage.operations.renew(claim, leaseMs));
        return await renewed;
      },
    },
  };
  const holding = await holdSession(slow, "a", 600);
  await renewing;
  const released = holding.release();
  // Time enough for a release that does not wait.
  await sleep(100);
  goOn();
  await Promise.all([released, renewed]);
  await (await holdSession(storage, "a", 60_000)).release();
});
