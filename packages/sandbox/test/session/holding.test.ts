import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sleep } from "@toolglot/internal";
import { afterAll, expect, it } from "vitest";
import { fileSessionStore } from "../../src/node/index.ts";
import { holdSession } from "../../src/node/session/holding.ts";

const dir = mkdtempSync(join(tmpdir(), "toolglot-holding-"));
afterAll(() => rmSync(dir, { recursive: true }));

it("should be free for others after it was given back, also when it was being renewed at that moment", async () => {
  const store = fileSessionStore({ dir });
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
    ...store,
    async renew(id: string, fence: number, leaseMs: number) {
      begun();
      renewed = held.then(() => store.renew(id, fence, leaseMs));
      return await renewed;
    },
  };
  const holding = await holdSession(slow, "a", 600);
  await renewing;
  const released = holding.release();
  // Time enough for a release that does not wait.
  await sleep(100);
  goOn();
  await Promise.all([released, renewed]);
  expect(await store.claim("a", "another", 60_000)).toEqual({ fence: holding.fence + 1 });
});
