import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exceptions, sentences } from "./sentences.ts";

it.each(sentences.map((sentence) => [`${sentence.section}: ${sentence.text}`, sentence] as const))(
  "is tested: %s",
  (_, { tests }) => {
    expect(tests.length).toBeGreaterThan(0);
    for (const [file, name] of tests) {
      const source = readFileSync(join(import.meta.dirname, `${file}.test.ts`), "utf8");
      // The line on which a test's name stands: behind `it(`, behind a table's end, or alone where the line would be too long.
      const names = source.split("\n").filter((line) => /\bit\(|^\s*\]\)\(|\)\(["'`]|^\s*["'`]/.test(line));
      const isThere = names.some((line) => line.replaceAll('\\"', '"').includes(name));
      expect(isThere, `${file}.test.ts has no test that says: ${name}`).toBe(true);
    }
  },
);

it("has a reason for each sentence without a test", () => {
  for (const { reason } of exceptions) expect(reason).not.toBe("");
});
