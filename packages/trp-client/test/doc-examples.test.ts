import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { examples } from "./doc-examples.ts";

/** Lines of code without their indentation. */
const linesOf = (code: string): string => code.replace(/^ *(?:\* ?)?/gm, "").replace(/^ +/gm, "");
const compiled = linesOf(readFileSync(join(import.meta.dirname, "doc-examples.ts"), "utf8"));
const found = ["../src", "../../trp-core/src"].flatMap((folder) =>
  readdirSync(join(import.meta.dirname, folder), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const text = readFileSync(join(import.meta.dirname, folder, path), "utf8");
      const shown = [...text.matchAll(/@example\n.*```ts\n([\s\S]*?)\n.*```/g)];
      return shown.map(([, code = ""]): [string, string] => [`${folder}/${path}`, linesOf(code)]);
    }),
);

it("should find the examples of the doc comments", () => {
  expect(found).toHaveLength(examples.length);
});

it.each(found)("should compile the example in %s", (_path, code) => {
  expect(compiled).toContain(code);
});
