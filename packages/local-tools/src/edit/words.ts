/** What a character is for the division into words. */
const [space, lower, upper, digit, sign] = [0, 1, 2, 3, 4] as const;

const asciiKinds = Uint8Array.from({ length: 128 }, (_, code) => {
  const character = String.fromCharCode(code);
  if (/[a-z]/.test(character)) return lower;
  if (/[A-Z]/.test(character)) return upper;
  if (/[0-9]/.test(character)) return digit;
  return code <= 0x20 || code === 0x7f ? space : sign;
});

/** Calls `visit` for each word as a number: parts of words (`fooBar` has two), numbers, single signs; case aside. At an LF it gets -1. */
export function eachWord(text: string, from: number, to: number, visit: (word: number, length: number) => void): void {
  let [hash, length, before] = [0, 0, space as number];
  for (let at = from; at < to; at++) {
    const code = text.charCodeAt(at);
    const kind = code < 128 ? (asciiKinds[code] as number) : kindOf(code);
    if (length > 0 && (kind !== before || kind === sign) && !(before === upper && kind === lower)) {
      visit(hash, length);
      length = 0;
    }
    before = kind;
    if (kind === space) {
      if (code === 10) visit(-1, 0);
      continue;
    }
    if (length === 0) hash = 0x811c9dc5;
    hash = Math.imul(hash ^ (kind === upper ? code | 0x20 : code), 0x01000193) >>> 0;
    length++;
  }
  if (length > 0) visit(hash, length);
}

/** Beyond ASCII: spaces, the usual signs, and else letters. */
function kindOf(code: number): number {
  if (code === 0xa0 || (code >= 0x2000 && code <= 0x200b) || code === 0x202f || code === 0x3000) return space;
  if (code <= 0xbf || (code > 0x200b && code <= 0x206f) || (code > 0x3000 && code <= 0x303f) || code === 0xfeff) {
    return sign;
  }
  return lower;
}
