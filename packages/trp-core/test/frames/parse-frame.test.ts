import fc from "fast-check";
import { expect, it } from "vitest";
import { parseFrame } from "../../src/frames/parse-frame.ts";
import { emptyHead } from "../../src/frames/replies.ts";
import { changed, limits, type RequestType, requestTypes, sampleHead, samples } from "./samples.ts";

function refused(input: unknown, some: Partial<typeof limits & { frameBytes: number }> = {}) {
  const parsed = parseFrame(input, { ...limits, ...some });
  if ("frame" in parsed) throw new Error(`taken: ${JSON.stringify(parsed.frame)}`);
  return parsed;
}

function taken(input: unknown) {
  const parsed = parseFrame(input, limits);
  if ("fault" in parsed) throw new Error(`refused: ${parsed.fault.code} ${parsed.fault.message}`);
  return parsed.frame;
}

it.each(requestTypes)("takes the %s of the draft as it stands", (type) => {
  expect(taken(samples[type])).toMatchObject(samples[type]);
});

it("fills in what was left out", () => {
  const { args, call_id, idx, cap_id, timeout_ms } = samples.CALL_REQ.payload;
  const call = { args, call_id, idx, cap_id, timeout_ms };
  const defaults = { idempotency_key: null, depends_on: [], attempt: 1, approval_token: null, schema_digest: null };
  expect(taken({ ...samples.CALL_REQ, payload: call }).payload).toEqual({
    ...call,
    ...defaults,
    execution_mode: "SYNC",
  });
  expect(
    taken({ ...samples.CALL_BATCH_REQ, payload: { batch_id: "b", max_concurrency: 1, calls: [call] } }).payload,
  ).toEqual({
    batch_id: "b",
    mode: "PARALLEL",
    max_concurrency: 1,
    on_error: "continue",
    calls: [{ ...call, ...defaults }],
  });
  expect(taken({ ...samples.CATALOG_SYNC_REQ, payload: {} }).payload).toEqual({ mode: "FULL", known_epoch: null });
  expect(taken(changed("CAP_QUERY_REQ", ["payload", "include_examples"], undefined)).payload).toMatchObject({
    include_examples: false,
  });
  expect(taken({ ...samples.RESULT_QUERY_REQ, payload: { call_id: "c" } }).payload).toEqual({
    call_id: "c",
    after_event_id: null,
    include_partials: true,
  });
  expect(taken(changed("HELLO_REQ", ["payload", "resume_session_id"], undefined)).payload).toMatchObject({
    resume_session_id: null,
    features: null,
  });
});

it("takes the reserved fields of 5.2, compression and signature only as null", () => {
  const reserved = { auth_context: { role: "ops" }, sdk_version: "1.2.3", compression: null, signature: null };
  for (const type of requestTypes) {
    expect(taken({ ...samples[type], ...reserved })).toMatchObject(reserved);
    expect(taken({ ...samples[type], auth_context: null, sdk_version: null })).toMatchObject({ auth_context: null });
  }
  expect(refused({ ...samples.CALL_REQ, compression: "gzip" }).fault).toMatchObject({
    code: "TRP_2000",
    message: 'compression: expected null: compression is not in use, got "gzip"',
  });
  expect(refused({ ...samples.HELLO_REQ, signature: "x" }).fault.code).toBe("TRP_2000");
  expect(refused({ ...samples.CALL_REQ, auth_context: [] }).fault.message).toMatch(
    /^auth_context: expected object or null/,
  );
});

it.each<[string, unknown]>([
  ["another version", "0.2"],
  ["no version at all in a text", ""],
  ["an endless version", "9".repeat(1_000)],
])("answers %s with TRP_1001 and what it speaks, before it looks at anything else", (_name, version) => {
  const { fault, head } = refused({ frame_id: "frm_1", trp_version: version, frame_type: 7, payload: null });
  expect(fault).toMatchObject({ code: "TRP_1001", errorClass: "SCHEMA_MISMATCH", retryable: false });
  expect(fault.retryHint.supported_versions).toEqual(["0.1"]);
  expect(fault.message).toContain('supported: "0.1"');
  expect(fault.message.length).toBeLessThan(160);
  expect(head.frameId).toBe("frm_1");
});

it("answers a hello for other versions only with TRP_1001", () => {
  const hello = changed("HELLO_REQ", ["payload", "supported_versions"], ["0.2", "1.0"]);
  expect(refused(hello).fault).toMatchObject({ code: "TRP_1001" });
  expect(refused(hello).fault.message).toContain("0.2, 1.0");
  taken(changed("HELLO_REQ", ["payload", "supported_versions"], ["0.2", "0.1"]));
});

it.each(["CALL_TREE_REQ", "RESULT", "NACK", "HELLO_RES", "", "call_req", "toString", "__proto__"])(
  "answers the frame type %o with TRP_5000 and what it takes",
  (type) => {
    const { fault } = refused({ ...samples.CALL_REQ, frame_type: type });
    expect(fault).toMatchObject({ code: "TRP_5000", errorClass: "SCHEMA_MISMATCH" });
    for (const known of requestTypes) expect(fault.message).toContain(known);
  },
);

it("guesses the frame type that was meant", () => {
  expect(refused({ ...samples.CALL_REQ, frame_type: "CALL_RQE" }).fault.message).toContain("did you mean CALL_REQ?");
});

// Path, value, code, what the message says after the path.
const faults: [RequestType, (string | number)[], unknown, string, string][] = [
  ["CALL_REQ", ["trp_version"], undefined, "TRP_2000", 'expected "0.1", got nothing'],
  ["CALL_REQ", ["trp_version"], 0.1, "TRP_2000", 'expected "0.1", got 0.1'],
  ["CALL_REQ", ["frame_type"], undefined, "TRP_2000", "expected a frame type, got nothing"],
  ["CALL_REQ", ["frame_id"], undefined, "TRP_2000", "is missing"],
  ["CALL_REQ", ["frame_id"], "", "TRP_2000", "expected string of 1 to 256 characters"],
  ["CALL_REQ", ["frame_id"], "x".repeat(257), "TRP_2000", "expected string of 1 to 256 characters"],
  ["CALL_REQ", ["frame_id"], "a\u0000b", "TRP_2000", "expected string of 1 to 256 characters"],
  ["CALL_REQ", ["frame_id"], "a\ud800", "TRP_2000", "expected string of 1 to 256 characters"],
  ["CALL_REQ", ["trace_id"], 7, "TRP_2000", "expected string of 1 to 256 characters"],
  ["CALL_REQ", ["timestamp_ms"], "now", "TRP_2000", 'expected integer ≥ 0, got "now"'],
  ["CALL_REQ", ["timestamp_ms"], 1.5, "TRP_2000", "expected integer ≥ 0, got 1.5"],
  ["CALL_REQ", ["session_id"], null, "TRP_2000", "expected string of 1 to 256 characters"],
  ["CALL_REQ", ["catalog_epoch"], null, "TRP_2000", "expected integer ≥ 0, got null"],
  ["CALL_REQ", ["seq"], null, "TRP_2000", "expected integer ≥ 1, got null"],
  ["CALL_REQ", ["seq"], 0, "TRP_2000", "expected integer ≥ 1, got 0"],
  ["CALL_REQ", ["seq"], 2 ** 53, "TRP_2000", "expected integer ≥ 1, got 9007199254740992"],
  ["CALL_REQ", ["extra"], 1, "TRP_2000", "CALL_REQ has no such field"],
  ["HELLO_REQ", ["session_id"], "sess_1", "TRP_2000", "expected null in HELLO_REQ"],
  ["HELLO_REQ", ["catalog_epoch"], 1, "TRP_2000", "expected null in HELLO_REQ"],
  ["HELLO_REQ", ["seq"], 1, "TRP_2000", "expected null in HELLO_REQ"],
  ["HELLO_REQ", ["payload", "agent_id"], undefined, "TRP_2000", "is missing"],
  ["HELLO_REQ", ["payload", "supported_versions"], [], "TRP_2000", "expected list of 1 to 32 version names"],
  ["HELLO_REQ", ["payload", "supported_versions", 0], 1, "TRP_2000", "expected string"],
  ["HELLO_REQ", ["payload", "features"], "ASYNC", "TRP_2000", "expected list of at most 64 feature names, or null"],
  ["HELLO_REQ", ["payload", "resume_session_id"], 5, "TRP_2000", "expected string of 1 to 256 characters"],
  ["CATALOG_SYNC_REQ", ["payload"], [], "TRP_2000", "expected an object, got an array"],
  ["CATALOG_SYNC_REQ", ["payload"], undefined, "TRP_2000", "expected an object, got nothing"],
  ["CATALOG_SYNC_REQ", ["payload", "mode"], "full", "TRP_2000", 'expected "FULL" or "DELTA", got "full"'],
  ["CATALOG_SYNC_REQ", ["payload", "known_epoch"], -1, "TRP_2000", "expected integer ≥ 0 or null, got -1"],
  ["CAP_QUERY_REQ", ["payload", "idx"], -1, "TRP_2000", "expected integer ≥ 0, got -1"],
  ["CAP_QUERY_REQ", ["payload", "include_examples"], "yes", "TRP_2000", 'expected true or false, got "yes"'],
  ["CALL_REQ", ["payload", "call_id"], undefined, "TRP_2000", "is missing"],
  ["CALL_REQ", ["payload", "idempotency_key"], "", "TRP_2000", "expected string of 1 to 256 characters"],
  ["CALL_REQ", ["payload", "idx"], 1.5, "TRP_2000", "expected integer ≥ 0, got 1.5"],
  ["CALL_REQ", ["payload", "cap_id"], null, "TRP_2000", "expected string of 1 to 256 characters"],
  ["CALL_REQ", ["payload", "attempt"], 0, "TRP_2000", "expected integer ≥ 1, got 0"],
  [
    "CALL_REQ",
    ["payload", "approval_token"],
    "x".repeat(8_193),
    "TRP_2000",
    "expected string of at most 8192 characters",
  ],
  ["CALL_REQ", ["payload", "args"], null, "TRP_2000", "expected object, got null"],
  ["CALL_REQ", ["payload", "args"], [], "TRP_2000", "expected object, got a list of 0"],
  ["CALL_REQ", ["payload", "args"], undefined, "TRP_2000", "is missing"],
  ["CALL_REQ", ["payload", "execution_mode"], "LATER", "TRP_2000", 'expected "SYNC" or "ASYNC", got "LATER"'],
  ["CALL_REQ", ["payload", "timeout"], 5, "TRP_2000", "CALL_REQ has no such field"],
  ["CALL_REQ", ["payload", "timeout_ms"], undefined, "TRP_2000", "is missing"],
  ["CALL_REQ", ["payload", "timeout_ms"], "x", "TRP_2002", 'expected integer from 1 to 2147483647, got "x"'],
  ["CALL_REQ", ["payload", "timeout_ms"], 0, "TRP_2002", "expected integer from 1 to 2147483647, got 0"],
  ["CALL_REQ", ["payload", "timeout_ms"], 1.5, "TRP_2002", "got 1.5"],
  ["CALL_REQ", ["payload", "timeout_ms"], 2 ** 31, "TRP_2002", "got 2147483648"],
  ["CALL_REQ", ["payload", "timeout_ms"], null, "TRP_2002", "got null"],
  ["CALL_REQ", ["payload", "depends_on"], "call_1", "TRP_2003", 'expected list of at most 256 call ids, got "call_1"'],
  ["CALL_REQ", ["payload", "depends_on"], [1], "TRP_2003", "[0]: expected string of 1 to 256 characters"],
  ["CALL_REQ", ["payload", "depends_on"], null, "TRP_2003", "got null"],
  ["CALL_BATCH_REQ", ["payload", "batch_id"], undefined, "TRP_2004", "is missing"],
  ["CALL_BATCH_REQ", ["payload", "mode"], "BOTH", "TRP_2004", 'expected "PARALLEL" or "SEQUENTIAL", got "BOTH"'],
  ["CALL_BATCH_REQ", ["payload", "max_concurrency"], undefined, "TRP_2004", "is missing"],
  ["CALL_BATCH_REQ", ["payload", "max_concurrency"], 0, "TRP_2004", "expected integer ≥ 1, got 0"],
  ["CALL_BATCH_REQ", ["payload", "on_error"], "ignore", "TRP_2004", 'expected "continue" or "stop", got "ignore"'],
  ["CALL_BATCH_REQ", ["payload", "calls"], undefined, "TRP_2004", "is missing"],
  ["CALL_BATCH_REQ", ["payload", "calls"], {}, "TRP_2004", "expected list of calls, got an object"],
  ["CALL_BATCH_REQ", ["payload", "calls"], [], "TRP_2004", "expected list of at least one call, got a list of 0"],
  ["CALL_BATCH_REQ", ["payload", "calls", 1], "x", "TRP_2004", 'expected object, got "x"'],
  ["CALL_BATCH_REQ", ["payload", "calls", 1, "cap_id"], undefined, "TRP_2004", "is missing"],
  ["CALL_BATCH_REQ", ["payload", "calls", 1, "timeout_ms"], -5, "TRP_2002", "got -5"],
  [
    "CALL_BATCH_REQ",
    ["payload", "calls", 1, "depends_on"],
    [7],
    "TRP_2003",
    "[0]: expected string of 1 to 256 characters",
  ],
  ["CALL_BATCH_REQ", ["payload", "calls", 0, "execution_mode"], "SYNC", "TRP_2000", "CALL_BATCH_REQ has no such field"],
  ["RESULT_QUERY_REQ", ["payload", "call_id"], undefined, "TRP_2005", "is missing"],
  ["RESULT_QUERY_REQ", ["payload", "call_id"], 3, "TRP_2005", "expected string of 1 to 256 characters"],
  ["RESULT_QUERY_REQ", ["payload", "after_event_id"], -1, "TRP_2006", "expected integer ≥ 0 or null, got -1"],
  ["RESULT_QUERY_REQ", ["payload", "include_partials"], 1, "TRP_2006", "expected true or false, got 1"],
  ["RESULT_QUERY_REQ", ["payload", "wait"], 1, "TRP_2000", "RESULT_QUERY_REQ has no such field"],
];

it.each(faults)("%s with %j = %j is %s: %s", (type, path, value, code, text) => {
  const { fault, head } = refused(changed(type, path, value));
  expect(fault).toMatchObject({ code, errorClass: "SCHEMA_MISMATCH", retryable: false, dispatched: false });
  expect(fault.message).toContain(text);
  expect(fault.message).toMatch(new RegExp(`^${String(path[0])}`));
  if (path[0] !== "trace_id") expect(head.traceId).toBe(sampleHead.traceId);
});

it("names the place as one writes it in code", () => {
  expect(refused(changed("CALL_BATCH_REQ", ["payload", "calls", 1, "timeout_ms"], 0)).fault.message).toMatch(
    /^payload\.calls\[1\]\.timeout_ms: /,
  );
});

it("guesses the field that was meant, and only one that the place has", () => {
  const of = (type: RequestType, path: (string | number)[]) => refused(changed(type, path, 1)).fault.message;
  expect(of("CALL_REQ", ["payload", "timeoutMs"])).toContain("did you mean timeout_ms?");
  expect(of("CALL_BATCH_REQ", ["payload", "calls", 0, "depend_on"])).toContain("did you mean depends_on?");
  expect(of("CALL_REQ", ["sesion_id"])).toContain("did you mean session_id?");
  expect(of("RESULT_QUERY_REQ", ["payload", "timeout_m"])).not.toContain("did you mean");
});

it("refuses more calls than the router takes with TRP_2004, before it reads them", () => {
  const calls = Array.from({ length: 65 }, () => "anything");
  const { fault } = refused(changed("CALL_BATCH_REQ", ["payload", "calls"], calls));
  expect(fault).toMatchObject({ code: "TRP_2004", message: "payload.calls: expected at most 64 calls, got 65" });
});

it("reads of a bad frame's head what can be read", () => {
  expect(refused(changed("CALL_REQ", ["payload", "timeout_ms"], 0)).head).toEqual({
    ...sampleHead,
    callId: "call_00012",
  });
  expect(refused({ frame_id: "frm_1", seq: -3, trace_id: 7, session_id: "", catalog_epoch: "1" }).head).toEqual({
    ...emptyHead,
    frameId: "frm_1",
    seq: -3,
  });
  expect(refused(changed("RESULT_QUERY_REQ", ["payload", "x"], 1)).head.callId).toBe("call_00012");
  for (const nothing of [null, undefined, 1, "x", true, [], [samples.CALL_REQ], () => 1, Symbol("x"), 1n]) {
    expect(refused(nothing)).toMatchObject({ head: emptyHead, fault: { code: "TRP_2000" } });
  }
});

it("counts depth from the frame itself", () => {
  const nested = (levels: number): unknown => (levels === 0 ? "end" : { in: nested(levels - 1) });
  taken(changed("CALL_REQ", ["payload", "args"], nested(62)));
  const { fault, head } = refused(changed("CALL_REQ", ["payload", "args"], nested(63)));
  expect(fault).toMatchObject({ code: "TRP_2000", message: expect.stringContaining("nested deeper than 64 levels") });
  expect(head.callId).toBe("call_00012");
});

it("refuses frames that are larger than allowed, and never smaller ones", () => {
  const exact = JSON.stringify(samples.CALL_REQ).length;
  const { fault, head } = refused(changed("CALL_REQ", ["payload", "args", "body"], "x".repeat(5_000)), {
    frameBytes: 5_000,
  });
  expect(fault).toMatchObject({ code: "TRP_2008", message: "the frame is larger than 5000 bytes" });
  expect(head.frameId).toBe(sampleHead.frameId);
  expect(parseFrame(samples.CALL_REQ, { ...limits, frameBytes: exact })).toHaveProperty("frame");
  const digits = changed(
    "CALL_REQ",
    ["payload", "args", "list"],
    Array.from({ length: 1_000 }, () => 1),
  );
  expect(parseFrame(digits, { ...limits, frameBytes: JSON.stringify(digits).length })).toHaveProperty("frame");
});

it("never repeats a key or a token, nor much of anything else", () => {
  const secret = "sk-very-secret-indeed";
  for (const field of ["approval_token", "idempotency_key"]) {
    const { message } = refused(changed("CALL_REQ", ["payload", field], `${secret}\u0001${"x".repeat(9_000)}`)).fault;
    expect(message).not.toContain(secret);
  }
  for (const path of [["payload", "x".repeat(3_000)], ["frame_type"], ["payload", "args"], ["seq"]]) {
    const { message } = refused(changed("CALL_REQ", path, "y".repeat(3_000))).fault;
    expect(message.length).toBeLessThan(300);
  }
});

it("takes args as JSON has them, whatever their keys are called", () => {
  const args = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"toJSON":"x","":[null,true,-0.5,"\\u0000"]}');
  const { payload } = taken(changed("CALL_REQ", ["payload", "args"], args)) as { payload: { args: object } };
  expect(Object.keys(payload.args)).toEqual(["__proto__", "constructor", "toJSON", ""]);
  expect(JSON.stringify(payload.args)).toBe(JSON.stringify(args));
  expect(Object.getPrototypeOf(payload.args)).toBe(Object.prototype);
  expect(({} as { admin?: boolean }).admin).toBeUndefined();
  expect(refused(JSON.parse('{"__proto__":{"trp_version":"0.1"}}')).head).toEqual(emptyHead);
  const hidden = JSON.parse(`{"__proto__":1,${JSON.stringify(samples.CALL_REQ).slice(1)}`);
  expect(refused(hidden).fault.message).toMatch(/^__proto__: CALL_REQ has no such field/);
});

it("keeps nothing of the input: what happens to it later changes nothing", () => {
  const input = structuredClone(samples.CALL_REQ) as { payload: { args: { to: string }; depends_on: string[] } };
  const frame = taken(input) as unknown as typeof input;
  input.payload.args.to = "mallory@example.com";
  input.payload.depends_on.push("call_1");
  expect(frame.payload.args.to).toBe("a@example.com");
  expect(frame.payload.depends_on).toEqual([]);
});

it("reads a getter once, and survives those that throw", () => {
  let reads = 0;
  const sly = { ...samples.CALL_REQ, payload: { ...samples.CALL_REQ.payload } };
  Object.defineProperty(sly.payload, "args", { enumerable: true, get: () => ({ read: ++reads }) });
  expect(taken(sly)).toMatchObject({ payload: { args: { read: 1 } } });
  const broken = { ...samples.CALL_REQ };
  Object.defineProperty(broken, "seq", {
    enumerable: true,
    get: () => {
      throw new Error("at /srv/router/secret.ts:1");
    },
  });
  const { fault, head } = refused(broken);
  expect(JSON.stringify(fault)).not.toContain("secret");
  expect(head).toMatchObject({ frameId: sampleHead.frameId, seq: null });
});

it.each<[string, () => unknown]>([
  ["a Date", () => new Date()],
  ["a Map", () => new Map()],
  ["a class's instance", () => new (class Thing {})()],
  ["bytes", () => Uint8Array.of(1)],
  ["a function", () => () => 1],
  ["a symbol", () => Symbol("x")],
  ["a bigint", () => 1n],
  ["NaN", () => Number.NaN],
  ["Infinity", () => Number.POSITIVE_INFINITY],
  ["a hole in a list", () => new Array(2)],
  ["a promise", () => Promise.resolve(1)],
])("refuses %s in args as no JSON, and says where", (_name, make) => {
  const frame = { ...samples.CALL_REQ, payload: { ...samples.CALL_REQ.payload, args: { deep: [make()] } } };
  expect(refused(frame).fault).toMatchObject({
    code: "TRP_2000",
    message: expect.stringMatching(/^payload\.args\.deep\[0\](\[0\])?: expected JSON, got /),
  });
});

it("leaves out members that are undefined, as JSON does", () => {
  const frame = {
    ...samples.CALL_REQ,
    auth_context: undefined,
    payload: { ...samples.CALL_REQ.payload, attempt: undefined },
  };
  expect(taken(frame)).not.toHaveProperty("auth_context");
  expect(taken(frame).payload).toHaveProperty("attempt", 1);
});

it("ends with circles, with proxies, and with what is reached exponentially often", () => {
  const circle: Record<string, unknown> = {};
  circle.self = circle;
  let shared: object = {};
  for (let level = 0; level < 58; level++) shared = { left: shared, right: shared };
  const endless: object = new Proxy(
    {},
    {
      ownKeys: () => ["a"],
      getOwnPropertyDescriptor: () => ({ enumerable: true, configurable: true }),
      get: () => endless,
    },
  );
  const throwing = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("no");
      },
    },
  );
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const args of [circle, shared, endless, throwing, revoked, { length: 2 ** 32 }, new Array(2 ** 32 - 1)]) {
    const parsed = parseFrame({ ...samples.CALL_REQ, payload: { ...samples.CALL_REQ.payload, args } }, limits);
    expect("frame" in parsed ? "taken" : parsed.fault.code).toMatch(/^(taken|TRP_2000|TRP_2008)$/);
  }
  for (const input of [endless, throwing, revoked]) expect(refused(input).fault.code).toBe("TRP_2000");
});

it("gives a frame, or a fault and a whole head, for anything at all", () => {
  const envelope = fc.record(
    Object.fromEntries(Object.keys(samples.CALL_REQ).map((key) => [key, fc.anything({ withBigInt: true })])),
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(fc.oneof(fc.anything({ withNullPrototype: true, withObjectString: true }), envelope), (input) => {
      const { fault, head } = refused(input);
      expect(fault.code).toMatch(/^TRP_(1001|200[0-8]|5000)$/);
      expect(Object.keys(head)).toEqual(Object.keys(emptyHead));
    }),
    { numRuns: 2_000, seed: 5 },
  );
});
