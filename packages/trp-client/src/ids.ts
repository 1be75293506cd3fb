/** Random bytes as hex. */
function randomHex(bytes: number): string {
  let text = "";
  for (const byte of crypto.getRandomValues(new Uint8Array(bytes))) text += byte.toString(16).padStart(2, "0");
  return text;
}

/** A UUIDv7 (RFC 9562, 5.7): its time lets a router tell a key that is too old to be remembered. */
export function uuidV7(now: number = Date.now()): string {
  const time = now.toString(16).padStart(12, "0");
  const random = randomHex(10);
  const variant = ((Number.parseInt(random.slice(3, 4), 16) & 0x3) | 0x8).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${random.slice(0, 3)}-${variant}${random.slice(4, 7)}-${random.slice(7, 19)}`;
}

/** Ids that no other client makes: one random part, then counted. */
export class Ids {
  readonly #part = randomHex(9);
  #count = 0;

  next(prefix: string): string {
    return `${prefix}_${this.#part}${(this.#count++).toString(36)}`;
  }
}
