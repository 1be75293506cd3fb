import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";

/** Removes the indentation of lines of code, and the stars of a doc comment. */
const linesOf = (code: string): string => code.replace(/^ *(?:\* ?)?/gm, "").replace(/^ +/gm, "");

/** Returns the examples in the doc comments of a folder, each with its file. */
function examplesIn(folder: string): [path: string, code: string][] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) =>
      [...readFileSync(join(folder, path), "utf8").matchAll(/@example\n.*```ts\n([\s\S]*?)\n.*```/g)].map(
        ([, code = ""]): [string, string] => [path, linesOf(code)],
      ),
    );
}

/** Tests that the `count` examples in the doc comments of folders stand, word for word, in one of the files, which are compiled. */
export function testDocExamples(files: readonly string[], folders: readonly string[], count: number): void {
  const compiled = files.map((file) => linesOf(readFileSync(file, "utf8"))).join("\n");
  const found = folders.flatMap(examplesIn);

  it("should find the examples of the doc comments", () => {
    expect(found).toHaveLength(count);
  });

  it.each(found)("should compile the example in %s", (_path, code) => {
    expect(compiled.includes(code), code).toBe(true);
  });
}
