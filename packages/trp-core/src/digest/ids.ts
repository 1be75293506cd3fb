import { uuidV7 as makeUuidV7 } from "@toolglot/internal";
import { base64url } from "./base64url.ts";

/** A new id that can't be guessed: the prefix, `_`, and 128 random bits as 22 letters. `randomId("sess")`. */
export function randomId(prefix: string): string {
  return `${prefix}_${base64url(crypto.getRandomValues(new Uint8Array(16)))}`;
}

/**
 * A new UUID of version 7 (RFC 9562, 5.7): 48 bits of time, 74 random bits. The form for idempotency keys, since a router
 * can tell how old one is. `TypeError` for a time that is none.
 *
 * @param now Milliseconds since the epoch. Default: this machine's clock.
 */
export function uuidV7(now?: number): string {
  return makeUuidV7(now);
}

const uuidV7Form = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** When a UUID of version 7 was made, milliseconds since the epoch; undefined for any other text. */
export function uuidV7Time(text: string): number | undefined {
  const found = text.length === 36 ? uuidV7Form.exec(text) : null;
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16);
}
