import { defineCapability } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import type { TrpClient } from "../src/index.ts";
import { world } from "./support.ts";

it("sends a call without a key where the router's catalog says that it does without", async () => {
  const refunds: string[] = [];
  const facts = { description: "X.", riskTier: "MEDIUM", args: { order: "string" } } as const;
  const refund = defineCapability({
    ...{ capId: "cap.shop.refund.v1", name: "refund", ioClass: "WRITE", effect: "opaque", ...facts },
    effectKey: ({ order }) => order,
    execute: ({ order }) => refunds.push(order),
  });
  const read = defineCapability({
    ...{ capId: "cap.shop.read.v1", name: "read", ioClass: "READ", effect: "pure", ...facts },
    execute: ({ order }) => order,
  });
  const { client } = world({ capabilities: [refund, read], keylessReads: true });
  const call = async (made: TrpClient, capId: string): Promise<unknown[]> => {
    const { status, key, replayedFrom } = await made.callByCap(capId, { order: "17" });
    return [status, typeof key, replayedFrom !== undefined];
  };
  const explicit = client({ keys: "explicit" });
  expect(await call(explicit, refund.capId)).toEqual(["success", "undefined", false]);
  expect(await call(explicit, read.capId)).toEqual(["success", "undefined", false]);
  // By itself a client gives every write a key: the same effect all the same.
  const auto = client();
  expect(await call(auto, refund.capId)).toEqual(["success", "string", true]);
  expect(await call(auto, read.capId)).toEqual(["success", "undefined", false]);
  expect(refunds).toEqual(["17"]);
  // A plain session gets no field that the draft does not have.
  const plain = client({ keys: "explicit", features: [] });
  expect(Object.keys((await plain.catalog()).rows[0] ?? {})).not.toContain("idempotency_required");
  await expect(plain.callByCap(refund.capId, { order: "17" })).rejects.toMatchObject({
    code: "trp-client/key-required",
  });
  expect((await plain.capQuery(refund.capId)).keyRequired).toBe(false);
});
