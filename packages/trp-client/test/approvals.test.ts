import { issueApprovalToken } from "@toolglot/trp-core";
import { expect, it } from "vitest";
import { boss, world } from "./support.ts";

it("surfaces an approval, and does the call once after it was given", async () => {
  const { client, router, effects } = world();
  const trp = client();
  const first = await trp.callByCap("cap.mail.send.v1", { to: "a" });
  expect(first).toMatchObject({ status: "refused", dispatched: false, error: { errorClass: "APPROVAL_REQUIRED" } });
  const again = { key: first.key as string };
  expect((await trp.callByCap("cap.mail.send.v1", { to: "a" }, again)).error?.code).toBe("TRP_4002");
  await router.approvals.approve(boss, first.error?.retryHint.approval_id ?? "");
  const ends = await Promise.all([1, 2, 3].map(() => trp.callByCap("cap.mail.send.v1", { to: "a" }, again)));
  expect(ends.map(({ status }) => status)).toEqual(["success", "success", "success"]);
  expect(effects).toEqual(["mail a"]);
  // Another call needs another approval.
  expect((await trp.callByCap("cap.mail.send.v1", { to: "a" })).error?.code).toBe("TRP_4002");
});

it("passes a signed approval on", async () => {
  const { client, effects } = world({ approvalSecrets: ["a secret that is long enough to be one"] });
  const trp = client();
  const args = { to: "b" };
  const secret = "a secret that is long enough to be one";
  const approvalToken = issueApprovalToken({ secret, capId: "cap.mail.send.v1", args, ttlMs: 60_000, sub: "boss" });
  expect(await trp.callByCap("cap.mail.send.v1", args, { approvalToken })).toMatchObject({ status: "success" });
  expect((await trp.callByCap("cap.mail.send.v1", args, { approvalToken })).status).toBe("refused");
  expect(effects).toEqual(["mail b"]);
});

it("does 200 calls with one key once, with one outcome", async () => {
  const { client, effects } = world();
  const trp = client();
  const ends = await Promise.all(
    Array.from({ length: 200 }, () => trp.callByCap("cap.note.add.v1", { text: "once" }, { key: "one" })),
  );
  expect(new Set(ends.map(({ status }) => status))).toEqual(new Set(["success"]));
  expect(new Set(ends.map(({ result }) => JSON.stringify(result))).size).toBe(1);
  expect(effects).toEqual(["once"]);
});

it("tells that a key was used for something else", async () => {
  const { client } = world();
  const trp = client();
  await trp.callByCap("cap.note.add.v1", { text: "a" }, { key: "k" });
  const other = await trp.callByCap("cap.note.add.v1", { text: "b" }, { key: "k" });
  expect(other).toMatchObject({ status: "refused", dispatched: false, error: { code: "TRP_4004" } });
});

it("asks what became of a call", async () => {
  const { client } = world();
  const trp = client();
  const done = await trp.callByCap("cap.note.add.v1", { text: "a" });
  expect(await trp.result(done.callId)).toMatchObject({
    status: "settled",
    result: { status: "success", result: { data: { count: 1 } } },
  });
  expect(await trp.result("nobody")).toEqual({ status: "not-found" });
  expect(await trp.capQuery("cap.mail.send.v1")).toMatchObject({ idx: 2, requiresApproval: true, keyRequired: true });
  await expect(trp.capQuery("cap.none.v1")).rejects.toMatchObject({ code: "trp-client/refused" });
});
