import { expect, it } from "vitest";
import { randomNumbers } from "../src/chunking.ts";
import { tam } from "../src/implementations/tam.ts";

/** What models write into values; none of it ends a standard value. */
const plain = [
  ...["word", "x = 1;", " ", "  ", "\t", "\n", "\n", "\n\n", "\n    ", "\n\t", "\r\n", "\\n", "é😀", "笔记", "\u2028"],
  ...["<<<", ">>>", "<<", ">>", "<<<<", ">>>>", "»", "« x", "»»»", "»»", "《书》", "》》》", "<<EOF", "\0", "a: b"],
  ...["```", "\n```js\n", "\n~~~\n", "`", "# c", "\n# c\n", "\n#\n", "\n- item\n", "\n> quote\n", "\n>>> x\n"],
  ...["\nkey: value\n", "\n<<<<<<< HEAD\n", "\n=======\n", "\n>>>>>>> x\n", "\n[tool_result]\n", "\n<results>\n"],
  ...["<tools>", "</tools>", "<think>", "</think>", "\n<|[TOOL_RESULT]|>\n", "<|[", "]|>", "{{ x }}", "@{x}", "$HOME"],
  ...['"quoted"', "'", "&lt;", "<![CDATA[", "]]>"],
];
/** Closers with text behind them: data, as another closer comes before the next field. No text that may have been a key. */
const closers = ["««x", "«««x", "a ««« b"];
/** Fields inside a value: data, as their openers and closers balance, and never without a warning. */
const fields = ["\nkey:»»»value«««\n", "see path:»»»/x««« there", "\n命令：»»»x«««\n", "\na: >>> b\n", "\nc:>>>d<<<\n"];
/** Markers: data in the middle of a line, and while a closer comes before the next start marker. */
const markers = ["\n<|[END_TOOL]|>\n", " <|[END_TOOL]|> x", "x <|[REQUEST_TOOL]|>"];

it.each([
  ["closers", closers],
  ["fields", fields],
  ["markers", markers],
])("reads values of any text as they are, with %s", (_, special) => {
  const next = randomNumbers(special.length);
  const common = special === closers ? plain.filter((piece) => !/[:=»>》]/.test(piece)) : plain;
  const pick = (list: readonly string[]): string => list[Math.floor(next() * list.length)] as string;
  for (let round = 0; round < 500; round += 1) {
    const values = Array.from({ length: 1 + Math.floor(next() * 3) }, () =>
      Array.from({ length: Math.floor(next() * 14) }, () => pick(next() < 0.2 ? special : common)).join(""),
    );
    const lines = values.map((value, index) => `p_${index}x_1:»»»${apart(value)}«««`);
    const text = ["<|[REQUEST_TOOL]|>", "command_1:»»»T«««", ...lines, "<|[END_TOOL]|>", ""].join("\n");
    const { blocks, diagnostics } = tam.parse(text, {});
    const shown = JSON.stringify(text);
    // One that holds fields may have lost its closer, and taken in what stood behind it.
    const doubts = values.filter((value) => /[:：]»»»(?:value|\/x|x)«««/.test(value)).length;
    const found = diagnostics.map(({ code, affects }) => `${code} ${affects}`);
    // One that stands in quotes on one line may be meant without them.
    const quoted = found.filter((one) => one === "tam/dressed-value value").length;
    expect(quoted, shown).toBeLessThanOrEqual(
      values.filter((value) => /^(["'`»*])[^\n]*\1$/.test(value.trim())).length,
    );
    const closed = found.filter((one) => one === "tam/foreign-closer value").length;
    expect(closed, shown).toBeLessThanOrEqual(values.filter((value) => value.trim().endsWith("</tools>")).length);
    expect(
      found.filter((one) => !/(?:dressed-value|foreign-closer) value$/.test(one)),
      shown,
    ).toEqual(Array.from({ length: doubts }, () => "tam/ambiguous-delimiter value"));
    expect(
      blocks.map(({ status }) => status),
      shown,
    ).toEqual([doubts + quoted + closed > 0 ? "recovered" : "complete"]);
    const params = Object.entries(blocks[0]?.steps[0]?.params ?? {}).map(([key, value]) => [key, trimmed(value)]);
    const expected = Object.fromEntries(values.map((value, index) => [`p_${index}x`, trimmed(value)]));
    expect(Object.fromEntries(params), shown).toEqual(expected);
  }
});

/** Marks at a value's ends that would make its delimiters longer stand apart from them. */
const apart = (value: string): string => value.replace(/^(?=[»》])/, " ").replace(/(?<=[«《])$/, " ");

/** Line ends are not compared here. */
const trimmed = (value: string): string => value.trim().replaceAll("\r\n", "\n");
