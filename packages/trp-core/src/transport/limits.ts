import { checkKeys, defined } from "@toolglot/internal";
import type { Router } from "../router/types.ts";

/** What a transport takes at most, from one client and for it. Whole numbers from 1. The same on every transport. */
export interface TransportLimits {
  /** Bytes of a frame; over HTTP, of any body. More is refused (TRP_2008). Default: the router's `limits.frameBytes` (4 MiB). */
  frameBytes: number;
  /**
   * Frames of one connection that are being answered at a time; more are refused (TRP_5003). Over HTTP, where a connection
   * carries one frame at a time, those of one principal. Default 256; over HTTP 1,024.
   */
  framesInFlight: number;
  /**
   * Frames that one principal may send in a second, over all connections of this server; more are refused (TRP_4006, with the
   * time to wait as `backoff_ms`). Default: as many as it likes.
   */
  framesPerSecond: number;
  /** Bytes of answers that a client may leave unread: beyond that nothing more is read from it. Default 1 MiB. */
  unreadBytes: number;
  /** How long it may leave more than that unread before its connection is closed. Milliseconds; default 10,000. */
  unreadMs: number;
}

/** The limits with their defaults. Throws `TypeError` for what is no limit. */
export function readTransportLimits(
  what: string,
  given: Partial<TransportLimits> | undefined,
  router: Pick<Router, "limits">,
): TransportLimits {
  checkKeys(
    `${what}: limits`,
    given,
    "frameBytes:number framesInFlight:number framesPerSecond:number unreadBytes:number unreadMs:number",
  );
  const limits: TransportLimits = {
    frameBytes: router.limits.frameBytes,
    framesInFlight: 256,
    framesPerSecond: Number.POSITIVE_INFINITY,
    unreadBytes: 1024 * 1024,
    unreadMs: 10_000,
    ...(defined(given ?? {}) as typeof given),
  };
  for (const [name, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value > 0) continue;
    if (name === "framesPerSecond" && value === Number.POSITIVE_INFINITY) continue;
    throw new TypeError(`${what}: limits.${name} must be a whole number from 1, not ${String(value)}`);
  }
  return Object.freeze(limits);
}
