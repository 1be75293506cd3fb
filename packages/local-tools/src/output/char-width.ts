const combining = /^(?:[\p{Mn}\p{Me}\p{Cf}]|\p{Emoji_Modifier})$/u;
const presentedAsEmoji = /^\p{Emoji_Presentation}$/u;

/** First and last code point of what East Asian text writes in two columns, in order. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0xa4cf],
  [0xa960, 0xa97c],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];

/** Returns the columns that a code point takes: 0 for what joins the one before it, 2 for wide East Asian ones and emoji, else 1. */
export function columnsOf(codePoint: number): 0 | 1 | 2 {
  if (codePoint < 0x300 || codePoint > 0x10ffff) return 1;
  const text = String.fromCodePoint(codePoint);
  if (combining.test(text)) return 0;
  if (wide.some(([first, last]) => codePoint >= first && codePoint <= last)) return 2;
  return presentedAsEmoji.test(text) ? 2 : 1;
}

/** Checks whether a unit is the second half of a surrogate pair. */
export function isLowSurrogate(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** Checks whether a unit is the first half of a surrogate pair. */
export function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
