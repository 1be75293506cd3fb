const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
const values: ReadonlyMap<string, number> = new Map([...letters].map((letter, value) => [letter, value]));

/** Base64 for URLs (RFC 4648, section 5), without padding. */
export function base64url(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const left = bytes.length - index;
    const group = ((bytes[index] ?? 0) << 16) | ((bytes[index + 1] ?? 0) << 8) | (bytes[index + 2] ?? 0);
    text += letters.charAt(group >> 18) + letters.charAt((group >> 12) & 63);
    if (left > 1) text += letters.charAt((group >> 6) & 63);
    if (left > 2) text += letters.charAt(group & 63);
  }
  return text;
}

/** The bytes of a base64url text without padding; undefined when it is none. */
export function base64urlBytes(text: string): Uint8Array | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array(Math.floor((text.length * 3) / 4));
  let group = 0;
  let bits = 0;
  let at = 0;
  for (const letter of text) {
    const value = values.get(letter);
    if (value === undefined) return undefined;
    group = ((group << 6) | value) & 0xffffff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[at++] = (group >> bits) & 0xff;
    }
  }
  return bytes;
}
