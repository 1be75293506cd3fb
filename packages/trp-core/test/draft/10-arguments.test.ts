import { afterEach, describe, expect, it } from "vitest";
import { mail, mailId, noteId, opener, queryId, searchId } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

const read = (init: Record<string, unknown>) => ({
  capId: "cap.test.read.v1",
  name: "read",
  description: "Reads",
  riskTier: "LOW" as const,
  ioClass: "READ" as const,
  effect: "pure" as const,
  args: {},
  execute: (args: unknown) => args,
  ...init,
});

describe("draft 10.1: canonical arguments", () => {
  it("10.1 two tools behind one set of names: each gets its own", async () => {
    const seen: unknown[] = [];
    const args = { query: "string", "top_k?": "integer = 5" };
    const a = read({
      args,
      adapt: ({ query, top_k }: { query: string; top_k: number }) => ({ q: query, limit: top_k }),
      execute: (native: unknown) => seen.push(native),
    });
    const b = read({
      capId: "cap.test.other.v1",
      name: "other",
      args,
      adapt: ({ query, top_k }: { query: string; top_k: number }) => ({ keyword: query, page_size: top_k }),
      execute: (native: unknown) => seen.push(native),
    });
    const { call } = await open({ more: [a, b] });
    await call(a.capId, { query: "x", top_k: 7 }, { idx: 5 });
    await call(b.capId, { query: "x" }, { idx: 6 });
    expect(seen).toEqual([
      { q: "x", limit: 7 },
      { keyword: "x", page_size: 5 },
    ]);
  });

  it("10.1 the tool's own names are unknown arguments", async () => {
    const { call, done } = await open();
    expect((await call(searchId, { query: "a", limit: 3 })).payload).toMatchObject({
      error_class: "SCHEMA_MISMATCH",
      error_code: "TRP_2001",
      message: expect.stringContaining("limit"),
    });
    expect(done).toEqual([]);
  });

  it("10.1 arguments reach the tool without sharing the frame's objects", async () => {
    const first = read({
      args: { list: "integer[]" },
      execute: (args: { list: number[] }) => {
        args.list.push(99);
        return args.list.length;
      },
    });
    const { frame, raw } = await open({ more: [first] });
    const sent = frame("CALL_REQ", {
      call_id: "c",
      idx: 5,
      cap_id: first.capId,
      timeout_ms: 1000,
      args: { list: [1] },
    });
    const before = JSON.stringify(sent);
    expect((await raw(sent)).frame_type).toBe("RESULT");
    // The frame is taken by reference and not changed.
    expect(JSON.stringify(sent)).toBe(before);
  });
});

describe("draft 10.2: digests", () => {
  it("10.2 every capability in the catalog has a schema_digest of its own", async () => {
    const { sync } = await open();
    const digests = (await sync()).payload.alias_table.map(
      ({ schema_digest }: { schema_digest: string }) => schema_digest,
    );
    expect(new Set(digests).size).toBe(digests.length);
    for (const digest of digests) expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
  });

  it("10.2 CALL_REQ may carry schema_digest: the right one, or none", async () => {
    const { sync, call } = await open();
    const [row] = (await sync()).payload.alias_table;
    for (const schema_digest of [row.schema_digest, null, undefined])
      expect((await call(searchId, { query: "a" }, { schema_digest })).frame_type).toBe("RESULT");
  });

  it("10.2 one that is out of date: NACK SCHEMA_MISMATCH and a CAP_QUERY hint", async () => {
    const { call, done } = await open();
    expect((await call(searchId, { query: "a" }, { schema_digest: `sha256:${"0".repeat(64)}` })).payload).toMatchObject(
      {
        error_class: "SCHEMA_MISMATCH",
        error_code: "TRP_2007",
        retryable: false,
        dispatched: false,
        retry_hint: { action: "CAP_QUERY" },
      },
    );
    expect(done).toEqual([]);
  });

  it.each([
    ["schema", { args: { "a?": "string", "b?": "string" } }],
    ["risk", { riskTier: "HIGH" }],
    ["effect", { effect: "idempotent" }],
    ["adapter version", { adapterVersion: "2" }],
  ])("10.2 the digest changes with the %s", async (_, change) => {
    const digestOf = async (init: Record<string, unknown>) => {
      const { send } = await open({ more: [read({ args: { "a?": "string" }, ...init })] });
      return (await send("CAP_QUERY_REQ", { idx: 5, cap_id: "cap.test.read.v1" })).payload.schema_digest;
    };
    const plain = await digestOf({});
    expect(plain).toMatch(/^sha256:/);
    expect(await digestOf({})).toBe(plain);
    expect(await digestOf({ execute: () => 2 })).toBe(plain);
    expect(await digestOf(change)).not.toBe(plain);
  });
});

describe("draft 10.3: three layers of checks", () => {
  it.each([
    ["missing", { to: "a@example.com", subject: "x" }, "body"],
    ["of another type", { ...mail, subject: 5 }, "subject"],
    ["too long", { ...mail, subject: "x".repeat(201) }, "subject"],
    ["of another format", { ...mail, to: "nobody" }, "to"],
    ["unknown", { ...mail, cc: "b@example.com" }, "cc"],
  ])("10.3 structure: an argument that is %s", async (_, args, name) => {
    const { call, done } = await open();
    expect((await call(mailId, args as never, { idempotency_key: "k" })).payload).toMatchObject({
      error_class: "SCHEMA_MISMATCH",
      error_code: "TRP_2001",
      message: expect.stringContaining(name),
      retryable: false,
    });
    expect(done).toEqual([]);
  });

  it("10.3 semantics: a capability's own rule", async () => {
    const { call, done } = await open();
    expect((await call(queryId, { sql: "select 1", limit: 201 }, { idempotency_key: "k" })).payload).toMatchObject({
      error_class: "SCHEMA_MISMATCH",
      error_code: "TRP_2001",
      message: expect.stringContaining("limit must not be above 200"),
    });
    expect((await call(queryId, { sql: "select 1", limit: 200 }, { idempotency_key: "k2" })).frame_type).toBe("RESULT");
    expect(done).toEqual([["query", { sql: "select 1", limit: 200 }]]);
  });

  it("10.3 safety: keys of the object prototype", async () => {
    const any = read({ args: { data: "object" } });
    const { call } = await open({ more: [any] });
    const args = JSON.parse('{"data": {"__proto__": {"admin": true}}}');
    const reply = await call(any.capId, args, { idx: 5 });
    expect(reply.payload).toMatchObject({ error_code: "TRP_2001", dispatched: false });
    expect(({} as Record<string, unknown>).admin).toBeUndefined();
  });

  it("10.3 safety: arguments that are nested too deep or too big", async () => {
    const any = read({ args: { data: "any" } });
    const { call } = await open({ more: [any] });
    let deep: unknown = 1;
    for (let n = 0; n < 60; n++) deep = [deep];
    const reply = await call(any.capId, { data: deep as never }, { idx: 5 });
    expect(reply.payload.error_class).toBe("SCHEMA_MISMATCH");
    const big = await call(any.capId, { data: "x".repeat(3_000_000) }, { idx: 5 });
    expect(big.payload.error_class).toBe("SCHEMA_MISMATCH");
  });

  it("10.3 what fails is not recorded under its key", async () => {
    const { call, done } = await open();
    expect((await call(noteId, { wrong: 1 }, { idempotency_key: "k" })).payload.error_code).toBe("TRP_2001");
    expect((await call(noteId, { text: "a" }, { idempotency_key: "k" })).frame_type).toBe("RESULT");
    expect(done).toHaveLength(1);
  });
});
