import { ToolglotError } from "@toolglot/core";
import { expect, it } from "vitest";
import { issueApprovalToken } from "../src/approvals/token.ts";
import type { Settled } from "../src/calls/types.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import { principal } from "../src/identity/principal.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { note, World } from "./calls-capabilities.ts";
import { bob, outcomes, type Rig, rig } from "./calls-rig.ts";

const start = 1_800_000_000_000;
const secret = "a secret of the router's operator";
const args = { text: "hello" };
const send = (more: Record<string, unknown> = {}) =>
  ({ cap_id: "cap.note.add.v1", args, idempotency_key: "k", ...more }) as const;

interface Stage {
  router: Rig;
  world: World;
  store: MemoryStore;
  clock: { now: number };
}

function stage(capabilities: (world: World) => AnyCapability[] = high, approvalTtlMs = 900_000): Stage {
  const clock = { now: start };
  const world = new World();
  const store = new MemoryStore({ now: () => clock.now });
  const router = rig({
    store,
    capabilities: capabilities(world),
    overrides: { approvalSecrets: [secret] },
    approvalTtlMs,
  });
  return { router, world, store, clock };
}

function high(world: World): AnyCapability[] {
  const more = { riskTier: "HIGH" as const };
  return [note(world, { more }), note(world, { more: { ...more, capId: "cap.other.add.v1" } })];
}

const code = (settled: Settled): string => ("fault" in settled ? settled.fault.code : settled.kind);
const idOf = (settled: Settled): string =>
  (settled as { fault: { retryHint: { approval_id: string } } }).fault.retryHint.approval_id;
const token = (more: Partial<Parameters<typeof issueApprovalToken>[0]> = {}): string =>
  issueApprovalToken({ secret, capId: "cap.note.add.v1", args, ttlMs: 600_000, now: start, ...more });

it("asks, waits, and runs the same call without a token once somebody else has approved (11.2)", async () => {
  const { router, world } = stage();
  const asked = await router.run(send());
  expect(asked).toMatchObject({
    kind: "refused",
    fault: {
      code: "TRP_4002",
      errorClass: "APPROVAL_REQUIRED",
      retryable: false,
      dispatched: false,
      retryHint: {
        action: "REQUEST_APPROVAL",
        approval_id: expect.any(String),
        approval_expires_at_ms: start + 900_000,
      },
    },
  });
  expect(idOf(await router.run(send()))).toBe(idOf(asked));
  expect(world.executions).toBe(0);
  const decided = await router.approvals.approve(bob, idOf(asked), "go ahead");
  expect(decided).toMatchObject({ status: "approved", decidedBy: "bob", comment: "go ahead" });
  expect(await router.run(send())).toMatchObject({ kind: "success", proof: { decision: "approve" } });
  expect(world.ledger).toHaveLength(1);
  expect(await router.approvals.list(bob)).toMatchObject([{ status: "used", requester: "alice" }]);
  // A finished operation is repeated without another approval.
  expect(await router.run(send())).toMatchObject({ kind: "success", replayedFrom: expect.any(String) });
  expect(world.ledger).toHaveLength(1);
});

it("writes requests and decisions down, and tells them", async () => {
  const { router } = stage();
  const asked = idOf(await router.run(send()));
  await router.approvals.approve(bob, asked);
  await router.run(send());
  const rows = await router.audit();
  expect(rows.map((row) => `${row.kind} ${row.result_status} ${row.error_code ?? ""}`)).toEqual([
    "outcome REFUSED TRP_4002",
    "approval APPROVED ",
    "decision STARTED ",
    "outcome SUCCESS ",
  ]);
  expect(rows[1]).toMatchObject({
    principal: "alice",
    decided_by: "bob",
    approval_id: asked,
    cap_id: "cap.note.add.v1",
  });
  expect(rows[1]?.idempotency_key).toBe(rows[0]?.idempotency_key);
  expect(rows[2]).toMatchObject({ approval_id: asked });
  const told = router.events.filter((event) => event.type.startsWith("approval."));
  expect(told).toMatchObject([
    { type: "approval.requested", approvalId: asked, requester: "alice", expiresAt: start + 900_000 },
    { type: "approval.decided", approvalId: asked, status: "approved", by: "bob" },
  ]);
});

it("refuses for good what was denied, with the reason that was given", async () => {
  const { router, world, clock } = stage();
  const asked = idOf(await router.run(send()));
  await router.approvals.deny(bob, asked, "not on\r\n\u001b\u202ea Friday");
  expect(await router.run(send())).toMatchObject({
    kind: "refused",
    fault: { code: "TRP_4001", message: expect.stringContaining("not on a Friday"), retryable: false },
  });
  expect(world.executions).toBe(0);
  expect((await router.audit()).find((row) => row.kind === "approval")).toMatchObject({ result_status: "DENIED" });
  // The denial lapses like an approval: then it may be asked again.
  clock.now += 900_001;
  expect(idOf(await router.run(send()))).not.toBe(asked);
});

it("lets only somebody else of the same tenant decide, once, while it waits", async () => {
  const { router, clock } = stage();
  const asked = idOf(await router.run(send()));
  const fails = async (run: Promise<unknown>, expected: string): Promise<void> => {
    const error: unknown = await run.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(ToolglotError.isInstance(error) && error.code).toBe(expected);
  };
  await fails(
    router.approvals.approve(principal({ id: "alice", roles: ["approver"] }), asked),
    "trp/approval-own-request",
  );
  await fails(router.approvals.approve(principal({ id: "carol" }), asked), "trp/approval-not-allowed");
  const elsewhere = principal({ id: "bob", tenant: "elsewhere", roles: ["approver"] });
  await fails(router.approvals.approve(elsewhere, asked), "trp/approval-not-found");
  await fails(router.approvals.approve(bob, "apr_unknown"), "trp/approval-not-found");
  expect(await router.approvals.read(elsewhere, asked)).toBeUndefined();
  expect(await router.approvals.list(elsewhere)).toEqual([]);
  await router.approvals.approve(bob, asked);
  await fails(router.approvals.deny(bob, asked), "trp/approval-not-pending");
  const later = idOf(await router.run(send({ idempotency_key: "k2" })));
  clock.now += 900_001;
  await fails(router.approvals.approve(bob, later), "trp/approval-not-pending");
  expect((await router.audit()).filter((row) => row.kind === "approval")).toHaveLength(1);
});

it("shows requests to who may decide, and to who asked", async () => {
  const { router } = stage();
  const asked = idOf(await router.run(send()));
  const carol = principal({ id: "carol" });
  expect(await router.approvals.list(carol)).toEqual([]);
  expect(await router.approvals.read(carol, asked)).toBeUndefined();
  expect(await router.approvals.list(principal({ id: "alice" }))).toMatchObject([{ id: asked }]);
  expect(await router.approvals.list(bob, { status: "pending" })).toMatchObject([{ id: asked, args }]);
  expect(await router.approvals.list(bob, { status: "denied" })).toEqual([]);
});

it("asks whom the host says, but never the requester", async () => {
  const world = new World();
  const store = new MemoryStore();
  const router = rig({ store, capabilities: high(world) });
  const asked = idOf(await router.run(send()));
  const { createApprovals } = await import("../src/approvals/approvals.ts");
  const anyone = createApprovals({ store, emit: () => {}, approvalTtlMs: 1_000, mayDecide: () => true });
  await expect(anyone.approve(principal({ id: "alice" }), asked)).rejects.toMatchObject({
    code: "trp/approval-own-request",
  });
  expect(await anyone.approve(principal({ id: "carol" }), asked)).toMatchObject({ decidedBy: "carol" });
});

it("refuses the same key with other arguments while a request waits", async () => {
  const { router, world } = stage();
  const asked = idOf(await router.run(send()));
  expect(code(await router.run(send({ args: { text: "other" } })))).toBe("TRP_4004");
  await router.approvals.approve(bob, asked);
  expect(code(await router.run(send({ args: { text: "other" } })))).toBe("TRP_4004");
  expect(code(await router.run(send()))).toBe("success");
  expect(world.ledger).toHaveLength(1);
});

it("holds an approval to its arguments, its key, its capability, its principal and its tenant", async () => {
  const { router, world } = stage();
  await router.approvals.approve(bob, idOf(await router.run(send())));
  const others: [Record<string, unknown>, Parameters<Rig["run"]>[1]][] = [
    [{ args: { text: "other" } }, {}],
    [{ idempotency_key: "other" }, {}],
    [{ cap_id: "cap.other.add.v1" }, {}],
    [{}, { who: principal({ id: "carol" }) }],
    [{}, { who: principal({ id: "alice", tenant: "elsewhere" }) }],
  ];
  for (const [more, options] of others) expect((await router.run(send(more), options)).kind).toBe("refused");
  expect(world.executions).toBe(0);
  expect(code(await router.run(send()))).toBe("success");
});

it("can't be used after its expiry, whether it was asked for or approved before", async () => {
  const { router, world, clock } = stage();
  const asked = idOf(await router.run(send()));
  clock.now += 899_000;
  await router.approvals.approve(bob, asked);
  clock.now += 1_001;
  const again = await router.run(send());
  expect(code(again)).toBe("TRP_4002");
  expect(idOf(again)).not.toBe(asked);
  expect(world.executions).toBe(0);
});

it("can't expire between the check and the start", async () => {
  const clock = { now: start };
  const world = new World();
  const store = new MemoryStore({ now: () => clock.now });
  const router = rig({
    store,
    capabilities: high(world),
    overrides: {
      failpoint: (name) => {
        if (name === "before-start") clock.now += 900_001;
      },
    },
  });
  await router.approvals.approve(bob, idOf(await router.run(send())));
  expect(code(await router.run(send()))).toBe("TRP_4002");
  expect(world.executions).toBe(0);
  expect(await store.operations.list({ states: ["claimed", "started"] })).toEqual([]);
});

it("is spent by a definite failure, and not by a refusal before the start", async () => {
  let fail = true;
  const { router, world } = stage((world) => [
    note(world, {
      before: () => {
        if (fail) throw new ToolglotError("x", "cut");
      },
      effect: "idempotent",
      more: { riskTier: "HIGH", maxConcurrency: 1 },
    }),
  ]);
  await router.approvals.approve(bob, idOf(await router.run(send())));
  const places = router.dependencies.places;
  const { fault } = await import("../src/frames/fault.ts");
  Object.assign(router.dependencies, { places: { take: () => fault("TRP_5003") } });
  expect(code(await router.run(send()))).toBe("TRP_5003");
  expect(await router.approvals.list(bob)).toMatchObject([{ status: "approved" }]);
  Object.assign(router.dependencies, { places });
  expect(code(await router.run(send()))).toBe("TRP_3002");
  expect(await router.approvals.list(bob)).toMatchObject([{ status: "used" }]);
  // The same operation goes on under the consent that it was started with.
  fail = false;
  expect(code(await router.run(send()))).toBe("success");
  expect(world.ledger).toHaveLength(1);
});

it("is taken again by its own operation after a crash, also when it has expired meanwhile", async () => {
  const { router, world, clock } = stage((world) => [
    note(world, {
      effect: "idempotent",
      before: ({ attempt }) => {
        if (attempt === 1) throw new Error("cut");
      },
      more: { riskTier: "HIGH" },
    }),
  ]);
  await router.approvals.approve(bob, idOf(await router.run(send())));
  expect(code(await router.run(send()))).toBe("TRP_3002");
  clock.now += 3_600_000;
  expect(code(await router.run(send()))).toBe("success");
  expect(world.ledger).toHaveLength(1);
});

it("takes a token for exactly this call", async () => {
  const { router, world } = stage();
  const approval_token = token();
  for (const more of [
    { args: { text: "other" } },
    { cap_id: "cap.other.add.v1" },
    { approval_token: `${approval_token.slice(0, -3)}AAA` },
    { approval_token: "appr_0123456789ab" },
    { approval_token: token({ secret: "another" }) },
    { approval_token: token({ sub: "alice" }) },
    { approval_token: token({ now: start - 700_000 }) },
  ]) {
    expect(code(await router.run(send({ approval_token, ...more })))).toBe("TRP_4002");
  }
  expect(world.executions).toBe(0);
  expect(await router.run(send({ approval_token }))).toMatchObject({ kind: "success" });
  expect(await router.audit()).toContainEqual(
    expect.objectContaining({ kind: "decision", approval_id: expect.stringMatching(/^appr_[0-9a-f]{12}$/) }),
  );
});

it("spends a token once: not for another key, another principal, another tenant", async () => {
  const { router, world } = stage();
  const approval_token = token();
  expect(code(await router.run(send({ approval_token })))).toBe("success");
  expect(code(await router.run(send({ approval_token, idempotency_key: "k2" })))).toBe("TRP_4002");
  expect(code(await router.run(send({ approval_token }), { who: principal({ id: "carol" }) }))).toBe("TRP_4002");
  const elsewhere = principal({ id: "alice", tenant: "elsewhere" });
  expect(code(await router.run(send({ approval_token }), { who: elsewhere }))).toBe("TRP_4002");
  // The same operation again: a replay.
  expect(await router.run(send({ approval_token }))).toMatchObject({
    kind: "success",
    replayedFrom: expect.any(String),
  });
  expect(world.ledger).toHaveLength(1);
});

it("spends a token once among calls that come at the same time", async () => {
  const { router, world } = stage();
  const approval_token = token();
  const told = await Promise.all(
    Array.from({ length: 50 }, (_, index) => router.run(send({ approval_token, idempotency_key: `k${index}` }))),
  );
  expect(told.filter((settled) => settled.kind === "success")).toHaveLength(1);
  expect(told.filter((settled) => code(settled) === "TRP_4002")).toHaveLength(49);
  expect(world.ledger).toHaveLength(1);
});

it("uses one approval once among calls that come at the same time", async () => {
  const { router, world } = stage();
  await router.approvals.approve(bob, idOf(await router.run(send())));
  const told = await Promise.all(Array.from({ length: 50 }, () => router.run(send(), { waitForBusy: true })));
  expect(told.every((settled) => settled.kind === "success")).toBe(true);
  expect(world.ledger).toHaveLength(1);
});

it("does not spend a token on what is refused before it starts", async () => {
  const { router } = stage((world) => [
    note(world, { more: { riskTier: "HIGH", capId: "cap.note.add.v1", adapt: (given: unknown) => given } }),
  ]);
  const approval_token = token();
  expect(code(await router.run(send({ approval_token, idempotency_key: null })))).toBe("TRP_4003");
  expect(code(await router.run(send({ approval_token })))).toBe("success");
});

it("takes no token when it has no secrets", async () => {
  const world = new World();
  const router = rig({ capabilities: high(world) });
  expect(code(await router.run(send({ approval_token: token() })))).toBe("TRP_4002");
  expect(world.executions).toBe(0);
  expect(await outcomes(router)).toEqual(["REFUSED TRP_4002"]);
});

it("runs a key again under the approval it had, when nothing was applied", async () => {
  const { CapabilityError } = await import("../src/catalog/capability-error.ts");
  let first = true;
  const { router, world } = stage((world) => [
    note(world, {
      before: () => {
        if (!first) return;
        first = false;
        throw new CapabilityError("refused", { outcome: "not-applied" });
      },
      more: { riskTier: "HIGH" },
    }),
  ]);
  await router.approvals.approve(bob, idOf(await router.run(send())));
  expect(code(await router.run(send()))).toBe("TRP_3002");
  expect(code(await router.run(send()))).toBe("success");
  expect(world.ledger).toHaveLength(1);
});

it("holds a token to the arguments as sent, before defaults", async () => {
  const withDefault = {
    type: "object",
    properties: { text: { type: "string" }, copies: { type: "integer", default: 2 } },
  } as const;
  const { router, world } = stage((world) => [note(world, { more: { riskTier: "HIGH", args: withDefault } })]);
  const full = token({ args: { ...args, copies: 2 } });
  expect(code(await router.run(send({ approval_token: full })))).toBe("TRP_4002");
  expect(code(await router.run(send({ approval_token: token() })))).toBe("success");
  expect(world.ledger).toHaveLength(1);
});

it("goes on without the token in an operation that was started with it", async () => {
  const { router, world } = stage((world) => [
    note(world, {
      effect: "idempotent",
      before: ({ attempt }) => {
        if (attempt === 1) throw new Error("cut");
      },
      more: { riskTier: "HIGH" },
    }),
  ]);
  expect(code(await router.run(send({ approval_token: token() })))).toBe("TRP_3002");
  expect(code(await router.run(send()))).toBe("success");
  expect(world.ledger).toHaveLength(1);
  expect(await router.approvals.list(bob)).toEqual([]);
});
