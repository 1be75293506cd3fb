import { join } from "node:path";
import { rounds } from "@toolglot/internal/testing";
import { describe, expect, it } from "vitest";
import { readBodies } from "../src/slips/bodies.ts";
import { runDialect } from "../src/slips/dialects/run.ts";
import { written } from "../src/slips/dialects/write.ts";
import { summarize } from "../src/slips/summary.ts";

const bodies = readBodies(join(import.meta.dirname, ".."));
describe.each(written)("$id", (row) => {
  it("never runs what was not meant without a word, whatever the chunks", () => {
    const judged = runDialect(row, bodies, rounds(120, 3));
    expect(judged.length).toBeGreaterThan(100);
    const wrong = summarize(judged.filter(({ outcome }) => outcome === "wrong"));
    expect(wrong.length, wrong.slice(0, 3).join("\n\n")).toBe(0);
  });
});
