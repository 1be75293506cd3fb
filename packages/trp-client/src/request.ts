import { checkKeys } from "@toolglot/internal";
import type { CallRequest } from "./types.ts";

/** Throws `TypeError` for a call that can't be made. */
export function checkRequest(request: CallRequest): void {
  if (typeof request !== "object" || request === null) throw new TypeError("a call is an object like { capId, args }");
  const { capId, args, key, callId, timeoutMs, idx } = request;
  checkKeys(
    "a call",
    request,
    "idx:number capId:text args:object key:text callId:string timeoutMs:number approvalToken:string dependsOn:string[] schemaDigest:string",
  );
  if (typeof capId !== "string" || capId === "")
    throw new TypeError("capId must be a capability's id, as cap.mail.send.v2");
  if (args !== undefined && (typeof args !== "object" || args === null || Array.isArray(args))) {
    throw new TypeError(`args of ${capId} must be an object`);
  }
  checkId("key", key);
  checkId("callId", callId);
  if (timeoutMs !== undefined && !(Number.isInteger(timeoutMs) && timeoutMs > 0)) {
    throw new TypeError(`timeoutMs must be a whole number of milliseconds from 1, not ${timeoutMs}`);
  }
  if (idx !== undefined && !(Number.isInteger(idx) && idx >= 0)) {
    throw new TypeError(`idx must be a whole number from 0, not ${idx}`);
  }
}

function checkId(name: string, value: unknown): void {
  if (value !== undefined && (typeof value !== "string" || value === "")) {
    throw new TypeError(`${name} must be text that is not empty; leave it out to have one made`);
  }
}
