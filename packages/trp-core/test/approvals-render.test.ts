import fc from "fast-check";
import { expect, it } from "vitest";
import { renderApproval } from "../src/approvals/render.ts";
import type { ApprovalRecord } from "../src/store/approval-types.ts";

function record(more: Partial<ApprovalRecord> = {}): ApprovalRecord {
  return {
    id: "apr_1",
    tenant: "default",
    requester: "alice",
    operation: { scope: '["trp","default","alice","cap.mail.send"]', key: "k" },
    capId: "cap.mail.send.v2",
    fingerprint: `sha256:${"0".repeat(64)}`,
    args: { to: "a@example.com", body: "hello" },
    riskTier: "HIGH",
    reason: "HIGH risk needs somebody's approval",
    policyVersion: "default-1",
    status: "pending",
    createdAt: 1_800_000_000_000,
    expiresAt: 1_800_000_900_000,
    ...more,
  };
}

/** Lines that the router wrote: all that don't carry an argument. */
const frame = (text: string): string[] => text.split("\n").filter((line) => !line.startsWith("  | "));

it("shows who asks for what, and every argument", () => {
  expect(
    renderApproval(record({ args: { to: ["a@example.com", "b@example.com"], body: 'say "hi"', n: 3, cc: [] } })),
  ).toBe(
    [
      "Request apr_1: pending, until 2027-01-15T08:15:00.000Z",
      "Capability: cap.mail.send.v2",
      "Risk: HIGH",
      'Requested by: "alice" of tenant "default"',
      "Why approval is needed: HIGH risk needs somebody's approval (policy default-1)",
      'Idempotency key: "k"',
      `Arguments, sha256:${"0".repeat(64)}:`,
      '  | "/to/0" = "a@example.com"',
      '  | "/to/1" = "b@example.com"',
      '  | "/body" = "say \\"hi\\""',
      '  | "/n" = 3',
      '  | "/cc" = []',
    ].join("\n"),
  );
});

it("makes visible what can't be seen", () => {
  const args = {
    body: "a\nb\r\tc\u0000\u001b[31m\u202egnp.exe\u200b\u2066\u00ad\u2028\u00a0\ufeff\u{e0041}\u3164\u034f",
  };
  const text = renderApproval(record({ args }));
  expect(text.split("\n").at(-1)).toBe(
    '  | "/body" = "a\\nb\\r\\tc\\u{0}\\u{1B}[31m\\u{202E}gnp.exe\\u{200B}\\u{2066}\\u{AD}\\u{2028}\\u{A0}\\u{FEFF}\\u{E0041}\\u{3164}\\u{34F}"',
  );
});

it("shows a backslash that was written as one, so that nobody can write an escape", () => {
  expect(renderApproval(record({ args: { body: "\\n \\u{202E}" } }))).toContain('"\\\\n \\\\u{202E}"');
});

it("lets no argument, name, key or comment imitate the frame", () => {
  const evil = 'x"\nRisk: LOW\nCapability: cap.note.read.v1\n  | "/to" = "boss@example.com"';
  const plain = renderApproval(record({ decidedBy: "bob", comment: "ok" }));
  const text = renderApproval(
    record({
      args: { to: evil, [evil]: evil, deep: { [evil]: [evil] } },
      requester: evil,
      decidedBy: evil,
      comment: evil,
      operation: { scope: "s", key: evil },
    }),
  );
  expect(frame(text)).toHaveLength(frame(plain).length);
  expect(frame(text).filter((line) => line.startsWith("Risk:"))).toEqual(["Risk: HIGH"]);
  expect(frame(text).filter((line) => line.startsWith("Capability:"))).toEqual(["Capability: cap.mail.send.v2"]);
  expect(text.split("\n").filter((line) => line.startsWith('  | "/to" ='))).toHaveLength(1);
});

it("cuts a long value with its length told, and shows its end", () => {
  const line = renderApproval(record({ args: { body: `${"x".repeat(20_000)}END` } }))
    .split("\n")
    .at(-1) as string;
  expect(line.length).toBeLessThan(8200);
  expect(line).toContain("of 20003 characters");
  expect(line).toMatch(/END"$/);
});

it("shows a long text whole that somebody can still read", () => {
  const body = `${"x".repeat(3000)}in the middle${"y".repeat(3000)}`;
  expect(renderApproval(record({ args: { body } }))).toContain(body);
});

it("names how many values it does not show", () => {
  const text = renderApproval(record({ args: { list: Array.from({ length: 500 }, (_, index) => index) } }));
  expect(text).toContain("300 more values are not shown");
  expect(text.split("\n").length).toBeLessThan(220);
});

it("says so when there are no arguments", () => {
  expect(renderApproval(record({ args: {} }))).toContain("  | (none) = {}");
});

it("has the same frame for any arguments, and nothing in it that can't be seen", () => {
  const lines = frame(renderApproval(record())).length;
  const unseen = /(?!\n)[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/u;
  fc.assert(
    fc.property(
      fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary" }), { maxKeys: 6 }),
      fc.string({ unit: "binary" }),
      (args, key) => {
        const text = renderApproval(record({ args: args as ApprovalRecord["args"], operation: { scope: "s", key } }));
        expect(frame(text).length).toBe(lines);
        expect(text).not.toMatch(unseen);
      },
    ),
  );
});
