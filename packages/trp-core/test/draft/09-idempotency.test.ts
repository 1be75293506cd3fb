import { ToolError } from "@toolglot/core";
import { afterEach, describe, expect, it } from "vitest";
import { CapabilityError, issueApprovalToken } from "../../src/index.ts";
import { agent, boss, gate, mail, mailId, noteId, opener, queryId, searchId, secret, start } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

const day = 24 * 60 * 60 * 1000;
const write = (execute: () => unknown, more = {}) => ({
  capId: "cap.test.write.v1",
  name: "write",
  description: "Writes",
  riskTier: "MEDIUM" as const,
  ioClass: "WRITE" as const,
  effect: "opaque" as const,
  args: {},
  execute,
  ...more,
});

describe("draft 9.1: where a key is needed", () => {
  it("9.1 io_class WRITE", async () => {
    const low = write(() => 1, { riskTier: "LOW" });
    const { call } = await open({ more: [low] });
    expect((await call(low.capId, {}, { idx: 5 })).payload).toMatchObject({
      error_class: "NON_IDEMPOTENT_BLOCKED",
      error_code: "TRP_4003",
      retryable: false,
    });
    expect((await call(low.capId, {}, { idx: 5, idempotency_key: "k" })).frame_type).toBe("RESULT");
  });

  it("9.1 risk_tier MEDIUM, HIGH and CRITICAL, reads too", async () => {
    const more = (["HIGH", "CRITICAL"] as const).map((riskTier) =>
      write(() => 1, {
        capId: `cap.test.${riskTier.toLowerCase()}.v1`,
        name: riskTier.toLowerCase(),
        riskTier,
        ioClass: "READ",
        effect: "pure",
      }),
    );
    const { call } = await open({ more });
    expect((await call(queryId, { sql: "x" })).payload.error_code).toBe("TRP_4003");
    expect((await call("cap.test.high.v1", {}, { idx: 5 })).payload.error_code).toBe("TRP_4003");
    // A CRITICAL one may be denied before that; it never runs.
    expect((await call("cap.test.critical.v1", {}, { idx: 6 })).payload.error_code).toMatch(/^TRP_400[13]$/);
  });

  it("9.1 LOW reads need none", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" })).frame_type).toBe("RESULT");
  });

  it("9.1 an empty key is none", async () => {
    const { call, done } = await open();
    expect((await call(noteId, { text: "a" }, { idempotency_key: "" })).frame_type).toBe("NACK");
    expect(done).toEqual([]);
  });
});

describe("draft 9.2: the same key again", () => {
  it("9.2 the first call succeeded: its RESULT, and nothing runs", async () => {
    const { call, done } = await open();
    const first = await call(noteId, { text: "a" }, { call_id: "c1", idempotency_key: "k" });
    const again = await call(noteId, { text: "a" }, { call_id: "c2", idempotency_key: "k" });
    expect(again.payload).toMatchObject({ call_id: "c2", status: "SUCCESS", replayed_from: "c1" });
    expect(again.payload.result).toEqual(first.payload.result);
    expect(done).toHaveLength(1);
  });

  it("9.2 the first call still runs: ACK status=IN_PROGRESS", async () => {
    const waiting = gate({ riskTier: "MEDIUM", ioClass: "WRITE", effect: "opaque" });
    const { call } = await open({ more: [waiting] });
    const first = call(waiting.capId, {}, { idx: 5, idempotency_key: "k" });
    await waiting.entered();
    expect(await call(waiting.capId, {}, { idx: 5, call_id: "c2", idempotency_key: "k" })).toMatchObject({
      frame_type: "ACK",
      payload: { ack_of_call_id: "c2", status: "IN_PROGRESS" },
    });
    waiting.open();
    expect((await first).payload.result.data).toEqual({ count: 1 });
  });

  it("9.2 the first call failed for good: the same failure, and nothing runs", async () => {
    let runs = 0;
    const { call } = await open({
      more: [
        write(() => {
          runs++;
          throw new ToolError("the mailbox is full");
        }),
      ],
    });
    for (const _ of [1, 2])
      expect((await call("cap.test.write.v1", {}, { idx: 5, idempotency_key: "k" })).payload).toMatchObject({
        error_class: "EXECUTOR_ERROR",
        message: expect.stringContaining("the mailbox is full"),
        retryable: false,
        dispatched: true,
      });
    expect(runs).toBe(1);
  });

  it("9.2 the first call failed and may be tried again: it runs again", async () => {
    let runs = 0;
    const { call } = await open({
      more: [
        write(() => {
          if (++runs === 1) throw new CapabilityError("the service was down", { outcome: "not-applied" });
          return runs;
        }),
      ],
    });
    expect((await call("cap.test.write.v1", {}, { idx: 5, idempotency_key: "k" })).payload).toMatchObject({
      error_class: "TRANSIENT",
      retryable: true,
    });
    expect((await call("cap.test.write.v1", {}, { idx: 5, idempotency_key: "k" })).payload.result.data).toBe(2);
  });

  it("9.2 nobody knows what the first call did: UNKNOWN, and it is never run again by itself", async () => {
    let runs = 0;
    const { call, router, advance } = await open({
      times: { sessionTtlMs: 100 * day },
      more: [
        write(() => {
          runs++;
          throw new Error("connection reset");
        }),
      ],
    });
    for (const _ of [1, 2, 3]) {
      expect(await call("cap.test.write.v1", {}, { idx: 5, idempotency_key: "k" })).toMatchObject({
        frame_type: "RESULT",
        payload: {
          status: "UNKNOWN",
          result: null,
          error: { error_code: "TRP_3004", retryable: false, dispatched: true },
        },
      });
      advance(10 * day);
    }
    expect(runs).toBe(1);
    const [operation] = await router.operations.inDoubt(boss);
    if (!operation) throw new Error("nothing is in doubt");
    await router.operations.resolve(boss, operation, { state: "done", value: { sent: true } });
    expect((await call("cap.test.write.v1", {}, { idx: 5, idempotency_key: "k" })).payload.result.data).toEqual({
      sent: true,
    });
    expect(runs).toBe(1);
  });

  it("9.2 other args under the key are a conflict", async () => {
    const { call, done } = await open();
    await call(noteId, { text: "a" }, { idempotency_key: "k" });
    expect((await call(noteId, { text: "b" }, { idempotency_key: "k" })).payload).toMatchObject({
      error_class: "NON_IDEMPOTENT_BLOCKED",
      error_code: "TRP_4004",
      retryable: false,
      dispatched: false,
    });
    expect(done).toHaveLength(1);
  });

  it("9.2 the key of another principal, tenant or capability is another key", async () => {
    const first = await open();
    await first.call(noteId, { text: "a" }, { idempotency_key: "k" });
    const colleague = await first.open({ ...agent, id: "agent-2" });
    const stranger = await first.open({ ...agent, tenant: "elsewhere" });
    for (const session of [colleague, stranger])
      expect((await session.call(noteId, { text: "b" }, { idempotency_key: "k" })).payload).not.toHaveProperty(
        "replayed_from",
      );
    expect((await first.call(queryId, { sql: "x" }, { idempotency_key: "k" })).payload).not.toHaveProperty(
      "replayed_from",
    );
    expect(first.done).toHaveLength(4);
  });

  it("9.2 200 concurrent duplicates are one effect and one outcome", async () => {
    let runs = 0;
    const { frame, raw, session, call } = await open({
      more: [
        write(async () => {
          const run = ++runs;
          await new Promise((resolve) => setTimeout(resolve, 5));
          return { run };
        }),
      ],
    });
    const replies = await Promise.all(
      Array.from({ length: 200 }, (_, n) =>
        raw(
          frame(
            "CALL_REQ",
            { call_id: `c${n}`, idempotency_key: "k", idx: 5, cap_id: "cap.test.write.v1", timeout_ms: 5000, args: {} },
            { seq: session.seq + n },
          ),
        ),
      ),
    );
    expect(runs).toBe(1);
    for (const { frame_type, payload } of replies) {
      if (frame_type === "ACK") expect(payload.status).toBe("IN_PROGRESS");
      else expect(payload).toMatchObject({ status: "SUCCESS", result: { data: { run: 1 } } });
    }
    session.seq += 200;
    expect((await call("cap.test.write.v1", {}, { idx: 5, idempotency_key: "k" })).payload.result.data).toEqual({
      run: 1,
    });
    expect(runs).toBe(1);
  });
});

describe("draft 9.3: the window", () => {
  it("9.3 a key is remembered for 24 h from its final state", async () => {
    const { call, advance, done } = await open({ times: { sessionTtlMs: 100 * day } });
    await call(noteId, { text: "a" }, { call_id: "c", idempotency_key: "k" });
    advance(day - 1000);
    expect((await call(noteId, { text: "a" }, { idempotency_key: "k" })).payload.replayed_from).toBe("c");
    expect(done).toHaveLength(1);
  });

  it("9.3 after it the key is refused, not executed", async () => {
    const { call, advance, done } = await open({ times: { sessionTtlMs: 100 * day } });
    await call(noteId, { text: "a" }, { idempotency_key: "k" });
    advance(day + 1);
    expect((await call(noteId, { text: "a" }, { idempotency_key: "k" })).payload).toMatchObject({
      error_class: "NON_IDEMPOTENT_BLOCKED",
      error_code: "TRP_4005",
      retryable: false,
    });
    expect(done).toHaveLength(1);
  });

  it("9.3 the window can be set", async () => {
    const { call, advance } = await open({ times: { keyTtlMs: 1000 } });
    await call(noteId, { text: "a" }, { idempotency_key: "k" });
    advance(1001);
    expect((await call(noteId, { text: "a" }, { idempotency_key: "k" })).payload.error_code).toBe("TRP_4005");
  });

  it("9.3 an approval that takes long does not use the window up", async () => {
    const { call, advance, done } = await open({ times: { sessionTtlMs: 100 * day } });
    await call(mailId, mail, { idempotency_key: "k" });
    advance(2 * day);
    const token = issueApprovalToken({ secret, capId: mailId, args: mail, ttlMs: 60_000, now: start + 2 * day });
    expect((await call(mailId, mail, { idempotency_key: "k", approval_token: token })).frame_type).toBe("RESULT");
    expect(done).toHaveLength(1);
  });
});
