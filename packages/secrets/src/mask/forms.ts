/** The three alphabets in which values are looked for. */
export type Alphabet = "text" | "base64" | "hex";

/** A value in one of its forms. */
export interface FormText {
  alphabet: Alphabet;
  /** One character for each digit: UTF-16 units of a text, 0 to 63 of base64, 0 to 15 of hexadecimal. */
  digits: string;
  /** Whether the digit before it holds bits of the value and of what stands before it. */
  lead: boolean;
  /** Whether the digit after it does. */
  trail: boolean;
}

/** Shorter forms are not looked for: they would hide ordinary text. */
export const minFormLength = 6;
/** Of base64 inside of other base64, that many digits must be of the value alone. */
const minInnerLength = 8;
const minLineLength = 8;

/**
 * Returns everything that is looked for to find a value. Each form once. A character of a text may be written in any spelling: see
 * `spellings.ts`.
 */
export function formsOf(value: string): FormText[] {
  const withoutEnd = value.replace(/[\r\n]+$/, "");
  const whole = [...new Set([value, withoutEnd])].filter((text) => text.length >= minFormLength);
  const texts = new Set<string>();
  const add = (text: string): void => {
    if (text.length >= minFormLength) texts.add(text);
  };
  for (const text of whole) {
    for (const reversed of [text, ...reversals(text)]) add(reversed);
  }
  for (const variant of variants(value)) add(variant);
  const forms = [...texts].map((digits): FormText => ({ alphabet: "text", digits, lead: false, trail: false }));
  for (const text of whole) forms.push(...base64Forms(text), ...hexForms(text));
  return forms;
}

/** Returns the value as other programs normalise it, and its longer lines. */
function variants(value: string): string[] {
  const lines = value.split(/\r\n|\r|\n/);
  return [
    value.normalize("NFC"),
    value.normalize("NFD"),
    ...(lines.length === 1
      ? []
      : [
          value.replace(/\r\n?/g, "\n"),
          value.replaceAll("\r", ""),
          ...lines.filter((line) => line.length >= minLineLength),
        ]),
  ];
}

/** Reverses a text by characters, by UTF-16 units (as JavaScript does it) and by bytes, of which a terminal shows what is UTF-8. */
function reversals(value: string): string[] {
  const reverse = (text: string): string => [...text].reverse().join("");
  if (value.includes("\n")) {
    // As `rev` does it: line by line.
    const lines = value.split("\n").map(reverse);
    return [reverse(value), lines.join("\n"), ...lines.filter((line) => line.length >= minLineLength)];
  }
  const characters = reverse(value);
  if (/^[\0-\x7f]*$/.test(value)) return [characters];
  return [
    characters,
    value.split("").reverse().join(""),
    Buffer.from(Buffer.from(value, "utf8").reverse()).toString("utf8"),
  ];
}

/** The digit that each character of base64 stands for, by its code. */
const base64Digits = new Uint8Array(128);
for (const [digit, letter] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) {
  base64Digits[letter.charCodeAt(0)] = digit;
}

/** Encodes a text in all three alignments: it may stand inside of a longer text, as in `user:value`. */
function base64Forms(value: string): FormText[] {
  return (["utf8", "utf16le"] as const).flatMap((encoding) => {
    const bytes = Buffer.from(value, encoding);
    return [0, 1, 2].flatMap((before): FormText[] => {
      const letters = Buffer.from(Buffer.concat([Buffer.alloc(before), bytes]).toString("base64"), "latin1");
      const bits = (before + bytes.length) * 8;
      const inner = letters.subarray(before === 0 ? 0 : before + 1, Math.floor(bits / 6));
      if (inner.length < minInnerLength) return [];
      for (let at = 0; at < inner.length; at++) inner[at] = base64Digits[inner[at] as number] as number;
      return [{ alphabet: "base64", digits: inner.toString("latin1"), lead: before !== 0, trail: bits % 6 !== 0 }];
    });
  });
}

/** Encodes a text by bytes, by bytes with a `0` before each (as `0x41` has it), and by units of UTF-16 in both orders. */
function hexForms(value: string): FormText[] {
  const bytes = Buffer.from(value, "utf8");
  const little = Buffer.from(value, "utf16le");
  const big = Buffer.from(little).swap16();
  return [hexDigits(bytes, false), hexDigits(bytes, true), hexDigits(little, false), hexDigits(big, false)].map(
    (digits): FormText => ({ alphabet: "hex", digits, lead: false, trail: false }),
  );
}

function hexDigits(bytes: Uint8Array, withZeros: boolean): string {
  const digits = Buffer.alloc(bytes.length * (withZeros ? 3 : 2));
  let at = 0;
  for (const byte of bytes) {
    if (withZeros) at++;
    digits[at++] = byte >> 4;
    digits[at++] = byte & 15;
  }
  return digits.toString("latin1");
}
