/** Letters, digits and joiners of words, as the inside of a JavaScript class with the flag `u`. */
export const word = "\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\u200c\\u200d";

/** What the classes of Python patterns hold: as in Unicode. */
export const classes: ReadonlyMap<string, string> = new Map([
  ["d", "\\p{Nd}"],
  ["s", "\\p{White_Space}"],
  ["w", word],
]);

/** Units that Python writes with a letter. */
const letters: Readonly<Record<string, number>> = { 0: 0, a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 };
const digitsOf: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** A text that is read from left to right. */
export interface Cursor {
  readonly text: string;
  at: number;
  /** Throws the mistake of the pattern. */
  readonly refuse: (why: string) => never;
}

/** Returns the next character, and goes behind it; the empty text at the end. */
export function take(cursor: Cursor): string {
  const code = cursor.text.codePointAt(cursor.at);
  const char = code === undefined ? "" : String.fromCodePoint(code);
  cursor.at += char.length;
  return char;
}

/** Goes behind a text where it is next. */
export function skip(cursor: Cursor, text: string): boolean {
  const found = cursor.text.startsWith(text, cursor.at);
  if (found) cursor.at += text.length;
  return found;
}

/** Returns a character as a pattern writes it, in a class and outside. */
export function unit(char: string | number): string {
  const code = typeof char === "number" ? char : (char.codePointAt(0) as number);
  const plain = String.fromCodePoint(code);
  return /[a-z0-9_ <>"':,]/i.test(plain) ? plain : `\\u{${code.toString(16)}}`;
}

/** Returns the code that an escape stands for, when it stands for one character; the cursor is behind its letter. */
export function escapedCode(cursor: Cursor, letter: string): number | undefined {
  const count = digitsOf[letter];
  if (count === undefined) return /[a-z0-9]/i.test(letter) ? letters[letter] : letter.codePointAt(0);
  const digits = cursor.text.slice(cursor.at, cursor.at + count);
  const code = Number.parseInt(digits, 16);
  if (digits.length < count || /[^\da-f]/i.test(digits) || code > 0x10ffff)
    cursor.refuse(`\\${letter} needs ${count} digits`);
  cursor.at += count;
  return code;
}

/** Returns a Unicode property as JavaScript names it; the cursor is behind `\p` or `\P`. */
export function property(cursor: Cursor, letter: string): string {
  const name = /^\{([^{}^]+)\}|^\w/.exec(cursor.text.slice(cursor.at, cursor.at + 100));
  if (!name) return cursor.refuse(`\\${letter} must name a property`);
  cursor.at += name[0].length;
  const given = name[1] ?? name[0];
  for (const source of [given, `Script=${given}`]) {
    try {
      return new RegExp(`\\${letter}{${source}}`, "u").source;
    } catch {
      // Only the engine knows which properties it has.
    }
  }
  return cursor.refuse(`JavaScript has no property ${given}`);
}

/** Returns a class as a pattern for one character; the cursor is behind its `[`. */
export function readClass(cursor: Cursor): string {
  const negated = skip(cursor, "^");
  let items = "";
  let notWord = false;
  for (let first = true; first || !skip(cursor, "]"); first = false) {
    if (cursor.text.startsWith("[:", cursor.at)) cursor.refuse("JavaScript has no [:alpha:]");
    const low = readItem(cursor);
    if (low === "\\W") notWord = true;
    else if (typeof low === "string") items += low;
    else if (cursor.text[cursor.at] === "-" && (cursor.text[cursor.at + 1] ?? "]") !== "]") {
      cursor.at += 1;
      const high = readItem(cursor);
      if (typeof high === "string" || high < low) cursor.refuse("a range must go up");
      items += `${unit(low)}-${unit(high as number)}`;
    } else items += unit(low);
  }
  if (!notWord) return `[${negated ? "^" : ""}${items}]`;
  return negated ? `(?:(?![${items}])[${word}])` : `(?:[${items}]|[^${word}])`;
}

/** Returns the code of one character, or the items of a class in a class. */
function readItem(cursor: Cursor): number | string {
  const char = take(cursor);
  if (char === "") return cursor.refuse("a class has no ]");
  if (char !== "\\") return char.codePointAt(0) as number;
  const letter = take(cursor);
  if (letter === "p" || letter === "P") return property(cursor, letter);
  if (letter === "W") return "\\W";
  const known = classes.get(letter.toLowerCase());
  if (known !== undefined) return letter === letter.toLowerCase() ? known : known.replace("\\p", "\\P");
  const code = letter === "b" ? 8 : escapedCode(cursor, letter);
  return code ?? cursor.refuse(`\\${letter} has no meaning in a class`);
}
