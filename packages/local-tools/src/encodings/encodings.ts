import { nearest } from "@toolglot/internal";
import { localError } from "../errors.ts";
import { inMessage } from "../messages.ts";

/** How many bytes the character at `at` takes, in text that is valid in its encoding. */
export type CharLength = (bytes: Uint8Array, at: number) => number;

/** An encoding of text. All but UTF-16 have ASCII as it is, and no byte below 0x30 stands in a longer character. */
export interface Encoding {
  /** As messages call it, and as it can be asked for. */
  name: string;
  /** The name that goes to the codec. */
  codec: string;
  /** Bytes of each character, which all are one UTF-16 unit then; or those of the one at a place. Undefined for UTF-8. */
  width: 1 | 2 | CharLength | undefined;
}

/** How a file's text is encoded. */
export interface TextForm {
  encoding: Encoding;
  /** Nothing vouches for it. */
  guessed: boolean;
  /** Bytes of the byte order mark. */
  mark: number;
}

const within = (byte: number | undefined, low: number, high: number): boolean =>
  byte !== undefined && low <= byte && byte <= high;

const gbLength: CharLength = (bytes, at) =>
  !within(bytes[at], 0x81, 0xfe) ? 1 : within(bytes[at + 1], 0x30, 0x39) ? 4 : 2;
const shiftJisLength: CharLength = (bytes, at) =>
  within(bytes[at], 0x81, 0x9f) || within(bytes[at], 0xe0, 0xfc) ? 2 : 1;
const eucJpLength: CharLength = (bytes, at) =>
  bytes[at] === 0x8f ? 3 : bytes[at] === 0x8e || within(bytes[at], 0xa1, 0xfe) ? 2 : 1;
const pairLength: CharLength = (bytes, at) => (within(bytes[at], 0x81, 0xfe) ? 2 : 1);

const encoding = (name: string, width: Encoding["width"], codec = name): Encoding => ({ name, codec, width });

export const utf8: Encoding = encoding("UTF-8", undefined);
export const utf16le: Encoding = encoding("UTF-16LE", 2);
export const utf16be: Encoding = encoding("UTF-16BE", 2);
/** GBK and GB2312 are parts of GB18030, by which they are coded. */
export const gbk: Encoding = encoding("GBK", gbLength, "gb18030");
export const gb18030: Encoding = encoding("GB18030", gbLength);

export const encodings: readonly Encoding[] = [
  utf8,
  utf16le,
  utf16be,
  gbk,
  gb18030,
  encoding("Big5", pairLength),
  encoding("Shift_JIS", shiftJisLength),
  encoding("EUC-JP", eucJpLength),
  encoding("EUC-KR", pairLength),
  ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 15, 16].map((part) => encoding(`ISO-8859-${part}`, 1)),
  ...[874, 1250, 1251, 1252, 1253, 1254, 1255, 1256, 1257, 1258].map((page) => encoding(`windows-${page}`, 1)),
  encoding("KOI8-R", 1),
  encoding("KOI8-U", 1),
  encoding("IBM437", 1),
  encoding("IBM850", 1),
  encoding("IBM852", 1),
  encoding("IBM866", 1),
  encoding("macintosh", 1),
];

/** Other names, in plain letters and digits. */
const aliases: Readonly<Record<string, string>> = {
  unicode11utf8: "UTF-8",
  utf8bom: "UTF-8",
  utf8withbom: "UTF-8",
  ascii: "UTF-8",
  usascii: "UTF-8",
  utf16: "UTF-16LE",
  ucs2: "UTF-16LE",
  unicode: "UTF-16LE",
  gb2312: "GBK",
  gb231280: "GBK",
  euccn: "GBK",
  cp936: "GBK",
  ms936: "GBK",
  windows936: "GBK",
  chinese: "GBK",
  big5hkscs: "Big5",
  cp950: "Big5",
  windows950: "Big5",
  sjis: "Shift_JIS",
  xsjis: "Shift_JIS",
  mskanji: "Shift_JIS",
  ms932: "Shift_JIS",
  cp932: "Shift_JIS",
  windows932: "Shift_JIS",
  windows31j: "Shift_JIS",
  ujis: "EUC-JP",
  korean: "EUC-KR",
  cp949: "EUC-KR",
  ms949: "EUC-KR",
  uhc: "EUC-KR",
  windows949: "EUC-KR",
  ksc5601: "EUC-KR",
  ksc56011987: "EUC-KR",
  latin1: "ISO-8859-1",
  latin2: "ISO-8859-2",
  latin5: "ISO-8859-9",
  latin9: "ISO-8859-15",
  l1: "ISO-8859-1",
  ansi: "windows-1252",
  koi8: "KOI8-R",
  macroman: "macintosh",
};

const byName: ReadonlyMap<string, Encoding> = new Map([
  ...encodings.map((one) => [plain(one.name), one] as const),
  ...encodings.flatMap((one) => {
    const page = /^(?:windows-|IBM)(\d+)$/.exec(one.name)?.[1];
    return page === undefined ? [] : ([[`cp${page}`, one]] as const);
  }),
  ...Object.entries(aliases).map(
    ([alias, name]) => [alias, encodings.find((one) => one.name === name) as Encoding] as const,
  ),
]);

function plain(name: string): string {
  return name.toLowerCase().replace(/[^0-9a-z]/g, "");
}

/** Returns the encoding of a name, whatever its case and signs; undefined when there is none. */
export function encodingNamed(name: string): Encoding | undefined {
  return byName.get(plain(name));
}

/** Returns the names that most resemble one of no encoding. */
export function nearestEncodings(name: string): string[] {
  const known = nearest(plain(name), [...byName.keys()]).map((key) => (byName.get(key) as Encoding).name);
  return [...new Set(known)];
}

/** Returns the encoding that a model asks for. Throws `InvalidInput` with the nearest names. `path`: what messages call the file. */
export function demandEncoding(name: string, path: string): Encoding {
  const found = encodingNamed(name);
  if (found !== undefined) return found;
  const [first, ...others] = nearestEncodings(name);
  const cure =
    first === undefined
      ? "such as GBK, Shift_JIS or windows-1252 are known"
      : `did you mean ${[first, ...others].join(" or ")}?`;
  throw localError("InvalidInput", `${path}: there is no encoding ${inMessage(name)}; ${cure}`, {
    hint: "Name an encoding such as UTF-8, UTF-16LE, GBK, Big5, Shift_JIS, EUC-KR, windows-1252, or leave it out.",
  });
}

/** Checks whether two encodings are one, whatever they are called. */
export function isSameEncoding(one: Encoding, other: Encoding): boolean {
  return one.codec.toLowerCase() === other.codec.toLowerCase();
}

/** Returns how messages and outcomes call a form; undefined for UTF-8, which is not named. */
export function shownEncoding({ encoding }: Pick<TextForm, "encoding">): string | undefined {
  return encoding === utf8 ? undefined : encoding.name;
}
