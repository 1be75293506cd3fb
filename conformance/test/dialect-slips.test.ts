import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { readBodies } from "../src/slips/bodies.ts";
import { runDialect } from "../src/slips/dialects/run.ts";
import { written } from "../src/slips/dialects/write.ts";
import { summarize } from "../src/slips/summary.ts";

const bodies = readBodies(join(import.meta.dirname, ".."));
// To write cases takes as long as to read them: each dialect has the slips of some bodies, and all bodies have their turn.
const bodiesEach = rounds(6, 1);
describe.each(written.map((row, index) => ({ row, index })))("$row.id", ({ row, index }) => {
  it("never runs what was not meant without a word, whatever the chunks", () => {
    const some = bodies.filter((_, at) => (at + index) % bodiesEach === 0);
    const judged = runDialect(row, some, rounds(20, 3));
    expect(judged.length).toBeGreaterThan(100);
    const wrong = summarize(judged.filter(({ outcome }) => outcome === "wrong"));
    expect(wrong.length, wrong.slice(0, 3).join("\n\n")).toBe(0);
  });
});
