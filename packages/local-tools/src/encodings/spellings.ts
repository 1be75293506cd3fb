import { lineCounter } from "../files/text.ts";
import { codecs } from "./codecs.ts";
import { type Encoding, encodings, gb18030, utf8 } from "./encodings.ts";

/** More ways to write a text than this are no help. */
const maxSpellings = 64;
/** Letters and marks that some encodings write as one character, and characters that a decoder takes in more ways than one. */
const unsure = /[\p{M}\u{10000}-\u{10ffff}]/u;

/** Returns all bytes by which a text of one line can stand in a file, but in UTF-16; undefined where that isn't sure. Needs the codecs. */
export function spellings(text: string, tick: () => void = () => {}): Buffer[] | undefined {
  const { iconv } = codecs();
  if (unsure.test(text)) return undefined;
  const found = new Set([Buffer.from(text).toString("latin1")]);
  const chars = [...new Set(text)];
  for (const encoding of new Map(encodings.map((one) => [one.codec, one])).values()) {
    tick();
    const { codec, width } = encoding;
    if (width === 2 || encoding === utf8 || iconv.decode(iconv.encode(text, codec), codec) !== text) continue;
    const ways = waysOf(chars, encoding);
    let begun = [""];
    for (const char of text) {
      begun = begun.flatMap((one) => (ways.get(char) ?? []).map((way) => one + way));
      if (begun.length > maxSpellings) return undefined;
    }
    for (const one of begun) found.add(one);
  }
  return [...found].map((one) => Buffer.from(one, "latin1"));
}

/** Returns how an encoding writes some characters. Some have two ways, of which an encoder takes only one. */
function waysOf(chars: readonly string[], { codec, width }: Encoding): Map<string, string[]> {
  const { iconv } = codecs();
  const sequences = [singles, width === 1 ? [] : pairs(), codec === "EUC-JP" ? triples() : []].flat();
  // A line end, which is in no longer character, keeps them apart.
  const decoded = `\n${iconv.decode(Buffer.from(sequences.join("\n"), "latin1"), codec)}\n`;
  return new Map(
    chars.map((char) => {
      const ways: string[] = [];
      const lineOf = lineCounter(decoded);
      for (let at = decoded.indexOf(`\n${char}\n`); at !== -1; at = decoded.indexOf(`\n${char}\n`, at + 1)) {
        ways.push(sequences[lineOf(at) - 1] as string);
      }
      // Those of four bytes have one way.
      const isLong = codec === gb18030.codec && ways.length === 0;
      return [char, isLong ? [iconv.encode(char, codec).toString("latin1")] : ways];
    }),
  );
}

const singles = [...range(0, 0x09), ...range(0x0b, 0xff)];
const pairs = (): string[] => range(0x81, 0xfe).flatMap((lead) => range(0x40, 0xfe).map((byte) => lead + byte));
const triples = (): string[] =>
  range(0xa1, 0xfe).flatMap((second) => range(0xa1, 0xfe).map((third) => `\x8f${second}${third}`));

function range(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, at) => String.fromCharCode(from + at));
}
