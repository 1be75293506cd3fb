import { hmac } from "@noble/hashes/hmac.js";
import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { base64url } from "./base64url.ts";
import { nodeCrypto } from "./node-crypto.ts";

const encoder = new TextEncoder();

/** SHA-256 as 64 hex digits; a text is taken as UTF-8. */
export function sha256Hex(data: string | Uint8Array): string {
  return nodeCrypto.hash === undefined ? sha256HexPortable(data) : nodeCrypto.hash("sha256", data, "hex");
}

/** The same in JavaScript alone, as browsers run it. */
export function sha256HexPortable(data: string | Uint8Array): string {
  return bytesToHex(sha256(typeof data === "string" ? encoder.encode(data) : data));
}

/** The same as 43 letters of base64url. */
export function sha256Base64url(text: string): string {
  if (nodeCrypto.hash !== undefined) return nodeCrypto.hash("sha256", text, "base64url");
  return base64url(sha256(encoder.encode(text)));
}

/** `sha256:` and the hex digits: how digests are written in frames. */
export function sha256Digest(data: string | Uint8Array): string {
  return `sha256:${sha256Hex(data)}`;
}

/** HMAC-SHA256, 32 bytes; both texts are taken as UTF-8. */
export function hmacSha256(secret: string, text: string): Uint8Array {
  if (nodeCrypto.createHmac === undefined) return hmacSha256Portable(secret, text);
  return nodeCrypto.createHmac("sha256", encoder.encode(secret)).update(text, "utf8").digest();
}

/** The same in JavaScript alone, as browsers run it. */
export function hmacSha256Portable(secret: string, text: string): Uint8Array {
  return hmac(sha256, encoder.encode(secret), encoder.encode(text));
}
