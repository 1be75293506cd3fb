import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import iconv from "iconv-lite";
import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import { composeChanges, type TextChange } from "../../src/edit/changes.ts";
import { encodeChanged } from "../../src/edit/recode.ts";
import { decodeAll } from "../../src/encodings/codecs.ts";
import { type Encoding, encodingNamed } from "../../src/encodings/encodings.ts";
import { loadCodecs } from "../../src/encodings/load-codecs.ts";

const applied = (text: string, changes: readonly TextChange[]): string => {
  let [made, end] = ["", 0];
  for (const { from, to, text: written } of changes) {
    made += text.slice(end, from) + written;
    end = to;
  }
  return made + text.slice(end);
};

/** Changes of a text of that length. */
const changesOf = (length: number): fc.Arbitrary<TextChange[]> =>
  fc
    .array(fc.tuple(fc.nat(length), fc.string({ maxLength: 3 })), { maxLength: 6 })
    .map((ends) => ends.sort(([one], [other]) => one - other))
    .map((ends) =>
      ends.flatMap(([to, text], index) => {
        if (index % 2 === 0) return [];
        return [{ from: (ends[index - 1] as [number, string])[0], to, text }];
      }),
    );

it("changes of changes are changes of the text", () => {
  fc.assert(
    fc.property(
      fc
        .string({ maxLength: 20 })
        .chain((text) =>
          changesOf(text.length).chain((first) =>
            changesOf(applied(text, first).length).map((second) => ({ text, first, second })),
          ),
        ),
      ({ text, first, second }) => {
        const both = composeChanges(first, second);
        expect(applied(text, both)).toBe(applied(applied(text, first), second));
        both.forEach(({ from, to }, index) => {
          expect(from).toBeLessThanOrEqual(to);
          expect(from).toBeGreaterThanOrEqual(both[index - 1]?.to ?? 0);
        });
      },
    ),
    { numRuns: rounds(500, 20_000) },
  );
});

/** Characters of each encoding, some in several codes or of several units. */
const alphabets: Readonly<Record<string, string>> = {
  "UTF-16LE": "aé中😀\u0301\ufeff",
  "UTF-16BE": "aé中😀\u0301\ufeff",
  GBK: "a中文字€的",
  GB18030: "a中文😀ㇹé",
  Shift_JIS: "a日本語ｱ∪表ソ",
  "EUC-JP": "a日本語ｱ",
  "EUC-KR": "a한국어똠",
  Big5: "a中文許功蓋",
  "windows-1251": "aпривет№",
  "ISO-8859-1": "aéüß\u0085",
  "KOI8-R": "aпривет─",
};

/** Other codes of characters, which the codec never writes. */
const otherCodes: Readonly<Record<string, string>> = { GBK: "80", Shift_JIS: "fa5b81e3", Big5: "a2cc" };

it("an edit changes only the replaced bytes", async () => {
  await loadCodecs();
  const files = fc.constantFrom(...Object.keys(alphabets)).chain((name) => {
    const chars = [...(alphabets[name] as string), "\n", "\r\n", " ", ";"];
    const words = fc.array(fc.constantFrom(...chars), { maxLength: 12 }).map((some) => some.join(""));
    return fc.tuple(fc.constant(name), words, words, words, words, fc.boolean());
  });
  fc.assert(
    fc.property(files, ([name, before, found, replace, behind, hasOther]) => {
      const encoding = encodingNamed(name) as Encoding;
      const coded = (text: string): Buffer => iconv.encode(text, encoding.codec);
      const other = Buffer.from(hasOther ? (otherCodes[name] ?? "") : "", "hex");
      // Digits stand nowhere else: what lies between them is found once.
      const [head, tail] = [Buffer.concat([other, coded(`${before}1`)]), Buffer.concat([coded(`2${behind}`), other])];
      const bytes = Buffer.concat([head, coded(found), tail]);
      const text = decodeAll(bytes, encoding) as string;
      const edit = { find: `1${found}2`, replace: `1${replace}2` };
      const { text: after, changes, problems } = applyEdits(text, [edit]);
      expect(problems).toEqual([]);
      const form = { encoding, guessed: false, mark: 0 };
      const made = Buffer.from(encodeChanged({ bytes, text, bom: false, form }, changes, { path: "a", text: after }));
      expect(decodeAll(made, encoding)).toBe(after);
      expect(made.subarray(0, head.length).equals(head)).toBe(true);
      expect(made.subarray(-tail.length).equals(tail)).toBe(true);
      const start = after.indexOf("1") + 1;
      const written = coded(after.slice(start, after.indexOf("2", start)));
      expect(made.subarray(head.length, -tail.length).equals(written)).toBe(true);
    }),
    { numRuns: rounds(400, 20_000) },
  );
});
