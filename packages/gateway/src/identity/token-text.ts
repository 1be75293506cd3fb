import { createHash, randomBytes, timingSafeEqual } from "node:crypto";

const base32 = "abcdefghijklmnopqrstuvwxyz234567";
const pattern = /^tg1_([a-z2-7]{8})_[A-Za-z0-9_-]{43}$/;

/** Makes a token: `tg1_`, an id of eight letters, `_`, and 32 random bytes in base64url. */
export function makeToken(): { id: string; token: string } {
  const id = Array.from(randomBytes(8), (byte) => base32[byte % 32]).join("");
  return { id, token: `tg1_${id}_${randomBytes(32).toString("base64url")}` };
}

/** Returns the id in a text that has the shape of a token; undefined for any other. */
export function tokenId(text: string): string | undefined {
  return pattern.exec(text)?.[1];
}

/** The secret has 256 random bits, so a plain digest keeps it: nobody can try them out. */
export function tokenHash(token: string): string {
  return `sha256:${createHash("sha256").update(token).digest("hex")}`;
}

/** Compares two hashes in a time that shows nothing of either. */
export function isSameHash(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one), Buffer.from(other)];
  return left.length === right.length && timingSafeEqual(left, right);
}
