import type { OperationKey } from "@toolglot/core";
import { canonicalJson, flat } from "@toolglot/internal";
import { base64url } from "../../digest/base64url.ts";
import { hmacSha256, sha256Base64url, sha256Digest } from "../../digest/sha256.ts";
import type { CallItem } from "../../frames/types.ts";
import type { Who } from "../../store/frame-types.ts";

/** Returns a `cap_id` without its version: `cap.mail.send.v2` is of the family `cap.mail.send`. Families share keys. */
export function familyOf(capId: string): string {
  return capId.replace(/\.v\d{1,9}$/, "");
}

/** The operation that a key stands for: another tenant's, principal's or family's key is another operation. */
export function operationOf(who: Who, family: string, key: string): OperationKey {
  return { scope: canonicalJson(["trp", who.tenant, who.principal, family]), key };
}

/** The name of an operation in events. It is a hash, so it can be compared, but it does not reveal the key. */
export function operationId({ scope, key }: OperationKey): string {
  return sha256Digest(canonicalJson([scope, key]));
}

/** In place of the principal: the operation is anybody's in the tenant. No principal has this name. */
export const tenantWide = "";

/**
 * The key of an ASYNC call that came without one: any router must find its operation again by the call's id, and take
 * it over. Nobody else has it, since a session's id is random.
 */
export function keyOfAsync(sessionId: string, callId: string): string {
  return `${asyncPrefix}${sha256Base64url(canonicalJson([sessionId, callId]))}`;
}

const asyncPrefix = "async.";

/** Whether a call has that key. */
export function isKeyOfAsync(key: string | null | undefined, sessionId: string, callId: string): boolean {
  return typeof key === "string" && key.startsWith(asyncPrefix) && key === keyOfAsync(sessionId, callId);
}

/** Whose operation this is; undefined when the router did not name it. */
export function ownerOf(scope: string): Who | undefined {
  try {
    const parts: unknown = JSON.parse(scope);
    if (!Array.isArray(parts) || parts.length !== 4 || parts[0] !== "trp") return undefined;
    const [, tenant, principal] = parts;
    return typeof tenant === "string" && typeof principal === "string" ? { tenant, principal } : undefined;
  } catch {
    return undefined;
  }
}

/** What all scopes of a tenant begin with. */
export function scopePrefix(tenant: string): string {
  return `${canonicalJson(["trp", tenant]).slice(0, -1)},`;
}

/** Returns what an operation does, capability version included: the same key with another fingerprint is a conflict. */
export function operationFingerprint(capId: string, argsText: string): string {
  return sha256Digest(`{"args":${argsText},"cap_id":${canonicalJson(capId)}}`);
}

/**
 * What a call is to bring about, whatever its key and the version of its capability: whose, which family, which args.
 */
export function effectIdOf(scope: string, argsText: string): string {
  return sha256Digest(`{"args":${argsText},"scope":${canonicalJson(scope)}}`);
}

/** Up to this length a text is as good as its digest, and cheaper. */
const shortText = 240;

/**
 * Returns what makes a `call_id` mean this call: the capability, the args as sent, and the key. A digest; short ones as text.
 */
export function callDigest(
  { cap_id, args, idempotency_key = null }: Pick<CallItem, "cap_id" | "args" | "idempotency_key">,
  argsText: string = canonicalJson(args),
): string {
  const name = `"cap_id":${canonicalJson(cap_id)},"idempotency_key":${canonicalJson(idempotency_key)}`;
  const text = `{"args":${argsText},${name}}`;
  return text.length <= shortText ? flat(text) : sha256Digest(text);
}

/**
 * The key that is passed downstream: the same for every attempt at an operation. With a secret nobody else can guess
 * it; without one it is only a hash.
 */
export function downstreamKey({ scope, key }: OperationKey, secret: string | undefined): string {
  const text = canonicalJson([scope, key]);
  return secret === undefined ? sha256Base64url(text) : base64url(hmacSha256(secret, text));
}
