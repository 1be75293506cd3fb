import { ToolglotError } from "@toolglot/core";
import type { ApprovalStore } from "./approval-types.ts";
import type { FrameStore } from "./frame-types.ts";
import type { OwnedArtifactStore } from "./types.ts";

/** Creates the error of a store after `close()`. */
export function storeClosed(name: string): ToolglotError {
  return new ToolglotError("trp/store-closed", `The store (${name}) is closed.`, { data: { store: name } });
}

/** Throws `TypeError` unless it is a number of milliseconds above 0. */
function checkTtl(what: string, ttlMs: number): void {
  if (!(ttlMs > 0)) throw new TypeError(`${what}: ttlMs must be a number of milliseconds above 0`);
}

/** Throws `TypeError` unless each is a text. */
function checkTexts(what: string, texts: Record<string, unknown>): void {
  for (const name of Object.keys(texts)) {
    if (typeof texts[name] !== "string") throw new TypeError(`${what}: ${name} must be a string`);
  }
}

/** A malformed session to create. */
export function checkSession(session: Parameters<FrameStore["create"]>[0]): void {
  const { id, tenant, principal, agentId, view } = session;
  checkTexts("sessions.create", { id, tenant, principal, agentId, view });
  checkTtl("sessions.create", session.ttlMs);
}

/** A malformed request for approval. */
export function checkApproval(wanted: Parameters<ApprovalStore["request"]>[0]): void {
  const { id, tenant, requester, capId, fingerprint, operation } = wanted;
  const { scope, key } = operation ?? {};
  checkTexts("approvals.request", { id, tenant, requester, capId, fingerprint, scope, key });
  checkTtl("approvals.request", wanted.ttlMs);
}

/** A malformed artifact to put. */
export function checkArtifact(artifact: Parameters<OwnedArtifactStore["put"]>[0]): void {
  const { id, tenant, principal, mediaType, sha256 } = artifact;
  checkTexts("artifacts.put", { id, tenant, principal, mediaType, sha256 });
  checkTtl("artifacts.put", artifact.ttlMs);
  if (!(artifact.bytes instanceof Uint8Array)) throw new TypeError("artifacts.put: bytes must be a Uint8Array");
}

/** Where a range of `size` bytes begins and ends. Beyond the end there is nothing; a negative one is a mistake. */
export function rangeOf(size: number, range: { offset?: number; length?: number } = {}): [start: number, end: number] {
  const { offset = 0, length = size } = range;
  if (!(offset >= 0) || !(length >= 0)) throw new TypeError("artifacts.read: offset and length must be 0 or more");
  const start = Math.min(Math.floor(offset), size);
  return [start, Math.min(start + Math.floor(length), size)];
}

/** Thrown when something new has an id that is taken. */
export function idTaken(what: string, id: string): TypeError {
  return new TypeError(`${what}: the id ${JSON.stringify(id)} is taken`);
}
