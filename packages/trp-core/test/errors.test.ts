import { readFileSync } from "node:fs";
import { ToolError, ToolglotError } from "@toolglot/core";
import { expect, it } from "vitest";
import { CapabilityError } from "../src/catalog/capability-error.ts";
import { errorCodes, isTrpCode } from "../src/frames/codes.ts";
import { fault, faultPayload, isFault } from "../src/frames/fault.ts";
import type { TrpCode } from "../src/frames/results.ts";

const codes = Object.keys(errorCodes) as TrpCode[];

// The classes that the router's rules give the codes, written down a second time.
const classes = {
  SCHEMA_MISMATCH: "1001 2000 2001 2002 2003 2004 2005 2006 2007 2008 5000",
  ORDER_VIOLATION: "1002 1004 1005 1006 1007",
  CATALOG_MISMATCH: "1003",
  INTERNAL_ERROR: "1008 5001",
  TRANSIENT: "3001 3003 4006 5003",
  EXECUTOR_ERROR: "3002 3004 3005",
  POLICY_DENIED: "4001 4007 4008",
  APPROVAL_REQUIRED: "4002",
  NON_IDEMPOTENT_BLOCKED: "4003 4004 4005",
};

it("gives every code its class", () => {
  const expected = Object.entries(classes).flatMap(([errorClass, list]) =>
    list.split(" ").map((code) => [`TRP_${code}`, errorClass]),
  );
  const table = codes.map((code) => [code, errorCodes[code].errorClass]);
  expect(Object.fromEntries(table)).toEqual(Object.fromEntries(expected));
});

it("lets retry what may be retried, and nothing of the classes that the draft excludes (8.2)", () => {
  const retryable = codes.filter((code) => errorCodes[code].retryable);
  expect(retryable).toEqual(["TRP_1002", "TRP_1003", "TRP_1005", "TRP_3001", "TRP_3003", "TRP_4006", "TRP_5003"]);
  const never = ["SCHEMA_MISMATCH", "POLICY_DENIED", "APPROVAL_REQUIRED", "NON_IDEMPOTENT_BLOCKED"];
  expect(retryable.filter((code) => never.includes(errorCodes[code].errorClass))).toEqual([]);
});

it("hints at a wait wherever a retry is allowed, and at an action where one is needed (8.3)", () => {
  for (const code of codes.filter((each) => errorCodes[each].retryable)) {
    expect(errorCodes[code].retryHint.backoff_ms, code).toBeGreaterThan(0);
    expect(errorCodes[code].retryHint.jitter_ms, code).toBeGreaterThan(0);
  }
  expect(errorCodes.TRP_1003.retryHint.action).toBe("SYNC_CATALOG");
  expect(errorCodes.TRP_2007.retryHint.action).toBe("CAP_QUERY");
  expect(errorCodes.TRP_4002.retryHint.action).toBe("REQUEST_APPROVAL");
});

it("says cause and cure of every code in one sentence each, under a name of its own", () => {
  const names = codes.map((code) => errorCodes[code].name);
  expect(new Set(names).size).toBe(codes.length);
  for (const code of codes) {
    const { name, cause, cure } = errorCodes[code];
    expect(name, code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    for (const line of [cause, cure]) {
      expect(line, code).toMatch(/^[A-Za-z].*\.$/);
      expect(line.length, code).toBeLessThanOrEqual(160);
    }
  }
});

it("makes a fault of a code alone", () => {
  expect(fault("TRP_4003")).toEqual({
    code: "TRP_4003",
    errorClass: "NON_IDEMPOTENT_BLOCKED",
    message: errorCodes.TRP_4003.cause,
    fix: errorCodes.TRP_4003.cure,
    retryable: false,
    retryHint: {},
    dispatched: false,
  });
});

it("lets a fault say it differently, and adds to the code's hint", () => {
  const made = fault("TRP_3002", "the API is down", {
    errorClass: "TRANSIENT",
    retryable: true,
    dispatched: true,
    fix: "Try later.",
    retryHint: { backoff_ms: 5 },
  });
  expect(made).toMatchObject({ errorClass: "TRANSIENT", retryable: true, dispatched: true, fix: "Try later." });
  expect(fault("TRP_1003", "x", { retryHint: { max_attempts: 2 } }).retryHint).toEqual({
    ...errorCodes.TRP_1003.retryHint,
    max_attempts: 2,
  });
});

it("gives every fault a hint of its own to write into", () => {
  const first = fault("TRP_1002");
  first.retryHint.expected_seq = 7;
  faultPayload(first).retry_hint.backoff_ms = 1;
  expect(fault("TRP_1002").retryHint).toEqual(errorCodes.TRP_1002.retryHint);
  expect(first.retryHint.backoff_ms).toBe(errorCodes.TRP_1002.retryHint.backoff_ms);
});

it("refuses a code that isn't one", () => {
  expect(() => fault("TRP_9999" as never)).toThrow(TypeError);
  expect(() => fault("toString" as never)).toThrow(TypeError);
  expect(isTrpCode("TRP_5001")).toBe(true);
  for (const wrong of ["TRP_5002", "toString", "", null, 1002]) expect(isTrpCode(wrong)).toBe(false);
});

it("knows a fault from what functions return otherwise", () => {
  for (const code of codes) expect(isFault(fault(code))).toBe(true);
  const others = [
    null,
    undefined,
    "TRP_2000",
    {},
    [],
    { code: "TRP_2000" },
    { ...fault("TRP_2000"), code: "toString" },
  ];
  for (const value of [...others, new Error("x"), { jti: "appr_1", expiresAt: 1 }]) expect(isFault(value)).toBe(false);
});

it("writes a fault in the words of the wire", () => {
  expect(faultPayload(fault("TRP_1002", "seq 9 came before 7", { retryHint: { expected_seq: 7 } }))).toEqual({
    error_class: "ORDER_VIOLATION",
    error_code: "TRP_1002",
    message: "seq 9 came before 7",
    retryable: true,
    retry_hint: { expected_seq: 7, backoff_ms: 50, jitter_ms: 50 },
    fix: errorCodes.TRP_1002.cure,
    dispatched: false,
  });
});

it("lets a capability say what became of its effect", () => {
  const cause = new Error("503");
  const error = new CapabilityError("the mail server refused it", { outcome: "not-applied", cause });
  expect(error).toMatchObject({ code: "trp/capability", outcome: "not-applied", transient: false, cause });
  expect(new CapabilityError("x", { outcome: "failed", transient: true }).transient).toBe(true);
  expect(CapabilityError.isInstance(error)).toBe(true);
  expect(ToolglotError.isInstance(error)).toBe(true);
  expect(ToolError.isInstance(error)).toBe(false);
  for (const other of [new ToolError("x"), new Error("x"), null, {}])
    expect(CapabilityError.isInstance(other)).toBe(false);
  expect(() => new CapabilityError("x", { outcome: "perhaps" as never })).toThrow(/"not-applied"/);
});

it("has the table of the docs say what the code says", () => {
  const docs = readFileSync(new URL("../../../docs/trp-codes.md", import.meta.url), "utf8");
  const rows = [...docs.matchAll(/^\| `(TRP_\d{4})` \| `(\w+)` \| `(\w+)` \| (yes|no) \| (.+?) \| (.+?) \|$/gm)];
  const told = rows.map(([, code, name, errorClass, retryable, cause, cure]) => ({
    code,
    name,
    errorClass,
    retryable: retryable === "yes",
    cause: cause?.replaceAll("`", ""),
    cure: cure?.replaceAll("`", ""),
  }));
  const coded = codes.map((code) => {
    const { name, errorClass, retryable, cause, cure } = errorCodes[code];
    return { code, name, errorClass, retryable, cause, cure };
  });
  expect(told).toEqual(coded);
});
