import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { readBodies } from "../src/slips/bodies.ts";
import { runDialect } from "../src/slips/dialects/run.ts";
import { written } from "../src/slips/dialects/write.ts";
import { summarize } from "../src/slips/summary.ts";

const bodies = readBodies(join(import.meta.dirname, ".."));
/**
 * Faults that are known, at most so many of all cases: a quote twice at the beginning of a string of LFM2, whose template writes so a text
 * that begins with one; a closing mark that is misspelt right before the right one; a tag that lost its end before a word.
 */
const known: Readonly<Record<string, number>> = { lfm2: 90, "qwen-xml": 30, dsml: 16 };

describe.each(written)("$id", (row) => {
  it("never runs what was not meant without a word, whatever the chunks", () => {
    const judged = runDialect(row, bodies, rounds(60, 3));
    expect(judged.length).toBeGreaterThan(200);
    const wrong = summarize(judged.filter(({ outcome }) => outcome === "wrong"));
    expect(wrong.length, wrong.slice(0, 3).join("\n\n")).toBeLessThanOrEqual(known[row.id] ?? 0);
  });
});
