import { createHmac } from "node:crypto";
import { canonicalJson } from "@toolglot/internal";
import fc from "fast-check";
import { expect, it } from "vitest";
import { issueApprovalToken, verifyApprovalToken } from "../src/approvals/token.ts";
import { sha256Digest } from "../src/digest/sha256.ts";
import { isFault } from "../src/frames/fault.ts";

const secret = "s3cret-ä";
const capId = "cap.record.delete.v1";
const args = {
  resource_type: "ticket",
  resource_id: "TCK-0007",
  reason: 'doublé 🎫 "x"\n',
  n: 3,
  nested: { b: [1, 2.5, null, true], a: {} },
};
const now = 1_760_000_000_000;
const check = { secrets: [secret], capId, args, requester: "agent-1", now };

// Made by the Python implementation of TRP (its mint_approval_token) with the secret and the args above.
const pythonToken =
  "appr1.eyJhcmdzX2RpZ2VzdCI6InNoYTI1NjphNzk3YTVlOTVlYjEzZmVlMjZkNDM4N2Q4NTg3OGQ1Yjc0ZjdkZTllYjVkOWNhMmM0YmU1MzZkNDNhNjlhYTEzIiwiY2FwX2lkIjoiY2FwLnJlY29yZC5kZWxldGUudjEiLCJleHAiOjE3NjAwMDAzMDAsImlhdCI6MTc2MDAwMDAwMCwianRpIjoiYXBwcl9iYTk4NzY1NDMyMTAiLCJ2IjoxfQ.M6sn6um-bh04VJz_41FlnNqkH2bEqzK0j_X4tJsET9c";
const pythonTokenWithMoreClaims =
  "appr1.eyJhcmdzX2RpZ2VzdCI6InNoYTI1NjphNzk3YTVlOTVlYjEzZmVlMjZkNDM4N2Q4NTg3OGQ1Yjc0ZjdkZTllYjVkOWNhMmM0YmU1MzZkNDNhNjlhYTEzIiwiY2FwX2lkIjoiY2FwLnJlY29yZC5kZWxldGUudjEiLCJleHAiOjE3NjAwMDAzMDAsImlhdCI6MTc2MDAwMDAwMCwianRpIjoiYXBwcl8wMTIzNDU2Nzg5YWIiLCJub3RlIjoiZnJvbSBvcHMiLCJzdWIiOiJsZWFkIiwidiI6MX0.UaoYIqRIFkd_mhHuHijSGdkl9qNduCo3z4pjD1HMqd0";

/** Signs any text as claims, as whoever has the secret could. */
function signed(claims: unknown): string {
  const payload = Buffer.from(typeof claims === "string" ? claims : JSON.stringify(claims)).toString("base64url");
  return `appr1.${payload}.${createHmac("sha256", secret).update(payload).digest("base64url")}`;
}

const claims = {
  v: 1,
  cap_id: capId,
  args_digest: sha256Digest(canonicalJson(args)),
  iat: now / 1_000,
  exp: now / 1_000 + 300,
  jti: "appr_0123456789ab",
};

function refusal(token: string, changes: Partial<typeof check> = {}): string {
  const found = verifyApprovalToken(token, { ...check, ...changes });
  if (!isFault(found)) throw new Error("the token was accepted");
  expect(found).toMatchObject({
    code: "TRP_4002",
    errorClass: "APPROVAL_REQUIRED",
    retryable: false,
    dispatched: false,
  });
  return found.message;
}

it("accepts tokens of the Python implementation", () => {
  expect(verifyApprovalToken(pythonToken, check)).toEqual({ jti: "appr_ba9876543210", expiresAt: now + 330_000 });
  expect(verifyApprovalToken(pythonTokenWithMoreClaims, check)).toEqual({
    jti: "appr_0123456789ab",
    expiresAt: now + 330_000,
    sub: "lead",
  });
});

it("issues what the Python implementation would, but for the random id", () => {
  const token = issueApprovalToken({ secret, capId, args, ttlMs: 300_000, now: now + 999 });
  const [prefix, payload = "", signature] = token.split(".");
  const text = Buffer.from(payload, "base64url").toString();
  expect(prefix).toBe("appr1");
  expect(text.replace(/appr_[0-9a-f]{12}/, "appr_ba9876543210")).toBe(
    Buffer.from(pythonToken.split(".")[1] ?? "", "base64url").toString(),
  );
  expect(signature).toBe(createHmac("sha256", secret).update(payload).digest("base64url"));
});

it("takes back what it issued, for these args in any order of keys", () => {
  const token = issueApprovalToken({ secret, capId, args, ttlMs: 60_000, sub: "lead", now });
  const reordered = Object.fromEntries(Object.entries(args).reverse());
  expect(verifyApprovalToken(token, { ...check, args: reordered })).toMatchObject({ sub: "lead" });
  expect(issueApprovalToken({ secret, capId, args, ttlMs: 60_000, now })).not.toBe(token);
});

it("accepts every secret in use, and no other", () => {
  expect(verifyApprovalToken(pythonToken, { ...check, secrets: ["new", secret] })).toMatchObject({
    jti: expect.any(String),
  });
  expect(refusal(pythonToken, { secrets: ["new"] })).toMatch(/signature/);
  expect(refusal(pythonToken, { secrets: [] })).toMatch(/signature/);
  const unsigned = `appr1.${pythonToken.split(".")[1]}.${createHmac("sha256", "")
    .update(pythonToken.split(".")[1] ?? "")
    .digest("base64url")}`;
  expect(refusal(unsigned, { secrets: [""] })).toMatch(/signature/);
});

it("holds a token to its capability, its args and its time", () => {
  expect(refusal(pythonToken, { capId: "cap.record.delete.v2" })).toMatch(/another capability/);
  expect(refusal(pythonToken, { args: { ...args, n: 4 } })).toMatch(/other arguments/);
  expect(refusal(pythonToken, { args: { ...args, more: null } as never })).toMatch(/other arguments/);
  expect(refusal(pythonToken, { now: now + 330_001 })).toMatch(/expired/);
  expect(refusal(pythonToken, { now: now - 30_001 })).toMatch(/not valid yet/);
  expect(isFault(verifyApprovalToken(pythonToken, { ...check, now: now + 330_000 }))).toBe(false);
  expect(isFault(verifyApprovalToken(pythonToken, { ...check, now: now - 30_000 }))).toBe(false);
});

it("refuses an approver who is the requester", () => {
  expect(refusal(pythonTokenWithMoreClaims, { requester: "lead" })).toMatch(/somebody else/);
  expect(verifyApprovalToken(signed({ ...claims, sub: null }), check)).not.toHaveProperty("sub");
});

it.each([
  ["an unsigned one", "appr_0123456789ab"],
  ["nothing", ""],
  ["another prefix", pythonToken.replace("appr1", "appr2")],
  ["a part too many", `${pythonToken}.x`],
  ["no signature", pythonToken.slice(0, pythonToken.lastIndexOf("."))],
  ["an empty signature", pythonToken.slice(0, pythonToken.lastIndexOf(".") + 1)],
  ["a padded signature", `${pythonToken}=`],
  ["a longer signature", `${pythonToken}A`],
  ["a shorter signature", pythonToken.slice(0, -1)],
  ["the same signature bytes in other letters", `${pythonToken.slice(0, -1)}d`],
  ["one letter of the claims changed", pythonToken.replace("eyJhc", "eyJhd")],
  ["something endless", `appr1.${"A".repeat(10_000)}.A`],
  ["claims that are no JSON", signed("{")],
  ["claims that are a list", signed([1])],
  ["claims that are null", signed(null)],
  ["no claims", signed("")],
  ["another version", signed({ ...claims, v: 2 })],
  ["no version", signed({ ...claims, v: undefined })],
  ["no exp", signed({ ...claims, exp: undefined })],
  ["an exp in words", signed({ ...claims, exp: "tomorrow" })],
  ["an exp beyond all time", signed({ ...claims, exp: 1e300 })],
  ["an iat that is no number", signed({ ...claims, iat: "now" })],
  ["no jti", signed({ ...claims, jti: undefined })],
  ["an empty jti", signed({ ...claims, jti: "" })],
  ["an endless jti", signed({ ...claims, jti: "x".repeat(300) })],
  ["a sub that is a list", signed({ ...claims, sub: ["agent-1"] })],
  ["no cap_id", signed({ ...claims, cap_id: undefined })],
  ["no args_digest", signed({ ...claims, args_digest: undefined })],
])("refuses %s", (_name, token) => {
  expect(refusal(token)).toMatch(/^approval_token is refused: /);
});

it("refuses what is no text at all", () => {
  for (const wrong of [null, undefined, 1, {}, [], ["appr1", "a", "b"]]) refusal(wrong as never);
});

it("refuses every token with one letter changed, and never throws", () => {
  fc.assert(
    fc.property(
      fc.nat(pythonToken.length - 1),
      fc.string({ minLength: 1, maxLength: 1, unit: "binary" }),
      (at, letter) => {
        fc.pre(pythonToken.charAt(at) !== letter);
        refusal(pythonToken.slice(0, at) + letter + pythonToken.slice(at + 1));
      },
    ),
    { numRuns: 2_000, seed: 402 },
  );
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: "binary" }), (value, text) => {
      refusal(signed(value));
      refusal(signed(text));
      refusal(text);
    }),
    { numRuns: 500, seed: 403 },
  );
});

it("says nothing of the token or the secret in a refusal", () => {
  const message = refusal(signed({ ...claims, cap_id: "cap.secret.name.v1" }));
  expect(message).not.toContain("cap.secret.name");
  expect(refusal(pythonToken, { secrets: ["another-secret"] })).not.toContain("another-secret");
});

it("throws for a caller's mistake in issuing", () => {
  expect(() => issueApprovalToken({ secret: "", capId, args, ttlMs: 1_000 })).toThrow(TypeError);
  for (const ttlMs of [0, 999, Number.NaN, Number.POSITIVE_INFINITY]) {
    expect(() => issueApprovalToken({ secret, capId, args, ttlMs })).toThrow(/1000/);
  }
  expect(() => issueApprovalToken({ secret, capId: "", args, ttlMs: 1_000 })).toThrow(TypeError);
  expect(() => issueApprovalToken({ secret, capId, args, ttlMs: 1_000, sub: "" })).toThrow(TypeError);
  expect(() => issueApprovalToken({ secret, capId, args, ttlMs: 1_000, now: Number.NaN })).toThrow(TypeError);
});
