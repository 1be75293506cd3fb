import { keepLease, type Lease, randomHex } from "@toolglot/internal";
import { headIn, type SessionStore } from "../../session/store.ts";
import { sessionError } from "./errors.ts";

/** A session that this process has claimed. */
export interface Holding {
  readonly id: string;
  readonly fence: number;
  readonly lease: Lease;
  /** Gives it free. */
  release(): Promise<void>;
}

/** Claims a session, and renews the claim. Rejects with `sandbox/session-live`. */
export async function holdSession(store: SessionStore, id: string, leaseMs: number): Promise<Holding> {
  const claimed = await store.claim(id, randomHex(32), leaseMs);
  if ("until" in claimed) throw liveError(id, claimed.until);
  const { fence } = claimed;
  const lease = keepLease({ renew: (held: number, ms: number) => store.renew(id, held, ms) }, fence, {
    leaseMs,
    leaseUntil: Date.now() + leaseMs,
    now: Date.now,
    background: true,
  });
  return {
    id,
    fence,
    lease,
    async release() {
      await lease.stop();
      await store.release(id, fence);
    },
  };
}

/** Somebody else has the session. */
export function liveError(id: string, until?: number): Error {
  const when = until === undefined ? "" : ` until ${new Date(until).toISOString()} at least`;
  const message = `The session ${id} is open elsewhere${when}: close it there, or wait for the end of its lease.`;
  return sessionError("live", message, until === undefined ? { id } : { id, until });
}

/** Rejects with `sandbox/session-exists` when there is a session of that id, open or not. */
export async function demandNew(store: SessionStore, id: string): Promise<void> {
  if ((await headIn(store, id)) === undefined) return;
  const message = `There is a session ${id} already: go on with it by resumeSession(), or take another id.`;
  throw sessionError("exists", message, { id });
}
