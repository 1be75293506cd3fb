import { expect, it } from "vitest";
import { findCircles } from "../lib/circles.mjs";

const file = (path: string, ...lines: string[]) => ({ path: `src/${path}.ts`, source: lines.join("\n") });

it("should find files that import each other, by whatever way, and each group once", () => {
  const files = [
    file("a", 'import { b } from "./b.ts";'),
    file("b", 'export * from "./deep/c.ts";'),
    file("deep/c", 'const a = await import("../a.ts");'),
    file("self", 'import { self } from "./self.ts";'),
    file("d", 'import { a } from "./a.ts";', 'import { e } from "./e.ts";'),
    file("e", 'import fs from "node:fs";'),
  ];
  expect(findCircles(files)).toEqual([["src/a.ts", "src/b.ts", "src/deep/c.ts"], ["src/self.ts"]]);
});

it("should count imports of types, and leave out comments and files that it was not given", () => {
  const files = [
    file("a", 'import { b } from "./b.ts";', 'import { far } from "../far.ts";'),
    file("b", 'import type { A } from "./a.ts";'),
    file("c", 'import { type D } from "./d.ts";'),
    file("d", '// import { c } from "./c.ts";'),
  ];
  expect(findCircles(files)).toEqual([["src/a.ts", "src/b.ts"]]);
});
