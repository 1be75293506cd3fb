import { ToolglotError } from "@toolglot/core";
import { expect, it } from "vitest";
import { createRouter, MemoryStore } from "../src/index.ts";
import { gate } from "./calls-rig.ts";
import { replaced } from "./chaos/replaced.ts";
import { ada, callItem, ledger, nackOf, openSession } from "./router-rig.ts";

it("should not write over a success when another router's attempt at the same call finds the store down later", async () => {
  const store = new MemoryStore();
  const { open, passed } = gate();
  const start = async (): Promise<never> => {
    await passed;
    throw new ToolglotError("trp/store-unavailable", "The database can't be reached.");
  };
  const { capabilities } = ledger();
  const isolated = replaced(store, { operations: replaced(store.operations, { start }) });
  const well = createRouter({ store, capabilities, allowVolatile: true });
  const cutOff = createRouter({ store: isolated, capabilities, allowVolatile: true });
  const session = await openSession(well);
  const item = callItem(
    { call_id: "call", cap_id: "cap.test.write.v1", idempotency_key: "key", args: { text: "x" } },
    1,
  );

  const late = cutOff.handle(session.frame("CALL_REQ", item), { principal: ada });
  while ((await store.sessions.readCall(session.id, "call")) === undefined) await new Promise(setImmediate);
  expect((await session.send("CALL_REQ", item)).frame_type).toBe("RESULT");
  open();
  expect(nackOf(await late)).toMatchObject({ error_code: "TRP_5003", dispatched: false, retryable: true });
  expect(await session.query("call")).toMatchObject({ status: "SUCCESS" });
  await Promise.all([well, cutOff].map((router) => router.close()));
});
