import { isRunnable } from "@toolglot/core";
import { cut } from "@toolglot/internal/testing/parsers";
import { expect, it } from "vitest";
import { documentOf, readChunks } from "./fixtures.ts";

const size = 60_000;
const fill = (piece: string): string => piece.repeat(Math.ceil(size / piece.length));

/** Text that makes a careless parser look twice at everything. With quadratic cost these take minutes, not moments. */
const hostile: Record<string, string> = {
  "quotes in code": documentOf(fill("a = '''x'''\n"), { fence: "```" }),
  "possible ends in code": documentOf(fill("a = '''\n    b\n")),
  "possible ends in fenced code": documentOf(fill("a = '''\n    b\n"), { fence: "```" }),
  "keys that turn out to be code": documentOf(`${fill("code = '''\nstatus = \"\"\"\n")}  oops!\n`),
  "near closers": documentOf(fill("''"), { fence: "```" }),
  "one line of comments": documentOf(fill("'''# ")),
  "one line of quotes": documentOf(`${fill("'''x")}\n`),
  backslashes: documentOf(fill("\\"), { open: '"""\n', close: '\n"""' }),
  "fences in code": documentOf(fill("```\n"), { fence: "```" }),
  "tags in code": documentOf(fill("<think"), { fence: "```" }),
  openers: fill('thought = """\n'),
  tables: fill("[tool_call]\n"),
  "fence openers": fill("```toml\n"),
  tags: fill("<think></think>"),
  "open tags": fill("<think "),
  "less-than": fill("<"),
  "backticks before tags": `\`${fill("<think>")}\``,
  "runs of backticks": fill("` `` <think> ``` "),
  braces: fill('{"thought":'),
  "brace lines": fill("{\n"),
  "loose strings": `[tool_call]\n${fill('message = "a\n')}`,
  brackets: `[tool_call]\nx = ${fill("[")}`,
  spaces: fill(" "),
  "long key": fill("k"),
  "carriage returns": documentOf(fill("a\r")),
};

it.each(Object.entries(hostile))("%s: the same in any chunks, and no error", (_, text) => {
  const whole = readChunks([text]);
  expect(readChunks(cut(text, [1]))).toEqual(whole);
  expect(readChunks(cut(text, [8, 3]))).toEqual(whole);
});

it("holds a value of a million units", () => {
  const code = `x = "${"y".repeat(1_000_000)}"\n`;
  const { result } = readChunks(cut(documentOf(code), [4096]));
  expect(result.blocks[0]?.toolCall?.code).toBe(code);
});

it("reads a thousand documents", () => {
  const { result } = readChunks([documentOf("x = 1\n", { fence: "```" }).repeat(1000)]);
  expect(result.blocks.filter(isRunnable)).toHaveLength(1000);
});
