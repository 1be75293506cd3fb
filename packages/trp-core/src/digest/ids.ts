import { bytesToHex } from "@noble/hashes/utils.js";
import { base64url } from "./base64url.ts";

/** A new id that can't be guessed: the prefix, `_`, and 128 random bits as 22 letters. `randomId("sess")`. */
export function randomId(prefix: string): string {
  return `${prefix}_${base64url(crypto.getRandomValues(new Uint8Array(16)))}`;
}

/**
 * A new UUID of version 7 (RFC 9562, 5.7): 48 bits of time, 74 random bits. The form for idempotency keys, since a router
 * can tell how old one is.
 *
 * @param now Milliseconds since the epoch. Default: this machine's clock.
 */
export function uuidV7(now: number = Date.now()): string {
  if (!Number.isSafeInteger(now) || now < 0 || now >= 2 ** 48) {
    throw new TypeError(`now is milliseconds since the epoch, an integer below 2^48, not ${String(now)}`);
  }
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  for (let index = 0; index < 6; index++) bytes[index] = Math.floor(now / 2 ** (8 * (5 - index))) % 256;
  bytes[6] = 0x70 | ((bytes[6] ?? 0) & 0x0f);
  bytes[8] = 0x80 | ((bytes[8] ?? 0) & 0x3f);
  const hex = bytesToHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

const uuidV7Form = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** When a UUID of version 7 was made, milliseconds since the epoch; undefined for any other text. */
export function uuidV7Time(text: string): number | undefined {
  const found = text.length === 36 ? uuidV7Form.exec(text) : null;
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16);
}
