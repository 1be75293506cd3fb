/** Writes a value as some program writes it. */
export type Spelling = (value: string) => string;

/** A spelling that writes the characters which `pattern` finds in another way. */
export const escaping =
  (pattern: RegExp, write: (character: string) => string): Spelling =>
  (value) =>
    value.replace(pattern, write);

const utf8 = (text: string): number[] => [...Buffer.from(text, "utf8")];
const inOctal = (text: string): string =>
  utf8(text)
    .map((byte) => `\\${byte.toString(8).padStart(3, "0")}`)
    .join("");
const inHex = (text: string): string =>
  utf8(text)
    .map((byte) => `\\x${byte.toString(16).padStart(2, "0")}`)
    .join("");
const asCodePoint = (text: string): string => {
  const code = (text.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, "0")}` : `\\u${code.padStart(4, "0")}`;
};
/** As Python writes a character: `\\xHH` up to U+00FF. */
const asShortCode = (text: string): string => {
  const code = text.codePointAt(0) ?? 0;
  return code > 255 ? asCodePoint(text) : `\\x${code.toString(16).padStart(2, "0")}`;
};
const upperDigits =
  (write: Spelling): Spelling =>
  (text) =>
    write(text).replace(/[0-9a-f]{2,}$|[0-9a-f]{2}(?=\\)/g, (digits) => digits.toUpperCase());

const short: Readonly<Record<string, string>> = {
  "\u0007": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
};
const withoutBell: Readonly<Record<string, string>> = { ...short, "\u0007": "" };
const onlyLines: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" };

/** The inside of a text in quotes with backslash escapes: `letters` where there is one for the character, `other` for the rest. */
function escaped(pattern: RegExp, letters: Readonly<Record<string, string>>, other: Spelling): Spelling {
  return escaping(pattern, (character) => {
    if (character === "\\" || character === "'" || character === '"') return `\\${character}`;
    return letters[character] || other(character);
  });
}

/** As coreutils quote what they can't print: '…'$'\n''…', with no quotes opened again at the end, or before a quote. */
function coreutilsQuotes(runOrQuote: RegExp): Spelling {
  return (value) =>
    value.replace(runOrQuote, (found: string, run: string | undefined, quote: string, at: number) => {
      if (run === undefined) return "'\\''";
      const spelled = `'$'${[...run].map((one) => short[one] ?? inOctal(one)).join("")}'`;
      if (quote !== "") return `${spelled}\\''`;
      return at + found.length === value.length ? spelled : `${spelled}'`;
    });
}

const withEscape = (written: string): Readonly<Record<string, string>> => ({ ...short, "\u001b": written });

// biome-ignore-start lint/suspicious/noControlCharactersInRegex: control characters are what is escaped.
/** What `$'…'` escapes; the letter `u` makes one match of a character outside the basic plane. */
const controls = /[\u0000-\u001f\u007f'\\]/gu;
const unprintable = /[\u0000-\u001f\u007f'\\]|\p{C}/gu;
const beyondAscii = /[\u0000-\u001f\u007f'\\]|[^\u0000-\u007f]/gu;
const controlsUnquoted = /[\u0000-\u001f\u007f\\]|\p{C}/gu;
const beyondAsciiUnquoted = /[\u0000-\u001f\u007f\\]|[^\u0000-\u007f]/gu;
/** Runs of what coreutils can't print, with the quote behind them: in a locale that has the character, and in the C locale. */
const runsOrQuotes = [
  /([\u0000-\u001f\u007f]+)('?)|'/g,
  /((?:[\u0000-\u001f\u007f]|\p{C})+)('?)|'/gu,
  /([^\u0020-\u007e]+)('?)|'/gu,
];
// biome-ignore-end lint/suspicious/noControlCharactersInRegex: as above.

const dollarQuoted: readonly Spelling[] = [
  ...["\\E", "\\e"].flatMap((written) => [
    escaped(controls, withEscape(written), inOctal),
    escaped(unprintable, withEscape(written), inOctal),
    escaped(beyondAscii, withEscape(written), inOctal),
  ]),
  escaped(controls, short, inOctal),
  ...[inHex, upperDigits(inHex)].flatMap((hex) => [escaped(controls, short, hex), escaped(beyondAscii, short, hex)]),
  ...[asCodePoint, upperDigits(asCodePoint)].map((code) => escaped(beyondAscii, short, code)),
];

/** As Python and JavaScript show a text: quotes of one kind stay as they are. */
const shown: readonly Spelling[] = [
  ...[controlsUnquoted, unprintable].flatMap((pattern) => [
    escaped(pattern, onlyLines, asShortCode),
    escaped(pattern, withoutBell, upperDigits(inHex)),
  ]),
  escaped(beyondAsciiUnquoted, onlyLines, inHex),
  escaped(beyondAsciiUnquoted, onlyLines, asShortCode),
  escaped(beyondAscii, onlyLines, asShortCode),
  escaped(beyondAscii, onlyLines, inHex),
];

const singleQuoted: readonly Spelling[] = [
  escaping(/'/g, () => "'\\''"),
  escaping(/'/g, () => `'"'"'`),
  ...runsOrQuotes.map(coreutilsQuotes),
];

const backslashed = (pattern: RegExp): Spelling => escaping(pattern, (character) => `\\${character}`);
const lineInQuotes =
  (spelling: Spelling): Spelling =>
  (value) =>
    value.split("\n").map(spelling).join("'\n'");

/** The inside of what shells and their libraries print so that a shell reads it back. */
export const shellSpellings: readonly Spelling[] = [
  ...singleQuoted,
  backslashed(/["$`\\]/g),
  backslashed(/["$`\\!]/g),
  backslashed(/[ \t\n'"\\|&;()<>!{}*[\]?^$`,]/g),
  backslashed(/[ \t\n'"\\|&;()<>!{}*[\]?^$`,#~]/g),
  lineInQuotes(backslashed(/[^\w\-.,:+/@\u0080-\uffff]/g)),
  lineInQuotes(backslashed(/[^\w\-.,:+/@]/gu)),
  backslashed(/[^\w\u0080-\uffff]/g),
  ...dollarQuoted,
  ...shown,
];
