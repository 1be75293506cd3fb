import { uuidV7 as makeUuidV7 } from "@toolglot/internal";
import { base64url } from "./base64url.ts";

/** Returns a new id that can't be guessed: the prefix, `_`, and 128 random bits as 22 letters. `randomId("sess")`. */
export function randomId(prefix: string): string {
  return `${prefix}_${base64url(crypto.getRandomValues(new Uint8Array(16)))}`;
}

/**
 * A new UUID of version 7 (RFC 9562, 5.7): 48 bits of time, 74 random bits. The form for idempotency keys, since a router
 * can see how old one is. `TypeError` for a time that is none.
 *
 * @param now Milliseconds since the epoch. Default: this machine's clock.
 */
export function uuidV7(now?: number): string {
  return makeUuidV7(now);
}
