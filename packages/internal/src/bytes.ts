const hexOf: readonly string[] = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).padStart(2, "0"),
);

/** Returns bytes as lower-case hexadecimal. */
export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (const byte of bytes) text += hexOf[byte];
  return text;
}

/** Joins the chunks. */
export function joinBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(chunks.reduce((size, chunk) => size + chunk.length, 0));
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** Returns so many random bytes as hexadecimal; nobody can guess them. Works on pages without https too. */
export function randomHex(bytes: number): string {
  return toHex(crypto.getRandomValues(new Uint8Array(bytes)));
}

/** The part of Node's own digests that is used: Web Crypto's take a turn of a thread, which is ten times as long. */
interface HostCrypto {
  createHash(name: "sha256"): { update(text: string): { digest(form: "hex"): string } };
}
type Host = { process?: { getBuiltinModule?(name: "crypto"): HostCrypto | undefined } };

/** Resolves with the SHA-256 of a text, in hexadecimal. Pages without https have no digests: there the text stands for itself. */
export async function textDigest(text: string): Promise<string> {
  const own = (globalThis as Host).process?.getBuiltinModule?.("crypto");
  if (own) return own.createHash("sha256").update(text).digest("hex");
  if (!globalThis.crypto?.subtle) return text;
  return toHex(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}

let stock: Uint8Array = /* @__PURE__ */ new Uint8Array(0);
let used = 0;

/**
 * Returns random bytes. They are fetched for many ids at once, because the request to the system is the slowest part of an id.
 */
function randomBytes(count: number): Uint8Array {
  if (used + count > stock.length) {
    stock = crypto.getRandomValues(new Uint8Array(1_000));
    used = 0;
  }
  used += count;
  return stock.slice(used - count, used);
}

/**
 * Returns a new UUID of version 7 (RFC 9562, 5.7): 48 bits of time, 74 random bits. The form for idempotency keys, since a router
 * can read how old one is.
 *
 * @param now Milliseconds since the epoch. Default: this machine's clock.
 */
export function uuidV7(now: number = Date.now()): string {
  if (!Number.isSafeInteger(now) || now < 0 || now >= 2 ** 48) {
    throw new TypeError(`now is milliseconds since the epoch, an integer below 2^48, not ${String(now)}`);
  }
  const bytes = randomBytes(10);
  bytes[0] = 0x70 | ((bytes[0] ?? 0) & 0x0f);
  bytes[2] = 0x80 | ((bytes[2] ?? 0) & 0x3f);
  const hex = now.toString(16).padStart(12, "0") + toHex(bytes);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
}

/** Bytes in one step: the arguments of a call are on the stack, which is limited. */
const base64Step = 0x8000;

export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let at = 0; at < bytes.length; at += base64Step) {
    binary += String.fromCharCode(...bytes.subarray(at, at + base64Step));
  }
  return btoa(binary);
}

/** Throws when the text is not base64. */
export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (unit) => unit.charCodeAt(0));
}

const uuidV7Form = /^([0-9a-f]{8})-([0-9a-f]{4})-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

/** Returns when a UUID of version 7 was made, milliseconds since the epoch; undefined for any other text. */
export function uuidV7Time(text: string): number | undefined {
  const found = text.length === 36 ? uuidV7Form.exec(text) : null;
  return found === null ? undefined : Number.parseInt(`${found[1]}${found[2]}`, 16);
}
