import { type Encoding, type TextForm, utf8, utf16be, utf16le } from "./encodings.ts";

/** What this package uses of two libraries. They are loaded when a file turns up that is not UTF-8. */
export interface Codecs {
  iconv: Pick<typeof import("iconv-lite"), "decode" | "encode" | "getDecoder">;
  chardet: Pick<typeof import("chardet"), "analyse">;
}

let loaded: Codecs | undefined;
let provider: (() => Codecs) | undefined;

/** Where they come from when they are first needed. */
export function provideCodecs(provide: () => Codecs): void {
  provider = provide;
}

export function codecs(): Codecs {
  loaded ??= provider?.();
  if (loaded === undefined) throw new Error("the codecs are not loaded");
  return loaded;
}

/** Stands for what can't be decoded. */
export const replacementCharacter = "\ufffd";

/** Decodes a text that comes in pieces, which may end within a character. What is no character of the encoding becomes U+FFFD. */
export interface PieceDecoder {
  write(bytes: Buffer): string;
  end(): string;
}

/** Returns a decoder that drops nothing: a byte order mark is a character. */
export function pieceDecoder({ codec }: Encoding): PieceDecoder {
  if (isUnicode(codec)) {
    const decoder = new TextDecoder(codec, { ignoreBOM: true });
    return { write: (bytes) => decoder.decode(bytes, { stream: true }), end: () => decoder.decode() };
  }
  const decoder = codecs().iconv.getDecoder(codec);
  return { write: (bytes) => decoder.write(bytes), end: () => decoder.end() ?? "" };
}

/** Returns the whole text of bytes, in which nothing is replaced; undefined when they are not of the encoding. */
export function decodeAll(bytes: Buffer, { codec }: Encoding): string | undefined {
  if (isUnicode(codec)) {
    try {
      return new TextDecoder(codec, { ignoreBOM: true, fatal: true }).decode(bytes);
    } catch {
      return undefined;
    }
  }
  const { iconv } = codecs();
  const text = iconv.decode(bytes, codec);
  // One of them can encode even the character that stands for what can't be decoded.
  return !text.includes(replacementCharacter) || iconv.encode(text, codec).equals(bytes) ? text : undefined;
}

/** Returns the line of the first bytes that are not of an encoding, from 1. */
export function lineNotOf(bytes: Buffer, encoding: Encoding): number {
  if (encoding.width === 2) return 1;
  let from = 0;
  for (let line = 1; ; line++) {
    const end = bytes.indexOf(0x0a, from);
    if (end === -1 || decodeAll(bytes.subarray(from, end), encoding) === undefined) return line;
    from = end + 1;
  }
}

/** Returns the bytes of a text. What the encoding lacks is lost: decode them again to find that out. */
export function encodeAll(text: string, { codec }: Encoding): Buffer {
  if (codec === utf8.codec) return Buffer.from(text, "utf8");
  if (codec === utf16le.codec) return Buffer.from(text, "utf16le");
  if (codec === utf16be.codec) return Buffer.from(text, "utf16le").swap16();
  return codecs().iconv.encode(text, codec);
}

/** Checks whether bytes are a text of an encoding, and with `roundTrip` what that text is encoded to. `tick` is called now and then. */
export function isEncodedIn(
  bytes: Buffer,
  encoding: Encoding,
  { roundTrip = false, tick = () => {} }: { roundTrip?: boolean; tick?: () => void } = {},
): boolean {
  if (isUnicode(encoding.codec)) return decodeAll(bytes, encoding) !== undefined;
  for (let from = 0; from < bytes.length; ) {
    tick();
    const to = partEnd(bytes, from);
    const part = bytes.subarray(from, to);
    const text = decodeAll(part, encoding);
    if (text === undefined || (roundTrip && !encodeAll(text, encoding).equals(part))) return false;
    from = to;
  }
  return true;
}

/** Returns the beginning of a text, less a character or a line that may be cut at its end. */
export function withoutCutEnd(bytes: Buffer, encoding: Encoding): Buffer {
  if (encoding.width !== 2) return bytes.subarray(0, bytes.lastIndexOf(0x0a) + 1 || bytes.length);
  const even = bytes.length & ~1;
  const high = bytes[even - (encoding === utf16le ? 1 : 2)] ?? 0;
  return bytes.subarray(0, (high & 0xfc) === 0xd8 ? even - 2 : even);
}

/** Bytes that are decoded at one time. */
const partBytes = 1 << 20;

/** Returns a place behind which a character begins: behind a line end, since no longer character has one in it. */
function partEnd(bytes: Buffer, from: number): number {
  if (bytes.length - from <= partBytes) return bytes.length;
  const end = bytes.lastIndexOf(0x0a, from + partBytes);
  if (end >= from) return end + 1;
  const next = bytes.indexOf(0x0a, from + partBytes);
  return next === -1 ? bytes.length : next + 1;
}

/** Returns the text of a file without its mark, nothing replaced; undefined when it is not of that form. */
export function decodeForm(bytes: Buffer, { encoding, mark }: TextForm): string | undefined {
  return decodeAll(bytes.subarray(mark), encoding);
}

function isUnicode(codec: string): boolean {
  return codec === utf8.codec || codec === utf16le.codec || codec === utf16be.codec;
}
