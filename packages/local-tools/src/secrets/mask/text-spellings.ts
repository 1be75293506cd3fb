import { escaping, type Spelling } from "./shell-spellings.ts";

const insideJson: Spelling = (value) => JSON.stringify(value).slice(1, -1);
const upper: Spelling = (text) => text.toUpperCase();

/** Units of UTF-16 as `\uXXXX`, each by itself. */
const inUnits = (pattern: RegExp, letters: Spelling): Spelling =>
  escaping(pattern, (unit) => `\\u${letters(unit.charCodeAt(0).toString(16).padStart(4, "0"))}`);
const onTop =
  (...spellings: readonly Spelling[]): Spelling =>
  (value) =>
    spellings.reduce((text, spelling) => spelling(text), value);

const slashes: Spelling = (text) => text.replaceAll("/", "\\/");
const upperControls: Spelling = escaping(/\\u00[01][0-9a-f]/g, (code) => `\\u${code.slice(2).toUpperCase()}`);
const quotesByCode: Spelling = escaping(/\\"/g, () => "\\u0022");

const once: readonly Spelling[] = [
  insideJson,
  onTop(insideJson, upperControls),
  ...[(text: string) => text, upper].flatMap((letters) => [
    onTop(insideJson, inUnits(/[^\0-\x7f]/g, letters)),
    onTop(insideJson, inUnits(/[^\0-\x7e]/g, letters)),
    onTop(insideJson, upperControls, inUnits(/[^\0-\x7f]/g, letters)),
    // As encoders write text that is safe inside of HTML.
    onTop(insideJson, inUnits(/[<>&\u2028\u2029]/g, letters)),
    onTop(insideJson, inUnits(/[<>&'\u2028\u2029]/g, letters)),
    onTop(insideJson, quotesByCode, inUnits(/[<>&'+`]|[^\0-\x7e]/g, letters)),
  ]),
];
const withSlashes = [...once, ...once.map((spelling) => onTop(spelling, slashes))];

/** The inside of a JSON string, and of one that stands inside of another. */
export const jsonSpellings: readonly Spelling[] = [
  ...withSlashes,
  ...withSlashes.map((spelling) => onTop(spelling, insideJson)),
];

const percents = new Map<string, string>();
const percent: Spelling = (text) => {
  const known = percents.get(text);
  if (known !== undefined) return known;
  const bytes = [...Buffer.from(text, "utf8")];
  const code = bytes.map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`).join("");
  // What values are made of must not stay behind when they are forgotten.
  if (text <= "\u007f") percents.set(text, code);
  return code;
};
const lowerPercents: Spelling = escaping(/%[0-9A-F]{2}/g, (code) => code.toLowerCase());
const plusForBlank: Spelling = (text) => text.replaceAll("%20", "+");

/** By what an encoder leaves as it is. */
const percentEncoded: readonly Spelling[] = [
  /[^\w.!~*'()-]/gu,
  /[^\w.~-]/gu,
  /[^\w.*-]/gu,
  /[^\w.!~*'()/-]/gu,
  /[^\w.~/-]/gu,
  /[^\w.!~*'();/?:@&=+$,#-]/gu,
].map((pattern) => escaping(pattern, percent));

/** A value in a URL. Every byte as `%XX` is found as hexadecimal digits. */
export const urlSpellings: readonly Spelling[] = percentEncoded.flatMap((spelling) =>
  [spelling, onTop(spelling, plusForBlank)].flatMap((one) => [one, onTop(one, lowerPercents)]),
);

const named: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
const decimal: Spelling = (text) => `&#${text.codePointAt(0)};`;
const hexadecimal =
  (letters: Spelling): Spelling =>
  (text) =>
    `&#x${letters((text.codePointAt(0) ?? 0).toString(16))};`;
const same: Spelling = (text) => text;

const entities = (pattern: RegExp, own: Readonly<Record<string, string>> = {}, rest: Spelling = decimal): Spelling =>
  escaping(pattern, (text) => own[text] ?? named[text] ?? rest(text));

const quotes: readonly Readonly<Record<string, string>>[] = [
  { "'": "&#39;" },
  { "'": "&#039;" },
  { "'": "&apos;" },
  { "'": "&#x27;" },
  { "'": "&#39;", '"': "&#34;" },
];

/** A value in XML or HTML. */
export const xmlSpellings: readonly Spelling[] = [
  entities(/[&<]/g),
  entities(/[&<>]/g),
  entities(/[&<"]/g),
  entities(/[&<>"]/g),
  entities(/[&<>"\t\n\r]/g),
  entities(/[&<>"\t\n\r]/g, {}, hexadecimal(upper)),
  ...quotes.map((own) => entities(/[&<>"']/g, own)),
  ...[decimal, hexadecimal(same), hexadecimal(upper)].flatMap((rest) => [
    escaping(/[&<>"']/g, rest),
    escaping(/[^\0-\x7f]/gu, rest),
    entities(/[&<>]|[^\0-\x7f]/gu, {}, rest),
    entities(/[&<>"]|[^\0-\x7f]/gu, {}, rest),
    ...quotes.slice(0, 3).map((own) => entities(/[&<>"']|[^\0-\x7f]/gu, own, rest)),
  ]),
];
