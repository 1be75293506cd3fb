import { expect, it } from "vitest";
import { findImports } from "../lib/imports.mjs";

const specifiers = (source: string, file = "a.ts") => findImports(file, source).map((found) => found.specifier);

it("should find every way to name a module", () => {
  const source = `
    import a from "one";
    import type { B } from "two";
    import "three";
    export { c } from "four";
    export * from "five";
    const d = await import("six");
    type E = import("seven").E;
    const f = require("eight");
    const g = import.meta.resolve("nine");
    const h = require.resolve(\`ten\`);
    import i = require("eleven");
  `;
  expect(specifiers(source)).toEqual([
    "one",
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
  ]);
});

it("should not be fooled by comments and strings", () => {
  const source = `
    // import a from "comment";
    /** @example import b from "doc" */
    const text = 'import c from "string"';
    const template = \`import d from "template"\`;
  `;
  expect(specifiers(source)).toEqual([]);
});

it("should leave out a computed name, which can't be checked", () => {
  expect(specifiers("const a = await import(name)")).toEqual([]);
});

it("should say the line, starting at 1", () => {
  expect(findImports("a.ts", '\n\nimport a from "x";')).toEqual([{ specifier: "x", line: 3, typeOnly: false }]);
});

it("should know imports of types only", () => {
  const typeOnly = (source: string) => findImports("a.ts", source)[0]?.typeOnly;
  expect(typeOnly('import type { A } from "x"')).toBe(true);
  expect(typeOnly('import { type A } from "x"')).toBe(true);
  expect(typeOnly('import { type A, b } from "x"')).toBe(false);
  expect(typeOnly('import {} from "x"')).toBe(false);
  expect(typeOnly('export type { A } from "x"')).toBe(true);
});
