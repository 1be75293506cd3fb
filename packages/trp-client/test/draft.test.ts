import {
  type AnyCapability,
  createPolicy,
  createRouter,
  issueApprovalToken,
  MemoryStore,
  principal,
  type Router,
} from "@toolglot/trp-core";
import type { RequestFrame, ResponseFrame } from "@toolglot/trp-core/frames";
import { afterEach, describe, expect, it } from "vitest";
import { type ClientOptions, createClient, type TrpClient } from "../src/index.ts";

// The TRP v0.1 draft, 15: what an agent's SDK must do and must not do. A router in process, and between it and the client
// a wire on which the tests listen and interfere.

const searchId = "cap.search.web.v1";
const noteId = "cap.note.add.v1";
const mailId = "cap.mail.send.v2";
const deleteId = "cap.record.delete.v1";

type Hook = (frame: RequestFrame, pass: () => Promise<ResponseFrame>) => Promise<unknown> | unknown;

interface Wire {
  client: TrpClient;
  router: Router;
  /** Everything the client sent. */
  frames: RequestFrame[];
  done: string[];
  /** Answers in place of the router, or lets frames pass. */
  intercept(hook: Hook): void;
}

const wires: Wire[] = [];
afterEach(async () => {
  for (const { client, router } of wires.splice(0)) {
    await client.close();
    await router.close({ graceMs: 0 });
  }
});

function capability(done: string[], init: Partial<AnyCapability> & { capId: string }): AnyCapability {
  return {
    name: init.capId.split(".").slice(1, 3).join("_"),
    description: "Does it",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: { "text?": "string" },
    execute: () => {
      done.push(init.capId);
      return { done: done.length };
    },
    ...init,
  };
}

function wire(options: Partial<ClientOptions> = {}): Wire {
  const done: string[] = [];
  const router = createRouter({
    store: new MemoryStore(),
    allowVolatile: true,
    approvalSecrets: ["s3cret"],
    times: { recoverEveryMs: 0, pruneEveryMs: 0 },
    // By the arguments: what is always denied would not be in the catalog.
    policy: createPolicy({
      version: "1",
      rules: [
        {
          id: "no-codes",
          decision: "deny",
          which: { capIds: [noteId] },
          args: [{ at: "/text", matches: ["*code 4711*"] }],
          reason: "codes are not written down",
        },
      ],
    }),
    capabilities: [
      capability(done, { capId: searchId }),
      capability(done, { capId: noteId, riskTier: "MEDIUM", ioClass: "WRITE", effect: "idempotent" }),
      capability(done, { capId: mailId, riskTier: "HIGH", ioClass: "WRITE", effect: "opaque" }),
      capability(done, { capId: deleteId, riskTier: "CRITICAL", ioClass: "WRITE", effect: "opaque" }),
    ],
  });
  const frames: RequestFrame[] = [];
  let hook: Hook | undefined;
  const client = createClient({
    agentId: "draft",
    retry: { baseMs: 1, capMs: 4 },
    transport: {
      async send(frame) {
        frames.push(structuredClone(frame));
        const pass = () => router.handle(frame, { principal: principal({ id: "agent-1" }) });
        return hook ? hook(frame, pass) : pass();
      },
      close: () => {},
    },
    ...options,
  });
  const opened: Wire = {
    client,
    router,
    frames,
    done,
    intercept: (next) => {
      hook = next;
    },
  };
  wires.push(opened);
  return opened;
}

/** The NACK of a router to this frame. */
function nack(frame: RequestFrame, errorClass: string, code: string, retryable: boolean, hint = {}): unknown {
  return {
    ...frame,
    frame_type: "NACK",
    frame_id: `res_${frame.frame_id}`,
    payload: {
      nack_of_frame_id: frame.frame_id,
      nack_of_call_id: null,
      error_class: errorClass,
      error_code: code,
      message: "interfered",
      fix: "Try again.",
      retryable,
      retry_hint: hint,
      dispatched: false,
    },
  };
}

const calls = (frames: RequestFrame[]) =>
  frames.flatMap((frame) => (frame.frame_type === "CALL_REQ" ? [{ ...frame, ...frame.payload }] : []));

describe("draft 15.1: what the SDK must do", () => {
  it("15.1.1 keeps seq: it rises by one from seq_start on, over all frames", async () => {
    const { client, frames } = wire();
    await client.syncCatalog();
    for (let n = 0; n < 3; n++) await client.callByCap(searchId);
    await client.capQuery(searchId);
    await client.batch([{ capId: searchId }, { capId: searchId }]);
    await client.result("nobody");
    const numbers = frames.filter(({ frame_type }) => frame_type !== "HELLO_REQ").map(({ seq }) => seq);
    expect(numbers).toEqual(numbers.map((_, n) => n + 1));
    expect(frames[0]).toMatchObject({ frame_type: "HELLO_REQ", seq: null, session_id: null, catalog_epoch: null });
  });

  it("15.1.1 keeps seq when calls are made side by side: each frame has its own, none is left out", async () => {
    const { client, frames, done } = wire();
    await client.syncCatalog();
    const results = await Promise.all(Array.from({ length: 30 }, () => client.callByCap(searchId)));
    expect(results.every(({ status }) => status === "success")).toBe(true);
    const numbers = calls(frames).map(({ seq }) => Number(seq));
    expect(new Set(numbers)).toEqual(new Set(Array.from({ length: 30 }, (_, n) => n + 2)));
    expect(done).toHaveLength(30);
  });

  it("15.1.2 sends the catalog_epoch with every frame, the newest it knows", async () => {
    const { client, frames, router } = wire();
    const before = await client.syncCatalog();
    await client.callByCap(searchId);
    router.registry.register(capability([], { capId: "cap.test.more.v1" }));
    const after = await client.syncCatalog();
    await client.callByCap(searchId);
    expect(after.epoch).toBeGreaterThan(before.epoch);
    expect(calls(frames).map(({ catalog_epoch }) => catalog_epoch)).toEqual([before.epoch, after.epoch]);
  });

  it("15.1.3 CATALOG_MISMATCH: syncs and sends the call again", async () => {
    const { client, frames, done, intercept } = wire();
    await client.syncCatalog();
    let refused = 0;
    intercept((frame, pass) =>
      frame.frame_type === "CALL_REQ" && refused++ === 0
        ? pass().then(() =>
            nack(frame, "CATALOG_MISMATCH", "TRP_1003", true, {
              action: "SYNC_CATALOG",
              expected_seq: Number(frame.seq) + 1,
            }),
          )
        : pass(),
    );
    const result = await client.call({ capId: noteId, args: { text: "a" }, key: "k" });
    expect(result.status).toBe("success");
    expect(frames.map(({ frame_type }) => frame_type)).toEqual([
      "HELLO_REQ",
      "CATALOG_SYNC_REQ",
      "CALL_REQ",
      "CATALOG_SYNC_REQ",
      "CALL_REQ",
    ]);
    expect(calls(frames).map(({ cap_id }) => cap_id)).toEqual([noteId, noteId]);
    expect(done).toEqual([noteId]);
  });

  it("15.1.3 CATALOG_MISMATCH of a capability that is gone is told", async () => {
    const { client, router, done } = wire();
    await client.syncCatalog();
    router.registry.unregister(noteId);
    const result = await client.call({ capId: noteId, args: { text: "a" }, key: "k" });
    expect(result).toMatchObject({ status: "refused", error: { errorClass: "CATALOG_MISMATCH" } });
    expect(done).toEqual([]);
  });

  it("15.1.4 ORDER_VIOLATION: sends again with expected_seq, and goes on from there", async () => {
    const { client, router, frames, done } = wire({ features: [] });
    const { sessionId, catalogEpoch } = await client.hello();
    await client.syncCatalog();
    // Somebody else used two numbers of the session.
    for (const seq of [2, 3])
      await router.handle(
        {
          ...frames[0],
          frame_type: "RESULT_QUERY_REQ",
          session_id: sessionId,
          catalog_epoch: catalogEpoch,
          seq,
          frame_id: `x${seq}`,
          payload: { call_id: "x" },
        },
        { principal: principal({ id: "agent-1" }) },
      );
    expect((await client.callByCap(searchId)).status).toBe("success");
    expect((await client.callByCap(searchId)).status).toBe("success");
    const numbers = calls(frames).map(({ seq }) => seq);
    expect(numbers[0]).toBe(2);
    expect(numbers.slice(-2)).toEqual([4, 5]);
    expect(done).toHaveLength(2);
  });

  it("15.1.5 TRANSIENT: tries again by itself, attempt by attempt, with the same call_id and key", async () => {
    const { client, frames, done, intercept } = wire();
    await client.syncCatalog();
    let failures = 2;
    intercept((frame, pass) =>
      frame.frame_type === "CALL_REQ" && failures-- > 0
        ? nack(frame, "TRANSIENT", "TRP_5003", true, { expected_seq: Number(frame.seq) })
        : pass(),
    );
    const result = await client.call({ capId: noteId, args: { text: "a" }, key: "k" });
    expect(result).toMatchObject({ status: "success", attempts: 3 });
    const sent = calls(frames);
    expect(sent.map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    expect(new Set(sent.map(({ call_id }) => call_id)).size).toBe(1);
    expect(new Set(sent.map(({ idempotency_key }) => idempotency_key))).toEqual(new Set(["k"]));
    expect(new Set(sent.map(({ frame_id }) => frame_id)).size).toBe(3);
    expect(done).toEqual([noteId]);
  });

  it("15.1.5 TRANSIENT: the pauses grow, and are never shorter than backoff_ms", async () => {
    const waits: number[] = [];
    const { client, intercept } = wire({
      retry: { baseMs: 4, capMs: 1000, maxRetries: 3 },
      onEvent: (event) => {
        if (event.type === "retry") waits.push(event.waitMs);
      },
    });
    await client.syncCatalog();
    const hints = [{}, {}, { backoff_ms: 60 }];
    intercept((frame, pass) => {
      const hint = frame.frame_type === "CALL_REQ" ? hints.shift() : undefined;
      return hint ? nack(frame, "TRANSIENT", "TRP_5003", true, { expected_seq: Number(frame.seq), ...hint }) : pass();
    });
    expect((await client.callByCap(searchId)).status).toBe("success");
    expect(waits).toHaveLength(3);
    // base · 2^(attempt - 1), and up to base of jitter.
    expect(waits[0]).toBeGreaterThanOrEqual(4);
    expect(waits[0]).toBeLessThanOrEqual(8);
    expect(waits[1]).toBeGreaterThanOrEqual(8);
    expect(waits[1]).toBeLessThanOrEqual(12);
    expect(waits[2]).toBeGreaterThanOrEqual(60);
  });

  it("15.1.5 TRANSIENT: gives up when the budget is spent, and says why", async () => {
    const { client, frames, intercept } = wire({ retry: { baseMs: 1, capMs: 2, maxRetries: 2 } });
    await client.syncCatalog();
    intercept((frame, pass) =>
      frame.frame_type === "CALL_REQ"
        ? nack(frame, "TRANSIENT", "TRP_5003", true, { expected_seq: Number(frame.seq) })
        : pass(),
    );
    expect(await client.callByCap(searchId)).toMatchObject({
      status: "refused",
      attempts: 3,
      error: { code: "TRP_5003" },
    });
    expect(calls(frames)).toHaveLength(3);
  });

  it("15.1.5 nothing but TRANSIENT, ORDER_VIOLATION and CATALOG_MISMATCH is tried again", async () => {
    for (const [errorClass, code] of [
      ["SCHEMA_MISMATCH", "TRP_2001"],
      ["POLICY_DENIED", "TRP_4001"],
      ["APPROVAL_REQUIRED", "TRP_4002"],
      ["NON_IDEMPOTENT_BLOCKED", "TRP_4004"],
      ["EXECUTOR_ERROR", "TRP_3002"],
      ["INTERNAL_ERROR", "TRP_5001"],
    ] as const) {
      const { client, frames, intercept } = wire();
      await client.syncCatalog();
      intercept((frame, pass) =>
        frame.frame_type === "CALL_REQ"
          ? pass().then(() => nack(frame, errorClass, code, false, { expected_seq: Number(frame.seq) + 1 }))
          : pass(),
      );
      const { error } = await client.callByCap(searchId);
      expect(error).toMatchObject({ errorClass, code });
      expect(calls(frames), errorClass).toHaveLength(1);
    }
  });

  it("15.1.5 an opaque effect is not doubled: what may have happened is not sent again", async () => {
    const { client, done, frames, intercept } = wire({ keys: "explicit" });
    await client.syncCatalog();
    let lost = true;
    intercept(async (frame, pass) => {
      if (frame.frame_type !== "CALL_REQ" || !lost) return pass();
      lost = false;
      await pass();
      throw new Error("connection reset");
    });
    // The answer got lost: with its key the call may be sent again, and the router runs it once.
    const result = await client.call({ capId: noteId, args: { text: "a" }, key: "k" });
    expect(result).toMatchObject({ status: "success" });
    expect(calls(frames).length).toBeGreaterThan(1);
    expect(done).toEqual([noteId]);
  });

  it("15.1.6 a call that needs a key and has none is refused before it is sent", async () => {
    const { client, frames } = wire({ keys: "explicit" });
    await client.syncCatalog();
    const sent = frames.length;
    for (const capId of [noteId, mailId])
      await expect(client.callByCap(capId, { text: "a" })).rejects.toMatchObject({
        code: "trp-client/key-required",
        data: { outcome: "not-sent" },
      });
    await expect(client.batch([{ capId: searchId }, { capId: noteId }])).rejects.toMatchObject({
      code: "trp-client/key-required",
    });
    expect(frames).toHaveLength(sent);
    expect((await client.callByCap(searchId)).status).toBe("success");
  });

  it("15.1.6 by default it makes a key of its own, one per call, the same for all attempts", async () => {
    const { client, frames, intercept } = wire();
    await client.syncCatalog();
    let failures = 1;
    intercept((frame, pass) =>
      frame.frame_type === "CALL_REQ" && failures-- > 0
        ? nack(frame, "TRANSIENT", "TRP_5003", true, { expected_seq: Number(frame.seq) })
        : pass(),
    );
    await client.callByCap(noteId, { text: "a" });
    await client.callByCap(noteId, { text: "a" });
    const keys = calls(frames).map(({ idempotency_key }) => idempotency_key);
    expect(keys).toHaveLength(3);
    expect(keys[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(keys[1]).toBe(keys[0]);
    expect(keys[2]).not.toBe(keys[0]);
  });
});

describe("draft 17.1: what a router is asked", () => {
  it("17.1 hello, sync_catalog, call and batch, as the SDK has them", async () => {
    const { client, frames } = wire();
    expect((await client.hello()).features).toContain("CALL_BATCH");
    expect((await client.catalog()).rows.map(({ cap_id }) => cap_id)).toContain(searchId);
    expect(await client.callByCap(searchId, {})).toMatchObject({ status: "success" });
    const { results } = await client.batch([{ capId: searchId, args: {} }]);
    expect(results).toMatchObject([{ status: "success" }]);
    expect(frames.map(({ frame_type: type }) => type)).toEqual([
      ...["HELLO_REQ", "CATALOG_SYNC_REQ", "CALL_REQ", "CALL_BATCH_REQ"],
    ]);
  });
});

describe("draft 15.2: what the SDK must not do", () => {
  it("15.2.1 change cap_id: a number that stands for another capability is refused, not followed", async () => {
    const { client, done } = wire();
    await client.syncCatalog();
    const result = await client.call({ idx: 1, capId: searchId, args: { text: "a" } });
    expect(result.capId).toBe(searchId);
    if (result.status === "success") expect(done).toEqual([searchId]);
    else expect(result.error?.errorClass).toBe("CATALOG_MISMATCH");
    expect(done).not.toContain(noteId);
  });

  it("15.2.1 change cap_id: what became riskier under its name is not called by itself", async () => {
    const { client, router, done } = wire();
    await client.syncCatalog();
    router.registry.unregister(searchId);
    router.registry.register(
      capability(done, { capId: searchId, riskTier: "MEDIUM", ioClass: "WRITE", effect: "idempotent" }),
    );
    expect(await client.callByCap(searchId, { text: "a" })).toMatchObject({ status: "refused", dispatched: false });
    expect(done).toEqual([]);
  });

  it("15.2.2 swallow POLICY_DENIED", async () => {
    const { client, done, frames } = wire();
    const result = await client.callByCap(noteId, { text: "the code 4711" }, { key: "k" });
    expect(result).toMatchObject({
      status: "refused",
      dispatched: false,
      error: {
        errorClass: "POLICY_DENIED",
        code: "TRP_4001",
        message: expect.stringMatching(/codes are not written down/),
        fix: expect.stringMatching(/\S/),
      },
    });
    expect(calls(frames)).toHaveLength(1);
    expect(done).toEqual([]);
  });

  it("15.2.2 swallow APPROVAL_REQUIRED: the approval is named, and the same call goes through with a token", async () => {
    const { client, done } = wire();
    const args = { text: "a" };
    const refused = await client.callByCap(mailId, args, { key: "k" });
    expect(refused).toMatchObject({
      status: "refused",
      error: {
        errorClass: "APPROVAL_REQUIRED",
        code: "TRP_4002",
        retryHint: { approval_id: expect.stringMatching(/\S/) },
      },
    });
    expect(done).toEqual([]);
    const approvalToken = issueApprovalToken({ secret: "s3cret", capId: mailId, args, ttlMs: 60_000 });
    expect((await client.callByCap(mailId, args, { key: "k", approvalToken })).status).toBe("success");
    expect(done).toEqual([mailId]);
  });

  it("15.2.3 go round the router: everything it does is a frame", async () => {
    const { client, frames, done } = wire();
    await client.callByCap(searchId);
    await client.batch([{ capId: searchId }, { capId: noteId, key: "k" }]);
    expect(done).toHaveLength(3);
    expect(frames.map(({ frame_type }) => frame_type)).toEqual([
      "HELLO_REQ",
      "CATALOG_SYNC_REQ",
      "CALL_REQ",
      "CALL_BATCH_REQ",
    ]);
  });
});
