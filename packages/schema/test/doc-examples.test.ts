import { readDocExamples } from "@toolglot/internal/testing/doc-examples";
import { expect, it } from "vitest";
import { examples } from "./doc-examples.ts";

const { shown, compiled } = readDocExamples(import.meta.dirname);
const outcomes: Record<string, unknown> = {
  toInputSchema: { city: "Oslo", days: 5 },
  argsSchema: ["city", "unit"],
  isInputSchema: true,
  ajvValidator: false,
};

it("should find the examples of the doc comments", () => {
  expect(shown).toHaveLength(Object.keys(examples).length);
});

it.each(shown)("should compile and run the example in %s", (_, code) => {
  expect(compiled).toContain(code);
});

it.each(Object.entries(examples))("should do what it shows: %s", async (name, example) => {
  expect(await example()).toEqual(outcomes[name]);
});
