const letters = "\\\"'/bfnrtav\n";
const meanings = ["\\", '"', "'", "/", "\b", "\f", "\n", "\r", "\t", "\x07", "\v", ""];
const digitsBehind: Record<string, number> = { u: 4, x: 2, U: 8 };

/** An escape: what it means, and its length. `cut`: it may go on behind the text, or is the first half of a pair. */
type Escape = { meaning: string; length: number } | "cut";

/** Reads the escape at a backslash, of JSON or of Python, in a string that `quote` closes. Undefined: there is no such escape. */
export function readEscape(
  text: string,
  at: number,
  python: boolean,
  quote: string,
  ended: boolean,
): Escape | undefined {
  const letter = text.charAt(at + 1);
  if (!letter) return "cut";
  const place = letters.indexOf(letter);
  // JSON has nine of them, and no apostrophe.
  const isKnown = place >= 0 && (python ? letter !== "/" : place < 9 && (letter !== "'" || quote === "'"));
  if (isKnown) return { meaning: meanings[place] as string, length: 2 };
  const count = python || letter === "u" ? digitsBehind[letter] : undefined;
  if (count) return readHex(text, at, count, ended);
  if (!python || letter === "N") return undefined;
  const octal = /^[0-7]*/.exec(text.slice(at + 1, at + 4))?.[0];
  if (!octal) return { meaning: `\\${letter}`, length: 2 };
  if (!ended && octal.length < 3 && at + 1 + octal.length === text.length) return "cut";
  return { meaning: String.fromCharCode(Number.parseInt(octal, 8)), length: 1 + octal.length };
}

function readHex(text: string, at: number, count: number, ended: boolean): Escape | undefined {
  const digits = text.slice(at + 2, at + 2 + count);
  const code = Number.parseInt(digits, 16);
  if (/[^\da-f]/i.test(digits) || code > 0x10ffff) return undefined;
  const length = 2 + count;
  const second = text.slice(at + length, at + length + 6);
  const isFirst = code >> 10 === 0x36 && !ended && second.length < 6 && /^(?:\\(?:u[\da-f]*)?)?$/i.test(second);
  return digits.length < count || isFirst ? "cut" : { meaning: String.fromCodePoint(code), length };
}
