import type { JsonObject } from "@toolglot/core";
import { canonicalJson, checkKeys, isObject, randomHex } from "@toolglot/internal";
import { base64url, base64urlBytes } from "../digest/base64url.ts";
import { hmacSha256, sameText, sha256Digest } from "../digest/sha256.ts";
import { type Fault, fault } from "../frames/fault.ts";
import { isId, tokenLength } from "../frames/fields.ts";

/** How far two clocks may be apart. */
const skewMs = 30_000;
const prefix = "appr1";
const jtiBytes = 6;
/** Seconds; the year 5138. Beyond it nobody means a time. */
const latestSecond = 100_000_000_000;

/** What {@link issueApprovalToken} needs. */
export interface ApprovalTokenRequest {
  /** Shared with the router (`approvalSecrets`). At least one character; 32 random bytes are a good one. */
  secret: string;
  capId: string;
  /** As the call sends them, before defaults. */
  args: JsonObject;
  /** How long it is good for, at least 1,000. */
  ttlMs: number;
  /** Who approves. A router refuses it when that is who calls. Default: nobody named. */
  sub?: string;
  /** Milliseconds since the epoch. Default: this machine's clock. */
  now?: number;
}

/**
 * Signs an approval of one call, as other TRP implementations do: `appr1.P.S` with the claims `v, cap_id, args_digest,
 * iat, exp, jti, sub` as JSON in P, and HMAC-SHA256 over P in S. `TypeError` for what a router would refuse: an empty secret, `ttlMs` below 1,000.
 *
 * @example
 * ```ts
 * const token = issueApprovalToken({
 *   secret: approvalSecret,
 *   capId: "cap.mail.send.v1",
 *   args: { to: "ada@example.com", text: "Hi" },
 *   ttlMs: 300_000,
 *   sub: "agent-7",
 * });
 * ```
 */
export function issueApprovalToken(request: ApprovalTokenRequest): string {
  checkKeys("issueApprovalToken", request, "secret:text capId:text args:object ttlMs:number sub:string now:number", [
    "secret",
  ]);
  const { secret, capId, args, ttlMs, sub, now = Date.now() } = request;
  if (typeof secret !== "string" || secret === "") throw new TypeError("secret is a text of at least one character");
  if (!(Number.isFinite(ttlMs) && ttlMs >= 1_000)) {
    throw new TypeError(`ttlMs is at least 1000 milliseconds, not ${String(ttlMs)}`);
  }
  if (!isId(capId)) throw new TypeError("capId is the name of a capability");
  if (sub !== undefined && !isId(sub)) throw new TypeError("sub is the id of who approves");
  const iat = Math.floor(now / 1_000);
  if (!isSecond(iat)) throw new TypeError(`now is milliseconds since the epoch, not ${String(now)}`);
  const claims = {
    v: 1,
    cap_id: capId,
    args_digest: argsDigest(args),
    iat,
    exp: iat + Math.floor(ttlMs / 1_000),
    jti: `appr_${randomHex(jtiBytes)}`,
    ...(sub === undefined ? {} : { sub }),
  };
  const payload = base64url(new TextEncoder().encode(canonicalJson(claims)));
  return `${prefix}.${payload}.${base64url(hmacSha256(secret, payload))}`;
}

/** What {@link verifyApprovalToken} holds a token against. */
export interface ApprovalTokenCheck {
  /** All are accepted: the old one and the new one while a secret is changed. */
  secrets: readonly string[];
  capId: string;
  /** As the call sent them, before defaults. */
  args: JsonObject;
  /** Id of the principal who calls. */
  requester: string;
  /** Milliseconds since the epoch, of the store's clock. */
  now: number;
}

/** A token that is good for the call. It is not spent by this. */
export interface ApprovalTokenClaims {
  /** Of the token: it may be spent once. */
  jti: string;
  /** From then on it is refused, milliseconds since the epoch: its `exp` and the 30 s that clocks may differ. */
  expiresAt: number;
  /** Who approved, when the token names them. */
  sub?: string;
}

/**
 * Whether a token approves this very call: signed with one of the secrets, of this capability and these arguments, in
 * time (30 s of skew), and not by the caller. Otherwise a fault TRP_4002 with the reason, whatever the token is.
 *
 * @example
 * ```ts
 * const found = verifyApprovalToken(token, { secrets: [approvalSecret], capId, args, requester: "agent-7", now: Date.now() });
 * if (isFault(found)) console.log(found.message);
 * ```
 */
export function verifyApprovalToken(token: string, check: ApprovalTokenCheck): ApprovalTokenClaims | Fault {
  checkKeys("verifyApprovalToken", check, "secrets:string[] capId:text args:object requester:string now:number", [
    "secrets",
  ]);
  const claims = readSigned(token, check.secrets);
  if (typeof claims === "string") return refused(claims);
  const { v, cap_id, args_digest, iat, exp, jti, sub } = claims;
  if (v !== 1) return refused("it is of an unknown version");
  if (!isSecond(exp) || !(iat === undefined || isSecond(iat)) || !isId(jti)) return refused("it lacks a claim");
  if (sub !== undefined && sub !== null && !isId(sub)) return refused("its sub is no name");
  if (cap_id !== check.capId) return refused("it is for another capability");
  const expiresAt = exp * 1_000 + skewMs;
  if (check.now > expiresAt) return refused("it has expired");
  if (iat !== undefined && iat * 1_000 > check.now + skewMs) return refused("it is not valid yet");
  if (args_digest !== argsDigest(check.args)) return refused("it is for other arguments");
  if (sub === check.requester) return refused("it names the requester as approver; somebody else has to approve");
  return typeof sub === "string" ? { jti, expiresAt, sub } : { jti, expiresAt };
}

/** Returns the claims of a token that one of the secrets signed; otherwise what is wrong with it. */
function readSigned(token: string, secrets: readonly string[]): Record<string, unknown> | string {
  if (typeof token !== "string" || token.length > tokenLength) return "it is no approval token";
  const [name, payload, signature, more] = token.split(".", 4);
  if (name !== prefix || payload === undefined || signature === undefined || more !== undefined) {
    return "it is no signed approval token (appr1.….…)";
  }
  // The claims are not looked at before the signature is known to be good, and every secret is tried.
  let signed = false;
  for (const secret of secrets) {
    if (secret !== "" && sameText(signature, base64url(hmacSha256(secret, payload)))) signed = true;
  }
  if (!signed) return "its signature is not this router's";
  const bytes = base64urlBytes(payload);
  try {
    const claims: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (isObject(claims)) return claims as Record<string, unknown>;
  } catch {
    // Signed, but not JSON: falls through.
  }
  return "its claims can't be read";
}

function argsDigest(args: JsonObject): string {
  return sha256Digest(canonicalJson(args));
}

function isSecond(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= latestSecond;
}

function refused(why: string): Fault {
  return fault("TRP_4002", `approval_token is refused: ${why}`, {
    fix: "Ask for a new approval of exactly this call, then send it again with the same idempotency_key.",
  });
}
