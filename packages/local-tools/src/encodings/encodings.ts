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
  ...["KOI8-R", "KOI8-U", "IBM437", "IBM850", "IBM852", "IBM866", "macintosh"].map((name) => encoding(name, 1)),
];

/** Other names of encodings, in plain letters and digits. */
const aliases: Readonly<Record<string, string>> = {
  "UTF-8": "unicode11utf8 utf8bom utf8withbom ascii usascii",
  "UTF-16LE": "utf16 ucs2 unicode",
  GBK: "gb2312 gb231280 euccn cp936 ms936 windows936 chinese",
  Big5: "big5hkscs cp950 windows950",
  Shift_JIS: "sjis xsjis mskanji ms932 cp932 windows932 windows31j",
  "EUC-JP": "ujis",
  "EUC-KR": "korean cp949 ms949 uhc windows949 ksc5601 ksc56011987",
  "ISO-8859-1": "latin1 l1",
  "ISO-8859-2": "latin2",
  "ISO-8859-9": "latin5",
  "ISO-8859-15": "latin9",
  "windows-1252": "ansi",
  "KOI8-R": "koi8",
  macintosh: "macroman",
};

const byName: ReadonlyMap<string, Encoding> = new Map(
  encodings.flatMap((one) => {
    const page = /^(?:windows-|IBM)(\d+)$/.exec(one.name)?.[1];
    const others = aliases[one.name]?.split(" ") ?? [];
    return [plain(one.name), ...(page === undefined ? [] : [`cp${page}`]), ...others].map(
      (name) => [name, one] as const,
    );
  }),
);

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
