import { writeSync } from "node:fs";
import type { AuditEntry } from "@toolglot/trp-core/store";
import { chooseDriver } from "../../src/driver.ts";
import { openSqliteStore } from "../../src/index.ts";

// A process of its own that works on a store's file; it tells its parent what it did, a line each, at once.

const [file = "", mode, ...settings] = process.argv.slice(2);
const tell = (line: string): void => void writeSync(1, `${line}\n`);
const request = { scope: "s", fingerprint: "f", owner: String(process.pid), leaseMs: 60_000 };
const entry = (callId: string): AuditEntry =>
  ({ kind: "decision", tenant: "t", principal: "p", call_id: callId, error_code: null }) as AuditEntry;

if (mode === "claim") {
  // Everybody starts the same keys; those that were won are told.
  const store = await openSqliteStore({ file, lockTimeoutMs: 60_000 });
  await Promise.all(
    Array.from({ length: Number(settings[0]) }, async (_, index) => {
      const key = `k${index}`;
      await new Promise((resolve) => setTimeout(resolve, Math.random() * 200));
      const approval = { kind: "token", jti: `j${index % 10}`, expiresAt: Date.now() + 60_000 } as const;
      const result = await store.operations.start({ ...request, key }, { approval, audit: [entry(key)] });
      if (result.status === "claimed") tell(key);
    }),
  );
  await store.close();
} else if (mode === "load") {
  // Starts and finishes for ever, and tells what was acknowledged. It is killed in the midst of it.
  const store = await openSqliteStore({ file, lockTimeoutMs: 60_000 });
  await Promise.all(
    Array.from({ length: 8 }, async (_, caller) => {
      for (let index = 0; ; index++) {
        const key = `${settings[0]}-${caller}-${index}`;
        const result = await store.operations.start({ ...request, key }, { audit: [entry(key)] });
        if (result.status !== "claimed") throw new Error(result.status);
        tell(`started ${key}`);
        const outcome = { n: index };
        await store.operations.finish(result.claim, { state: "done", outcome }, { audit: [entry(key)] });
        tell(`done ${key}`);
      }
    }),
  );
} else if (mode === "hold") {
  // Takes the lock, and gives it back when it is told anything.
  const connection = (await chooseDriver()).open(file);
  connection.exec("BEGIN IMMEDIATE; UPDATE counters SET value = value + 1000");
  tell("held");
  process.stdin.once("data", () => {
    connection.exec("COMMIT");
    process.exit(0);
  });
}
