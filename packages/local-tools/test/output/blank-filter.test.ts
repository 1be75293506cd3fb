import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BlankFilter } from "../../src/output/blank-filter.ts";
import { OutputLog } from "../../src/output/output-log.ts";

const blanks = (count: number): string => " ".repeat(count);

function folded(pieces: readonly string[]): { text: string; removed: number } {
  const filter = new BlankFilter();
  const text = pieces.map((piece) => filter.push(piece)).join("") + filter.end();
  return { text, removed: filter.removed };
}

it.each([
  ["no blanks", "a\nb\n", "a\nb\n"],
  ["few blanks", `a${blanks(20)}\nb  `, `a${blanks(20)}\nb  `],
  ["many blanks before a line's end", `a${blanks(21)}\nb\t${blanks(20)}\n`, "a\nb\n"],
  ["many blanks at the end of all", `a${blanks(50)}`, "a"],
  ["blanks inside", `a${blanks(50)}b\n`, `a${blanks(50)}b\n`],
  ["blanks before text", `${blanks(5000)}b`, `${blanks(5000)}b`],
  ["two blank lines", "a\n\n\nb\n", "a\n\n\nb\n"],
  ["more blank lines", "a\n\n\n\n\n \n\t\nb\n", "a\n\n\nb\n"],
  ["blank lines at the beginning and the end", "\n\n\n\na\n\n\n\n", "\n\na\n\n\n"],
  ["a line of blanks", `a\n${blanks(30)}\nb`, "a\n\nb"],
])("should take out what is only layout: %s", (_name, text, expected) => {
  expect(folded([text]).text).toBe(expected);
  expect(folded([...text]).text).toBe(expected);
  expect(folded([text]).removed).toBe(text.length - expected.length);
});

const part = fc.oneof(
  fc.constantFrom("\n", "\n", "\n\n\n", " \n", "a", "b\n", "\t", "é\n"),
  fc.nat({ max: 25 }).map(blanks),
  fc.constant(blanks(4097)),
);

describe("whatever is written", () => {
  it("should give the same in any pieces, and nothing but blanks is missing", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (parts, size) => {
        const text = parts.join("").replace(/ {4000,}/g, blanks(100));
        const pieces = text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        const whole = folded([text]);
        expect(folded(pieces)).toEqual(whole);
        expect(whole.text.replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
        expect(text.length - whole.text.length).toBe(whole.removed);
        expect(whole.text).not.toMatch(/[ \t]{21}(?:\n|$)|\n[ \t]*\n[ \t]*\n[ \t]*\n/);
      }),
      { numRuns: rounds(300, 3000) },
    );
  });

  it("should keep all of it in the file, and say so", () => {
    const artifactDir = mkdtempSync(join(tmpdir(), "toolglot-blanks-"));
    try {
      fc.assert(
        fc.property(fc.array(part, { maxLength: 30 }), fc.integer({ min: 150, max: 400 }), (parts, maxChars) => {
          const log = new OutputLog({ maxChars, artifactDir, foldBlanks: true });
          let before = "";
          for (const one of parts) {
            log.write(one);
            before += one;
            expect(before.startsWith(log.beginning)).toBe(true);
          }
          const { output, outputLength, artifact, folded: note } = log.finish();
          const text = parts.join("");
          const whole = folded(parts);
          expect(outputLength).toBe(text.length);
          expect(artifact === undefined ? output : readFileSync(artifact, "utf8")).toBe(text);
          if (whole.text.length <= maxChars) expect(output).toBe(whole.text);
          expect(note === undefined).toBe(whole.removed === 0);
          if (note !== undefined) expect(note).toContain(artifact as string);
        }),
        { numRuns: rounds(200, 1000) },
      );
    } finally {
      rmSync(artifactDir, { recursive: true });
    }
  });
});

it("should say that the file could not be made, too", () => {
  const log = new OutputLog({ maxChars: 100, artifactDir: "/proc/none", foldBlanks: true });
  log.write("a\n\n\n\n\nb\n");
  const { output, artifact, folded: note } = log.finish();
  expect({ output, artifact }).toEqual({ output: "a\n\n\nb\n", artifact: undefined });
  expect(note).toMatch(/^2 characters .*; the whole output could not be kept: /);
});
