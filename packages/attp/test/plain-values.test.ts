import { cut } from "@toolglot/internal/testing/parsers";
import fc from "fast-check";
import { parse as parseToml } from "smol-toml";
import { expect, it, vi } from "vitest";
import type { AttpParserOptions } from "../src/index.ts";
import { createParser } from "../src/parse.ts";
import { plainValues } from "../src/repair/plain-values.ts";
import type { Scan } from "../src/scan/entry.ts";
import { readChunks } from "./fixtures.ts";

/** Documents that were read without the TOML parser since this was emptied: their text, and what was read. */
const taken: { text: string; values: Record<string, string> }[] = [];

/** The parser as it is where every document goes through the TOML parser. */
vi.doMock("../src/repair/plain-values.ts", () => ({
  plainValues: (scan: Scan) => {
    const values = plainValues(scan);
    if (values) taken.push({ text: scan.source.slice(scan.start, scan.end), values: Object.fromEntries(values) });
    return undefined;
  },
}));
vi.resetModules();
const { createParser: createTomlParser } = await import("../src/parse.ts");
vi.doUnmock("../src/repair/plain-values.ts");

const safe = [
  "x = 1\n", "def f():\n", "    return 2\n", "# c\n", "a", " ", "\t", "\n", "é", "😀", "[1]", "ok", "", "  i\n",
]; // biome-ignore format: one list
const nasty = [
  "\\", "\\n", '\\"', "\\q", "\\u00e9", "\\u12", "\\U0001F600", "\\U00110000", "\\ud800", "\\x41", "\\\n", "\\  \n", "'", "''",
  "'''", '"', '""', '"""', "\r", "\r\n", "\n", "\0", "\u0007", "\u000b", "\f", "\u007f", "\u0085", "\u00a0", "\u2028",
  "\uFEFF", "\ud83d", "#", " # c", " // n", "  ", "\t", "=", ":", ".", "[", "]", "[tool_call]\n", "[tool_result]\n", "[x]\n",
  'thought = "u"\n', 'status = "fail"\n', "code = '''\n", 'message = "m"\n', 'target = "b"\n', "x = 1\n", "tool_call.", "```\n",
  "```python\n", "<think>", "prose here\n", "“", "‘‘‘", "＝",
]; // biome-ignore format: one list

const body = fc.array(fc.constantFrom(...safe), { maxLength: 5 }).map((list) => list.join(""));
const value = fc
  .tuple(body, fc.constantFrom("'''", "'''\n", '"""', '"""\n', "'", '"'))
  .map(([text, open]) => `${open}${open.length > 1 ? text : text.replace(/\n/g, " ")}${open.trim()}`);
const line = (key: string) =>
  fc.tuple(fc.constantFrom("", "", "", "  "), fc.constantFrom(" = ", " = ", "=", "\t=  "), value, fc.constantFrom("", "", " ", "\n"))
    .map(([indent, sign, written, after]) => `${indent}${key}${sign}${written}${after}\n`); // biome-ignore format: one line
const status = fc.constantFrom(
  'status = "success"\n',
  'status = "success"\n',
  "status = 'fail'\n",
  'status = "other"\n',
);
const call = fc
  .tuple(status, line("target"), line("code"), line("message"))
  .chain((lines) => fc.shuffledSubarray(lines));
const thought = fc.option(line("thought"), { nil: "" });
const plainDocument = fc
  .tuple(
    thought,
    fc.constantFrom("", "\n"),
    fc.constantFrom("[tool_call]\n", "[tool_call]  \n\n"),
    call,
    fc.constantFrom("", "", "", "", "[tool_call]\n"),
  )
  .map(([head, blank, header, lines, between]) => `${head}${blank}${header}${lines.join(between)}`);
/** Changes to a text: their places, in thousandths of its length or at a line's start there, what goes, and what comes. */
const edits = fc.array(
  fc.tuple(fc.nat({ max: 1000 }), fc.boolean(), fc.constantFrom(0, 0, 1, 4), fc.constantFrom("", ...nasty)),
  { maxLength: 2 },
);
const changed = fc.tuple(plainDocument, edits, fc.boolean()).map(([text, list, crlf]) => {
  for (const [place, atLine, less, more] of list) {
    let at = Math.round((place / 1000) * text.length);
    if (atLine) at = text.lastIndexOf("\n", at) + 1;
    text = text.slice(0, at) + more + text.slice(at + less);
  }
  return crlf ? text.replaceAll("\n", "\r\n") : text;
});
const wrapped = fc
  .tuple(
    fc.constantFrom("", "", "\uFEFF", "Sure.\n\n"),
    fc.constantFrom("", "", "```toml\n", "  ```\n"),
    fc.array(changed, { minLength: 1, maxLength: 2 }),
    fc.constantFrom("", "", "\n", "Done.\n"),
  )
  .map(([before, fence, list, after]) => {
    const documents = list.map((text) => (fence === "" ? text : `${fence}${text}\n\`\`\`\n`));
    return before + documents.join("\n") + after;
  });
const options: fc.Arbitrary<AttpParserOptions> = fc.constantFrom(
  {}, {}, {}, { strict: true }, { language: "javascript" }, { repairs: { "attp/dedented": false } }, { maxInputLength: 90 },
); // biome-ignore format: one list
const ends = fc.constantFrom(undefined, undefined, { finish: "length" as const });

it("reads a document of the plain form as the TOML parser does, and leaves all others to it", () => {
  let documents = 0;
  let plain = 0;
  fc.assert(
    fc.property(
      wrapped,
      options,
      ends,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 4 }),
      (text, choice, end, sizes) => {
        taken.length = 0;
        const strict = readChunks([text], choice, end, createTomlParser);
        documents += strict.result.blocks.length;
        plain += taken.length;
        for (const { text: written, values } of taken) {
          const { thought, tool_call } = parseToml(written.replaceAll("\r\n", "\n"));
          expect(values).toEqual({ ...(thought === undefined ? {} : { thought }), ...(tool_call as object) });
        }
        expect(readChunks([text], choice, end, createParser)).toEqual(strict);
        expect(readChunks(cut(text, sizes), choice, end, createParser)).toEqual(strict);
      },
    ),
    { numRuns: 1500 },
  );
  // Both kinds have to come up, or nothing was compared.
  expect(plain).toBeGreaterThan(documents / 5);
  expect(plain).toBeLessThan(documents);
});
