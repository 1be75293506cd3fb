import { ToolError } from "@toolglot/core";
import { afterEach, describe, expect, it } from "vitest";
import { errorCodes } from "../../src/frames/index.ts";
import { deleteId, gate, mail, mailId, noteId, opener, searchId } from "./harness.ts";

const { open, closeAll } = opener();
afterEach(closeAll);

const classes = [
  "TRANSIENT",
  "ORDER_VIOLATION",
  "CATALOG_MISMATCH",
  "SCHEMA_MISMATCH",
  "POLICY_DENIED",
  "APPROVAL_REQUIRED",
  "NON_IDEMPOTENT_BLOCKED",
  "EXECUTOR_ERROR",
  "INTERNAL_ERROR",
];

const throwing = (error: unknown) => ({
  capId: "cap.test.throws.v1",
  name: "throws",
  description: "Throws",
  riskTier: "LOW" as const,
  ioClass: "READ" as const,
  effect: "pure" as const,
  args: {},
  execute: () => {
    throw error;
  },
});

describe("draft 12.1: classes", () => {
  it("12.1 there are nine, and every code has one of them", () => {
    expect(new Set(Object.values(errorCodes).map(({ errorClass }) => errorClass))).toEqual(new Set(classes));
  });

  it("12.1 TRANSIENT: the capability took too long", async () => {
    const waiting = gate();
    const { call } = await open({ more: [waiting] });
    expect((await call(waiting.capId, {}, { idx: 5, timeout_ms: 20 })).payload.error_class).toBe("TRANSIENT");
  });

  it("12.1 ORDER_VIOLATION: seq is not next", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, {}, { seq: 9 })).payload.error_class).toBe("ORDER_VIOLATION");
  });

  it("12.1 CATALOG_MISMATCH: number and name differ", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: "a" }, { idx: 1 })).payload.error_class).toBe("CATALOG_MISMATCH");
  });

  it("12.1 SCHEMA_MISMATCH: the arguments don't fit", async () => {
    const { call } = await open();
    expect((await call(searchId, { query: 5 })).payload.error_class).toBe("SCHEMA_MISMATCH");
  });

  it("12.1 POLICY_DENIED: not allowed", async () => {
    const { call } = await open();
    expect((await call(deleteId, { id: "1" }, { idempotency_key: "k" })).payload.error_class).toBe("POLICY_DENIED");
  });

  it("12.1 APPROVAL_REQUIRED: nobody said yes", async () => {
    const { call } = await open();
    expect((await call(mailId, mail, { idempotency_key: "k" })).payload.error_class).toBe("APPROVAL_REQUIRED");
  });

  it("12.1 NON_IDEMPOTENT_BLOCKED: no key, and an effect", async () => {
    const { call } = await open();
    expect((await call(noteId, { text: "a" })).payload.error_class).toBe("NON_IDEMPOTENT_BLOCKED");
  });

  it("12.1 EXECUTOR_ERROR: the tool failed", async () => {
    const { call } = await open({ more: [throwing(new ToolError("no such page"))] });
    expect((await call("cap.test.throws.v1", {}, { idx: 5 })).payload.error_class).toBe("EXECUTOR_ERROR");
  });

  it("12.1 INTERNAL_ERROR: the router failed", async () => {
    const broken = {
      ...throwing(new Error("never")),
      adapt: () => {
        throw new Error("adapter");
      },
    };
    const { call } = await open({ more: [broken] });
    expect((await call("cap.test.throws.v1", {}, { idx: 5 })).payload).toMatchObject({
      error_class: "INTERNAL_ERROR",
      error_code: "TRP_5001",
      dispatched: false,
    });
  });
});

describe("draft 12.2: codes", () => {
  it("12.2 are named by what they are about: 1 protocol, 2 arguments, 3 execution, 4 policy, 5 the router", () => {
    for (const code of Object.keys(errorCodes)) expect(code).toMatch(/^TRP_[1-5]\d{3}$/);
  });

  it.each([
    ["TRP_1002", "ORDER_VIOLATION"],
    ["TRP_1003", "CATALOG_MISMATCH"],
    ["TRP_2001", "SCHEMA_MISMATCH"],
    ["TRP_4002", "APPROVAL_REQUIRED"],
  ] as const)("12.2 %s belongs to %s", (code, errorClass) => {
    expect(errorCodes[code].errorClass).toBe(errorClass);
  });

  it("12.2 classes and retries of all codes are as the router's rules say", () => {
    const expected: Record<string, string[]> = {
      SCHEMA_MISMATCH: ["1001", "2000", "2001", "2002", "2003", "2004", "2005", "2006", "2007", "2008", "5000"],
      ORDER_VIOLATION: ["1002", "1004", "1005", "1006", "1007"],
      CATALOG_MISMATCH: ["1003"],
      INTERNAL_ERROR: ["1008", "5001"],
      TRANSIENT: ["3001", "3003", "4006", "5003"],
      EXECUTOR_ERROR: ["3002", "3004", "3005"],
      POLICY_DENIED: ["4001", "4007", "4008"],
      APPROVAL_REQUIRED: ["4002"],
      NON_IDEMPOTENT_BLOCKED: ["4003", "4004", "4005"],
    };
    const retryable = new Set(["1002", "1003", "1005", "3001", "3003", "4006", "5003"]);
    const found: Record<string, string[]> = {};
    for (const [code, entry] of Object.entries(errorCodes)) {
      const number = code.slice(4);
      const list = found[entry.errorClass] ?? [];
      found[entry.errorClass] = list;
      list.push(number);
      expect(entry.retryable, code).toBe(retryable.has(number));
    }
    for (const list of Object.values(found)) list.sort();
    expect(found).toEqual(expected);
  });

  it("12.2 each code has a name, a cause and a cure", () => {
    for (const [code, { name, cause, cure }] of Object.entries(errorCodes)) {
      expect(name, code).toMatch(/^[A-Z][A-Z_]+$/);
      expect(cause, code).toMatch(/\S/);
      expect(cure, code).toMatch(/\S/);
    }
  });

  it("12 errors from below never pass through raw", async () => {
    const errors = [
      new Error("password=hunter2 at /srv/app/db.ts:12"),
      Object.assign(new TypeError("undefined is not a function"), { cause: new Error("hunter2") }),
      "hunter2",
      { toString: () => "hunter2" },
      null,
    ];
    for (const error of errors) {
      const { call, router } = await open({ more: [throwing(error)] });
      const reply = await call("cap.test.throws.v1", {}, { idx: 5 });
      expect(reply.payload).toMatchObject({ error_class: "EXECUTOR_ERROR", error_code: "TRP_3002", dispatched: true });
      expect(JSON.stringify(reply)).not.toMatch(/hunter2|\/srv|not a function/);
      expect(JSON.stringify(await router.audit.read())).not.toContain("hunter2");
    }
  });

  it("12 a tool may say something to the model: ToolError", async () => {
    const { call } = await open({ more: [throwing(new ToolError("There is no page called x."))] });
    expect((await call("cap.test.throws.v1", {}, { idx: 5 })).payload.message).toContain("There is no page called x.");
  });
});
