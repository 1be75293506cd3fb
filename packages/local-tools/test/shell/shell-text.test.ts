import { execFileSync } from "node:child_process";
import { quoteWord } from "@toolglot/internal";
import { rounds } from "@toolglot/internal/testing";
import fc from "fast-check";
import { expect, it } from "vitest";
import { unquoteWord } from "../../src/shell/typed-lines.ts";

const word = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: fc.constantFrom("'", '"', "\\", "$", "`", "\n", "\t", "\u0007", "\u001b", "é", "a", " ", ";") }),
);

it("reads back what bash quotes, and bash reads back what it quotes, whatever the locale", () => {
  fc.assert(
    fc.property(fc.array(word, { minLength: 1, maxLength: 50 }), fc.constantFrom("C", "C.UTF-8"), (words, locale) => {
      const texts = words.map((text) => Buffer.from(text).toString("utf8").replaceAll("\0", ""));
      const script = texts.map((text) => `printf '%q\\0' ${quoteWord(text)}`).join("\n");
      const output = execFileSync("bash", ["-s"], { input: script, env: { LC_ALL: locale }, encoding: "utf8" });
      expect(output.split("\0").slice(0, -1).map(unquoteWord)).toEqual(texts);
    }),
    { numRuns: rounds(30, 300) },
  );
});
