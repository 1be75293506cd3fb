import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Lines of code without their indentation and the stars of a comment. */
const linesOf = (code: string): string => code.replace(/^ *(?:\* ?)?/gm, "").replace(/^ +/gm, "");

/** Examples of a package's doc comments. */
interface DocExamples {
  /** Path of the source, and the example's code. */
  shown: [path: string, code: string][];
  /** Text of `doc-examples.ts`, in which each of them must stand. */
  compiled: string;
}

/** Reads the `@example` blocks of the sources beside a folder of tests, and that folder's `doc-examples.ts`. */
export function readDocExamples(tests: string): DocExamples {
  const source = join(tests, "../src");
  const shown = readdirSync(source, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts"))
    .flatMap((path) => {
      const found = readFileSync(join(source, path), "utf8").matchAll(/@example\n.*```ts\n([\s\S]*?)\n.*```/g);
      return [...found].map(([, code = ""]): [string, string] => [path, linesOf(code)]);
    });
  return { shown, compiled: linesOf(readFileSync(join(tests, "doc-examples.ts"), "utf8")) };
}
