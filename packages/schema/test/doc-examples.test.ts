import { join } from "node:path";
import { testDocExamples } from "@toolglot/internal/testing/doc-examples";
import { expect, it } from "vitest";
import { examples } from "./doc-examples.ts";

const outcomes: Record<string, unknown> = {
  toInputSchema: { city: "Oslo", days: 5 },
  argsSchema: ["city", "unit"],
  isInputSchema: true,
  ajvValidator: false,
};

testDocExamples(
  [join(import.meta.dirname, "doc-examples.ts")],
  [join(import.meta.dirname, "../src")],
  Object.keys(examples).length,
);

it.each(Object.entries(examples))("should do what it shows: %s", async (name, example) => {
  expect(await example()).toEqual(outcomes[name]);
});
