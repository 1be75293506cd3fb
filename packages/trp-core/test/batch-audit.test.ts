import { expect, it } from "vitest";
import { createRouter, defineCapability, type Router } from "../src/index.ts";
import { callItem, openSession } from "./router-rig.ts";

const read = defineCapability({
  capId: "cap.test.read.v1",
  name: "read",
  description: "Reads.",
  riskTier: "LOW",
  ioClass: "READ",
  effect: "pure",
  args: { "fail?": "boolean = false" },
  execute: ({ fail }) => {
    if (fail) throw new Error("no");
    return "read";
  },
});

const item = (call_id: string, more: object = {}): object => callItem({ call_id, cap_id: "cap.test.read.v1", ...more });

async function audited(router: Router): Promise<string[]> {
  const rows = await router.audit.read();
  return rows.map(({ entry }) => `${entry.call_id} ${entry.result_status} ${entry.error_code}`).sort();
}

it("writes down every call of a batch that is refused as a whole", async () => {
  const router = createRouter({ capabilities: [read] });
  const session = await openSession(router);
  const calls = [item("a", { depends_on: ["b"] }), item("b", { depends_on: ["a"] })];
  const reply = await session.send("CALL_BATCH_REQ", { batch_id: "b1", max_concurrency: 2, calls });
  expect(reply).toMatchObject({ frame_type: "NACK", payload: { error_code: "TRP_1005" } });
  expect(await audited(router)).toEqual(["a REFUSED TRP_1005", "b REFUSED TRP_1005"]);
});

it("writes down calls that never began because of others", async () => {
  const router = createRouter({ capabilities: [read] });
  const session = await openSession(router);
  const calls = [item("a", { args: { fail: true } }), item("b", { depends_on: ["a"] }), item("c")];
  await session.send("CALL_BATCH_REQ", { batch_id: "b1", max_concurrency: 2, calls });
  expect(await audited(router)).toEqual(["a FAILED TRP_3002", "b REFUSED TRP_1006", "c SUCCESS null"]);
});
