import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defineCapability } from "../src/catalog/define-capability.ts";
import type { AnyCapability } from "../src/catalog/types.ts";
import type { RouterEvent } from "../src/events/types.ts";
import { principal } from "../src/identity/principal.ts";
import type { PolicyEngine } from "../src/policy/types.ts";
import { createRouter } from "../src/router/create-router.ts";
import type { Router, RouterOptions } from "../src/router/types.ts";
import { MemoryStore } from "../src/store/memory-store.ts";
import { ada, boss, callItem, helloFrame, ledger, nackOf, openSession, resultOf } from "./router-rig.ts";

const read = (text: string, call_id?: string) => ({
  cap_id: "cap.test.read.v1",
  args: { text },
  ...(call_id === undefined ? {} : { call_id }),
});
const write = (text: string, key: string) => ({ cap_id: "cap.test.write.v1", args: { text }, idempotency_key: key });
const mail = (text: string, key: string) => ({ cap_id: "cap.test.mail.v1", args: { text }, idempotency_key: key });

async function rig(options: RouterOptions = {}) {
  const book = ledger();
  const router = createRouter({ allowVolatile: true, capabilities: book.capabilities, ...options });
  return { ...book, router, session: await openSession(router) };
}

describe("a call from hello to result (TRP v0.1 draft, 16.1 and 16.2)", () => {
  it("has a table, a RESULT and answers that copy what they answer", async () => {
    const { session } = await rig();
    const rows = await session.sync();
    expect(rows.map(({ idx, cap_id }) => `${idx} ${cap_id}`)).toEqual([
      "0 cap.test.read.v1",
      "1 cap.test.write.v1",
      "2 cap.test.wait.v1",
      "3 cap.test.mail.v1",
      "4 cap.trp.artifact.read.v1",
    ]);
    const reply = await session.call(read("a", "c"), { frame_id: "f", trace_id: "t" });
    expect(reply).toMatchObject({
      trp_version: "0.1",
      frame_type: "RESULT",
      session_id: session.id,
      frame_id: "res_f",
      trace_id: "t",
      catalog_epoch: session.epoch,
      seq: 3,
    });
    expect(resultOf(reply)).toMatchObject({
      call_id: "c",
      idx: 0,
      cap_id: "cap.test.read.v1",
      status: "SUCCESS",
      result: { data: { noted: "a" }, artifacts: [], warnings: [] },
      policy_proof: { decision: "allow", policy_version: "default-1" },
    });
  });

  it("finds the router's own capabilities after all others, and more of them in large catalogs", async () => {
    const { session, router } = await rig({ catalogTools: true });
    expect((await session.sync()).map(({ cap_id }) => cap_id).slice(4)).toEqual([
      "cap.trp.artifact.read.v1",
      "cap.trp.catalog.search.v1",
      "cap.trp.catalog.describe.v1",
    ]);
    const found = resultOf(await session.call({ cap_id: "cap.trp.catalog.search.v1", args: { query: "writes" } }));
    expect(JSON.stringify(found.result)).toContain("cap.test.write.v1");
    await router.close();
    const many = Array.from({ length: 41 }, (_, at) => ({
      ...(ledger().capabilities[0] as AnyCapability),
      capId: `cap.test.n${at}.v1`,
      name: `n${at}`,
    }));
    const large = await openSession(createRouter({ capabilities: many }));
    expect((await large.sync()).map(({ cap_id }) => cap_id)).toContain("cap.trp.catalog.search.v1");
    const small = await openSession(createRouter({ capabilities: many.slice(1) }));
    expect((await small.sync()).map(({ cap_id }) => cap_id)).not.toContain("cap.trp.catalog.search.v1");
    const without = await openSession(createRouter({ capabilities: many, catalogTools: false }));
    expect((await without.sync()).map(({ cap_id }) => cap_id)).not.toContain("cap.trp.catalog.search.v1");
  });
});

describe("the catalog drifts (TRP v0.1 draft, 7.2 and 16.4)", () => {
  it("a number never leads to another capability, and a changed one is not called by mistake", async () => {
    const { router, session, effects } = await rig();
    const danger = defineCapability({
      capId: "cap.test.danger.v1",
      name: "danger",
      description: "Destroys.",
      riskTier: "LOW",
      ioClass: "READ",
      effect: "pure",
      args: { text: "string" },
      execute: ({ text }) => effects.push(`destroyed ${text}`),
    });
    router.registry.unregister("cap.test.read.v1");
    router.registry.register(danger);
    const stale = await session.call({ ...read("a"), idx: 0 });
    expect(nackOf(stale)).toMatchObject({
      error_class: "CATALOG_MISMATCH",
      error_code: "TRP_1003",
      retryable: true,
      retry_hint: { action: "SYNC_CATALOG", expected_seq: 3 },
    });
    // The number that the new one would have had in a fresh session is still the old one's here.
    expect(nackOf(await session.call({ cap_id: "cap.test.danger.v1", idx: 0, args: { text: "b" } })).error_code).toBe(
      "TRP_1003",
    );
    const rows = await session.sync();
    expect(rows.find(({ cap_id }) => cap_id === "cap.test.danger.v1")?.idx).toBe(5);
    expect(rows.some(({ idx }) => idx === 0)).toBe(false);
    resultOf(await session.call({ cap_id: "cap.test.danger.v1", args: { text: "c" } }));
    expect(effects).toEqual(["destroyed c"]);
  });

  it("a capability whose schema or risk has changed is synced first", async () => {
    const { router, session, capabilities } = await rig();
    const [first] = capabilities as [AnyCapability];
    router.registry.unregister(first.capId);
    router.registry.register({ ...first, adapterVersion: "2" });
    expect(nackOf(await session.call(read("a"))).error_code).toBe("TRP_1003");
    await session.sync();
    resultOf(await session.call(read("a")));
  });

  it("an epoch above the router's is refused, an older one goes as long as everything holds", async () => {
    const { router, session } = await rig();
    router.registry.unregister("cap.test.hidden.v1");
    expect(await router.registry.epoch()).toBeGreaterThan(session.epoch);
    resultOf(await session.call(read("a")));
    expect(nackOf(await session.call(read("a"), { catalog_epoch: 99 })).error_code).toBe("TRP_1003");
    const strict = await rig({ strictEpoch: true });
    strict.router.registry.unregister("cap.test.hidden.v1");
    expect(nackOf(await strict.session.call(read("a"))).error_code).toBe("TRP_1003");
  });

  it("a digest of before is SCHEMA_MISMATCH with the hint to ask, and asking helps (10.2)", async () => {
    const { router, session, capabilities } = await rig();
    const digest = (await session.sync())[0]?.schema_digest as string;
    const [first] = capabilities as [AnyCapability];
    router.registry.unregister(first.capId);
    router.registry.register({ ...first, args: { text: "string", "more?": "string" } });
    const reply = nackOf(await session.call({ ...read("a"), schema_digest: digest }));
    expect(reply).toMatchObject({
      error_class: "SCHEMA_MISMATCH",
      error_code: "TRP_2007",
      retryable: false,
      retry_hint: { action: "CAP_QUERY" },
    });
    const answer = await session.send("CAP_QUERY_REQ", { idx: 0, cap_id: first.capId });
    if (answer.frame_type !== "CAP_QUERY_RES") throw new Error("no answer");
    expect(answer.payload.canonical_schema.properties).toHaveProperty("more");
    resultOf(await session.call({ ...read("a"), schema_digest: answer.payload.schema_digest }));
  });

  it("a call that was done keeps its outcome when its capability has gone", async () => {
    const { router, session, effects } = await rig();
    const item = { ...write("w", "k"), call_id: "c" };
    const first = resultOf(await session.call(item));
    router.registry.unregister("cap.test.write.v1");
    const again = resultOf(await session.call(item));
    expect(again.result).toEqual(first.result);
    expect(nackOf(await session.call({ ...item, call_id: "d" })).error_code).toBe("TRP_1003");
    expect(effects).toEqual(["w"]);
  });
});

describe("a call that is sent again", () => {
  it("is not told what its key did for another call", async () => {
    const { router, session, effects } = await rig();
    resultOf(await session.call({ ...write("w", "k"), call_id: "c1" }));
    const other = { ...write("other", "k"), call_id: "c2" };
    expect(nackOf(await session.call(other)).error_code).toBe("TRP_4004");
    expect(nackOf(await session.call({ ...other, depends_on: ["nothing"] })).error_code).toBe("TRP_1005");
    router.registry.unregister("cap.test.write.v1");
    expect(nackOf(await session.call(other)).error_code).toBe("TRP_1003");
    expect(effects).toEqual(["w"]);
  });

  it("has its outcome whatever became of what it depends on", async () => {
    const { session, effects } = await rig();
    const item = { ...write("w", "k"), call_id: "c" };
    const first = resultOf(await session.call(item));
    expect(resultOf(await session.call({ ...item, depends_on: ["nothing"] })).result).toEqual(first.result);
    expect(effects).toEqual(["w"]);
  });
});

describe("CAP_QUERY (TRP v0.1 draft, 6.1.3)", () => {
  it("gives schema, hints, digest, and examples when they are wanted", async () => {
    const { session } = await rig();
    const ask = async (idx: number, cap_id: string, rest: object = {}) => {
      const reply = await session.send("CAP_QUERY_REQ", { idx, cap_id, ...rest });
      if (reply.frame_type !== "CAP_QUERY_RES") throw new Error(JSON.stringify(reply));
      return reply.payload;
    };
    expect(await ask(0, "cap.test.read.v1", { include_examples: true })).toEqual({
      idx: 0,
      cap_id: "cap.test.read.v1",
      canonical_schema: {
        type: "object",
        properties: { text: { type: "string" }, times: { type: "integer", default: 1 } },
        required: ["text"],
        additionalProperties: false,
      },
      policy_hints: { requires_approval: false, idempotency_required: false },
      examples: [{ args: { text: "hello" } }],
      schema_digest: expect.stringMatching(/^sha256:/),
    });
    expect(await ask(0, "cap.test.read.v1")).toMatchObject({ examples: [] });
    expect((await ask(1, "cap.test.write.v1")).policy_hints).toEqual({
      requires_approval: false,
      idempotency_required: true,
    });
    expect((await ask(3, "cap.test.mail.v1")).policy_hints).toEqual({
      requires_approval: true,
      idempotency_required: true,
    });
  });

  it("refuses what is hidden as it refuses what there is not", async () => {
    const { session } = await rig();
    const hidden = nackOf(
      await session.send("CAP_QUERY_REQ", { idx: 4, cap_id: "cap.test.hidden.v1" }, { frame_id: "f" }),
    );
    const unknown = nackOf(
      await session.send("CAP_QUERY_REQ", { idx: 4, cap_id: "cap.test.nothig.v1" }, { frame_id: "g" }),
    );
    expect(hidden.message.replace("hidden", "nothig")).toBe(unknown.message);
    expect(hidden.error_code).toBe("TRP_1003");
  });
});

describe("identity (TRP v0.1 draft, 5.2 and 11.3)", () => {
  it("auth_context can take capabilities away, and never gives any", async () => {
    const { router } = await rig();
    const insider = principal({ id: "in", roles: ["insider"] });
    const inside = await openSession(router, { who: insider });
    const hidden = { cap_id: "cap.test.hidden.v1", args: { text: "x" } };
    resultOf(await inside.call(hidden));
    expect(nackOf(await inside.call(hidden, { auth_context: { role: "other" } })).error_code).toBe("TRP_1003");
    const outside = await openSession(router);
    for (const auth_context of [
      { role: "insider" },
      { roles: ["insider", "approver"] },
      { principal: "in", tenant: "default", user: "in", can_delete: true, canDelete: true },
    ]) {
      expect(nackOf(await outside.call({ ...hidden, idx: 4 }, { auth_context })).error_code).toBe("TRP_1003");
    }
  });

  it("auth_context does not get round a rule that refuses what has a role", async () => {
    const policy: PolicyEngine = {
      version: "1",
      evaluate: ({ principal: { roles } }) =>
        roles.includes("suspended")
          ? { decision: "deny", rule: "suspended", reason: "suspended" }
          : { decision: "allow", rule: "all", reason: "all" },
    };
    const { router, effects } = await rig({ policy });
    const session = await openSession(router, { who: principal({ id: "s", roles: ["suspended", "editor"] }) });
    for (const auth_context of [null, { role: "editor" }, { roles: [] }]) {
      expect(nackOf(await session.call(write("w", "k"), { auth_context })).error_code).toBe("TRP_4001");
    }
    expect(effects).toEqual([]);
  });

  it("readonly stays, whatever a frame says", async () => {
    const { router, effects } = await rig();
    const session = await openSession(router, { who: principal({ id: "r", roles: ["readonly", "editor"] }) });
    // Not in its catalog, and denied to who knows its number all the same.
    const idx =
      (await (await openSession(router)).sync()).find(({ cap_id }) => cap_id === "cap.test.write.v1")?.idx ?? -1;
    const call = { ...write("w", "k"), idx };
    const reply = nackOf(await session.call(call, { auth_context: { roles: ["editor"] } }));
    expect(reply).toMatchObject({ error_class: "POLICY_DENIED", error_code: "TRP_4001" });
    expect(effects).toEqual([]);
  });

  it.each([[undefined], [null], [{}], [{ id: "ada" }], [{ ...ada, roles: "approver" }], ["ada"]])(
    "without a principal (%j) nobody is served",
    async (who) => {
      const { router, session } = await rig();
      const context = who === undefined ? undefined : { principal: who };
      const reply = await router.handle(session.frame("CALL_REQ", callItem(read("a"))), context as never);
      expect(nackOf(reply)).toMatchObject({ error_class: "POLICY_DENIED", error_code: "TRP_4007" });
      expect(nackOf(await router.handle(helloFrame(), context as never)).error_code).toBe("TRP_4007");
    },
  );
});

describe("approval (TRP v0.1 draft, 11.2 and 16.5)", () => {
  it("is asked for, given by somebody else, and used once", async () => {
    const { router, session, effects } = await rig();
    const item = { ...mail("hello", "k"), call_id: "c" };
    const asked = nackOf(await session.call(item));
    expect(asked).toMatchObject({
      error_class: "APPROVAL_REQUIRED",
      error_code: "TRP_4002",
      retryable: false,
      dispatched: false,
      retry_hint: { action: "REQUEST_APPROVAL" },
    });
    const id = asked.retry_hint.approval_id as string;
    expect((await router.approvals.list(boss)).map((approval) => approval.id)).toEqual([id]);
    await expect(router.approvals.approve(ada, id)).rejects.toMatchObject({ code: "trp/approval-own-request" });
    await router.approvals.approve(boss, id, "fine");
    expect(resultOf(await session.call(item)).status).toBe("SUCCESS");
    expect(nackOf(await session.call(mail("hello", "another key"))).error_code).toBe("TRP_4002");
    expect(nackOf(await session.call(mail("other words", "k"))).error_code).toBe("TRP_4004");
    expect(effects).toEqual(["hello"]);
    expect((await router.audit.verify()).ok).toBe(true);
  });
});

describe("batches (TRP v0.1 draft, 6.2.6)", () => {
  const batch = (calls: object[], rest: object = {}): object => ({ batch_id: "b", max_concurrency: 4, calls, ...rest });
  const items = (reply: Awaited<ReturnType<Router["handle"]>>) => {
    if (reply.frame_type !== "CALL_BATCH_RES") throw new Error(JSON.stringify(reply));
    return reply.payload;
  };

  it("take one seq and one answer; each call ends on its own", async () => {
    const { session, effects } = await rig();
    const reply = await session.send(
      "CALL_BATCH_REQ",
      batch([
        callItem(read("a", "c1"), 0),
        callItem({ ...read("b", "c2"), args: {} }, 0),
        callItem({ ...write("w", "k"), call_id: "c3" }, 1),
        callItem({ ...read("d", "c4"), depends_on: ["c1", "c3"] }, 0),
        callItem({ ...read("e", "c5"), depends_on: ["c2"] }, 0),
        callItem(read("f", "c6"), 9),
      ]),
    );
    const { status, results } = items(reply);
    expect(status).toBe("PARTIAL_SUCCESS");
    expect(results.map((item) => [item.call_id, item.status, item.error_code])).toEqual([
      ["c1", "SUCCESS", undefined],
      ["c2", "FAILED", "TRP_2001"],
      ["c3", "SUCCESS", undefined],
      ["c4", "SUCCESS", undefined],
      ["c5", "FAILED", "TRP_1006"],
      ["c6", "FAILED", "TRP_1003"],
    ]);
    expect([...effects].sort()).toEqual(["a", "d", "w"]);
    expect(session.seq).toBe(3);
    for (const { call_id, status: ended } of results) expect((await session.query(call_id)).status).toBe(ended);
  });

  it("come again in a new frame: what was done is told, and nothing is done twice", async () => {
    const { session, effects } = await rig();
    const payload = batch([callItem(read("a", "c1"), 0), callItem({ ...write("w", "k"), call_id: "c2" }, 1)]);
    const first = items(await session.send("CALL_BATCH_REQ", payload));
    const again = items(await session.send("CALL_BATCH_REQ", payload));
    const stale = items(await session.send("CALL_BATCH_REQ", payload, { seq: 2 }));
    for (const other of [again, stale]) {
      expect(other.results.map(({ result }) => result)).toEqual(first.results.map(({ result }) => result));
    }
    expect([...effects].sort()).toEqual(["a", "w"]);
  });

  it("with one key twice have one effect and two answers", async () => {
    const { session, effects } = await rig();
    const { results } = items(
      await session.send(
        "CALL_BATCH_REQ",
        batch([callItem({ ...write("w", "k"), call_id: "c1" }, 1), callItem({ ...write("w", "k"), call_id: "c2" }, 1)]),
      ),
    );
    expect(results.map(({ status }) => status)).toEqual(["SUCCESS", "SUCCESS"]);
    expect(results.filter(({ replayed_from }) => replayed_from !== undefined)).toHaveLength(1);
    expect(effects).toEqual(["w"]);
  });

  it.each([
    ["a call id twice", [callItem(read("a", "x")), callItem(read("b", "x"))], "TRP_2004"],
    [
      "a cycle",
      [callItem({ ...read("a", "x"), depends_on: ["y"] }), callItem({ ...read("b", "y"), depends_on: ["x"] })],
      "TRP_1005",
    ],
    ["a call that waits for itself", [callItem({ ...read("a", "x"), depends_on: ["x"] })], "TRP_1005"],
  ])("with %s are refused as a whole, with the seq taken", async (_what, calls, code) => {
    const { session, effects } = await rig();
    expect(nackOf(await session.send("CALL_BATCH_REQ", batch(calls)))).toMatchObject({
      error_code: code,
      retry_hint: { expected_seq: 3 },
    });
    expect(effects).toEqual([]);
    resultOf(await session.call(read("c")));
  });

  it("leave a call alone whose id belongs to another", async () => {
    const { session, effects } = await rig();
    const first = resultOf(await session.call(read("a", "x")));
    const { results } = items(
      await session.send("CALL_BATCH_REQ", batch([callItem(read("other", "x")), callItem(read("b", "y"))])),
    );
    expect(results.map((item) => item.error_code)).toEqual(["TRP_1007", undefined]);
    expect((await session.query("x")).result).toEqual(first);
    expect(effects).toEqual(["a", "b"]);
  });

  it("above the limit are refused before anything", async () => {
    const { session } = await rig({ limits: { batchCalls: 2 } });
    const reply = await session.send("CALL_BATCH_REQ", batch([1, 2, 3].map((at) => callItem(read("a", `c${at}`)))));
    expect(nackOf(reply)).toMatchObject({ error_code: "TRP_2004", retry_hint: { expected_seq: 2 } });
  });
});

describe("depends_on (TRP v0.1 draft, 6.2.1)", () => {
  it("goes by finished calls of the session", async () => {
    const { session, open } = await rig();
    resultOf(await session.call(read("a", "done")));
    nackOf(await session.call({ ...read("a", "refused"), args: {} }));
    const running = session.call({ cap_id: "cap.test.wait.v1", args: { text: "w" }, call_id: "running" });
    const after = async (...depends_on: string[]): Promise<string> => {
      const reply = await session.call({ ...read("b"), depends_on });
      return reply.frame_type === "NACK" ? reply.payload.error_code : reply.frame_type;
    };
    expect(await after("done")).toBe("RESULT");
    expect(await after("running")).toBe("TRP_1005");
    expect(await after("unknown")).toBe("TRP_1005");
    expect(await after("done", "refused")).toBe("TRP_1006");
    open();
    resultOf(await running);
    expect(await after("running", "done")).toBe("RESULT");
  });
});

describe("handle is total", () => {
  it("answers whatever comes with one frame", async () => {
    const { router } = await rig();
    await fc.assert(
      fc.asyncProperty(fc.anything(), async (input) => {
        expect(nackOf(await router.handle(input, { principal: ada }))).toMatchObject({ dispatched: false });
      }),
    );
  });

  it("answers spoiled frames of a session", async () => {
    const { router, session } = await rig();
    const field = fc.constantFrom(
      "session_id",
      "frame_id",
      "seq",
      "catalog_epoch",
      "payload",
      "auth_context",
      "trace_id",
    );
    await fc.assert(
      fc.asyncProperty(field, fc.jsonValue(), async (name, value) => {
        const frame = session.frame("CALL_REQ", callItem(read("a")), { seq: session.seq });
        const reply = await router.handle({ ...frame, [name]: value }, { principal: ada });
        if (reply.frame_type === "RESULT") session.seq++;
        else expect(["NACK", "RESULT"]).toContain(reply.frame_type);
        if (reply.frame_type === "NACK" && reply.payload.retry_hint.expected_seq !== undefined) {
          session.seq = reply.payload.retry_hint.expected_seq;
        }
      }),
    );
  });

  it.each(["admit", "read", "answer"] as const)(
    "when the store fails at %s: retryable, nothing executed",
    async (at) => {
      const store = new MemoryStore();
      const book = ledger();
      const router = createRouter({ store, capabilities: book.capabilities, allowVolatile: true });
      const session = await openSession(router);
      Object.assign(store.sessions, { [at]: () => Promise.reject(new Error("disk full, password hunter2")) });
      const reply = await session.send("CAP_QUERY_REQ", { idx: 0, cap_id: "cap.test.read.v1" });
      expect(JSON.stringify(reply)).not.toContain("hunter2");
      if (at !== "read")
        expect(nackOf(reply)).toMatchObject({ error_code: "TRP_5003", retryable: true, dispatched: false });
    },
  );
});

describe("the router's life", () => {
  it("is ready until it closes; then frames are refused and those that run are waited for", async () => {
    const { router, session, open, effects } = await rig();
    expect(await router.ready()).toBeUndefined();
    const running = session.call({ cap_id: "cap.test.wait.v1", args: { text: "a" } });
    await new Promise((resolve) => setTimeout(resolve, 5));
    let isClosed = false;
    const closed = router.close().then(() => {
      isClosed = true;
    });
    expect(await router.ready()).toBe("the router is closing");
    expect(nackOf(await session.call(read("b")))).toMatchObject({
      error_class: "TRANSIENT",
      error_code: "TRP_5003",
      retryable: true,
      retry_hint: { expected_seq: 3 },
    });
    expect(isClosed).toBe(false);
    open();
    resultOf(await running);
    await closed;
    await router.close();
    expect(effects).toEqual(["a"]);
    // The store is the host's to close.
    await router.store.ping();
  });

  it("stops what is not done after the time of grace", async () => {
    let signal: AbortSignal | undefined;
    const hang = defineCapability({
      capId: "cap.test.hang.v1",
      name: "hang",
      description: "Hangs.",
      riskTier: "LOW",
      ioClass: "READ",
      effect: "pure",
      args: {},
      execute: (_args, context) => {
        signal = context.signal;
        return new Promise(() => {});
      },
    });
    const router = createRouter({ capabilities: [hang] });
    const session = await openSession(router);
    const running = session.call({ cap_id: "cap.test.hang.v1" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(signal?.aborted).toBe(false);
    await router.close({ graceMs: 5 });
    expect(signal?.aborted).toBe(true);
    expect(nackOf(await running)).toMatchObject({ dispatched: true });
  });

  it("is not ready when its store is not", async () => {
    const store = new MemoryStore();
    const router = createRouter({ store });
    await store.close();
    expect(await router.ready()).toBe("the store does not answer");
    expect(nackOf(await router.handle(helloFrame(), { principal: ada })).error_code).toBe("TRP_5003");
  });

  it("refuses effects on a store that forgets, unless told", async () => {
    const book = ledger();
    const router = createRouter({ capabilities: book.capabilities });
    const session = await openSession(router);
    resultOf(await session.call(read("a")));
    expect(nackOf(await session.call(write("w", "k")))).toMatchObject({ error_code: "TRP_4001", dispatched: false });
    expect(book.effects).toEqual(["a"]);
  });

  it("takes over what another router left, once at a time", async () => {
    let now = 1_000_000;
    const store = new MemoryStore({ now: () => now });
    const capability = (execute: NonNullable<AnyCapability["execute"]>): AnyCapability => ({
      capId: "cap.test.again.v1",
      name: "again",
      description: "May run again.",
      riskTier: "MEDIUM",
      ioClass: "WRITE",
      effect: "idempotent",
      args: {},
      execute,
    });
    const dead = createRouter({
      store,
      allowVolatile: true,
      capabilities: [capability(() => new Promise(() => {}))],
      times: { leaseMs: 1_000, recoverEveryMs: 0 },
    });
    const session = await openSession(dead);
    void session.call({ cap_id: "cap.test.again.v1", idempotency_key: "k", call_id: "c" });
    await new Promise((resolve) => setTimeout(resolve, 5));
    now += 1_001;
    let runs = 0;
    const router = createRouter({ store, allowVolatile: true, capabilities: [capability(() => ++runs)] });
    const reports = await Promise.all([router.recover(), router.recover()]);
    expect(reports[0]).toMatchObject({ rerun: 1, inDoubt: 0 });
    expect(runs).toBe(1);
    const after = await openSession(router, { resume: session.id });
    expect(await after.query("c")).toMatchObject({ status: "SUCCESS", result: { call_id: "c", result: { data: 1 } } });
  });
});

describe("events and audit (TRP v0.1 draft, 14)", () => {
  it("tell of every call, also of one that no capability was found for", async () => {
    const { router, session } = await rig();
    const events: RouterEvent[] = [];
    const end = router.subscribe((event) => events.push(event));
    await session.sync();
    resultOf(await session.call(read("a", "c1")));
    nackOf(await session.call({ ...read("b", "c2"), idx: 9 }));
    end();
    resultOf(await session.call(read("c", "c3")));
    expect(events.map(({ type }) => type)).toEqual([
      "catalog.synced",
      "frame.answered",
      "call.accepted",
      "call.executed",
      "call.succeeded",
      "frame.answered",
      "call.failed",
      "call.retry_suggested",
      "frame.answered",
    ]);
    expect(events.filter(({ type }) => type === "frame.answered")).toMatchObject([
      { frame: "CATALOG_SYNC_REQ", answer: "CATALOG_SYNC_RES" },
      { frame: "CALL_REQ", answer: "RESULT" },
      { frame: "CALL_REQ", answer: "NACK", code: "TRP_1003" },
    ]);
    expect(events.find(({ type }) => type === "call.failed")).toMatchObject({ dispatched: false, code: "TRP_1003" });
    const rows = await router.audit.read();
    expect(rows.map(({ entry }) => [entry.call_id, entry.result_status, entry.error_code])).toEqual([
      ["c1", "SUCCESS", null],
      ["c2", "REFUSED", "TRP_1003"],
      ["c3", "SUCCESS", null],
    ]);
    expect(await router.audit.verify()).toMatchObject({ ok: true, rows: 3, head: rows[2]?.hash });
  });

  it("verify a log of many pages, and one whose oldest rows are gone from memory", async () => {
    const { router, session } = await rig({ store: new MemoryStore({ keepAuditRows: 1_100 }) });
    for (let at = 0; at < 2_500; at++) await session.call(read("a"));
    const report = await router.audit.verify();
    expect(report.ok).toBe(true);
    expect(report.rows).toBeGreaterThanOrEqual(1_100);
    expect(report.head).toBe((await router.audit.read({ after: 2_499 }))[0]?.hash);
  });

  it("find what was changed", async () => {
    const store = new MemoryStore();
    const { router, session } = await rig({ store });
    for (let at = 0; at < 3; at++) await session.call(read("a"));
    const rows = structuredClone(await store.audit.read());
    (rows[1] as (typeof rows)[number]).entry.cap_id = "cap.test.other.v1";
    store.audit.read = async () => rows;
    expect(await router.audit.verify()).toMatchObject({ ok: false, brokenAt: 2 });
  });
});

describe("options", () => {
  it.each<[string, unknown, RegExp]>([
    ["nothing", null, /object/],
    ["limits", { limits: { callsInFlight: 0 } }, /limits\.callsInFlight/],
    ["limits", { limits: { callsWaiting: 0.5 } }, /limits\.callsWaiting/],
    ["limits", { limits: { depth: "deep" } }, /limits\.depth/],
    ["times", { times: { leaseMs: 0 } }, /times\.leaseMs/],
    ["times", { times: { recoverEveryMs: -1 } }, /times\.recoverEveryMs/],
    ["capabilities", { capabilities: {} }, /capabilities/],
    ["secrets", { approvalSecrets: [""] }, /approvalSecrets/],
    ["secrets", { approvalSecrets: "secret" }, /approvalSecrets/],
    ["the downstream secret", { downstreamSecret: "" }, /downstreamSecret/],
    ["the budget", { maxResultTokens: 0 }, /maxResultTokens/],
    ["the id", { routerId: "" }, /routerId/],
    ["the policy", { policy: { evaluate: 1 } }, /policy/],
    ["mayDecide", { mayDecide: true }, /mayDecide/],
    ["a capability", { capabilities: [{}] }, /capId/],
  ])("%s that can't be throws at once", (_what, options, message) => {
    expect(() => createRouter(options as RouterOptions)).toThrow(TypeError);
    expect(() => createRouter(options as RouterOptions)).toThrow(message);
  });

  it("have defaults, which undefined does not hide", () => {
    const { limits } = createRouter({ limits: { depth: undefined } as never });
    expect(limits).toEqual({
      frameBytes: 4 * 1024 * 1024,
      depth: 64,
      batchCalls: 64,
      callsInFlight: 256,
      callsWaiting: 1_024,
      outboxRows: 1_000_000,
    });
  });
});
