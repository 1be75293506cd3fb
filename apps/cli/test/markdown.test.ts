import fc from "fast-check";
import { expect, it } from "vitest";
import { MarkdownStream } from "../src/view/markdown/markdown-stream.ts";
import type { Style } from "../src/view/style.ts";
import { TerminalView } from "../src/view/terminal-view.ts";

const as = (name: string) => (text: string) => (text === "" ? "" : `<${name}>${text}</${name}>`);
const marked: Style = {
  ...{ dim: as("dim"), strong: as("b"), emphasis: as("i"), accent: as("a"), code: as("c") },
  ...{ good: as("good"), warn: as("warn"), bad: as("bad") },
};
const none = (text: string): string => text;
const bare: Style = {
  dim: none,
  strong: none,
  emphasis: none,
  accent: none,
  code: none,
  good: none,
  warn: none,
  bad: none,
};

function set(text: string, { size = text.length, width = 60, style = bare } = {}): string {
  let out = "";
  const write = (piece: string): void => {
    out += piece;
  };
  const stream = new MarkdownStream({ indent: 2, width, style, write });
  for (let at = 0; at < text.length; at += size) stream.feed(text.slice(at, at + size));
  stream.end();
  return out;
}

it.each([
  ["## Title ##", "  <b>Title</b>\n"],
  ["**bold** and *italic* and `code`", "  <b>bold</b> and<i> italic</i> and<c> code</c>\n"],
  ["***both*** **a *b* c**", "  <b><i>both</i></b><b> a</b><b><i> b</i></b><b> c</b>\n"],
  ["你好**粗体**。", "  你好<b>粗</b><b>体</b>。\n"],
  ["snake_case_name, __init__, 2*3*4, a * b * c", "  snake_case_name, __init__, 2*3*4, a * b * c\n"],
  ["COUNT(*) and SUM(*), src/*.ts and test/*.ts", "  COUNT(*) and SUM(*), src/*.ts and test/*.ts\n"],
  ["*“quoted”* **.env** (*so*)", "  <i>“quoted”</i><b> .env</b> (<i>so</i>)\n"],
  ["**kwargs and *args", "  **kwargs and *args\n"],
  ["\\*no\\* C:\\dir `a \\ b`", "  *no* C:\\dir<c> a</c><c> \\</c><c> b</c>\n"],
  ["``a `b` c``", "  <c>a</c><c> `b`</c><c> c</c>\n"],
  ["[docs](https://x.y/a_b) [1] a[0]", "  <a>docs</a><dim> (https://x.y/a_b)</dim> [1] a[0]\n"],
  ["<https://x.y/a_b_c>", "  <https://x.y/a_b_c>\n"],
  ["- one\n  - two\n1. three", "  <a>•</a> one\n    <a>•</a> two\n  <a>1.</a> three\n"],
  ["> said\n>> before", "  <dim>│</dim> <dim>said</dim>\n  <dim>│</dim> <dim>│</dim> <dim>before</dim>\n"],
  ["a\n\n\n\nb\nc\n\n", "  a\n\n  b\n  c\n"],
  ["***", `  <dim>${"─".repeat(40)}</dim>\n`],
  ["```js\nlet a;\n\n  **b**\n```\nafter", "    <c>let a;</c>\n\n    <c>  **b**</c>\n  after\n"],
  ["#hash\n1.5 kg\n-5\n| bar", "  #hash\n  1.5 kg\n  -5\n  | bar\n"],
])("should set %j", (text, expected) => {
  expect(set(text, { style: marked })).toBe(expected);
});

it("should set tables in columns, wide characters counted as two, and wrap what is too long", () => {
  const table =
    "| name | sum | note |\n|---|--:|:-:|\n| lantern | 1,234.5 | `a|b` \\| c |\n| 灯笼 | 2 | one two three four five |\n";
  expect(set(table, { width: 40 })).toBe(
    [
      "  name    │     sum │ note",
      "  ────────┼─────────┼───────────────────",
      "  lantern │ 1,234.5 │ a|b | c",
      "  灯笼    │       2 │ one two three four",
      "          │         │ five",
      "",
    ].join("\n"),
  );
  // More columns than fit stay as they are.
  const wide = `|${"aaaaaaaaaa|".repeat(9)}\n|${"-|".repeat(9)}\n`;
  expect(set(wide, { width: 40 })).toContain("|aaaaaaaaaa|");
});

it("should indent what is wrapped under its item", () => {
  expect(set("- one two three four\n10. one two three four", { width: 18 })).toBe(
    "  • one two three\n    four\n  10. one two\n      three four\n",
  );
});

it("should draw words before their line has ended, and a table at its end", () => {
  const drawn: string[] = [];
  const stream = new MarkdownStream({ indent: 0, width: 80, style: bare, write: (text) => drawn.push(text) });
  const after = (text: string): string => {
    stream.feed(text);
    return drawn.splice(0).join("");
  };
  expect(after("The answer ")).toBe("The answer");
  expect(after("is **for")).toBe(" is");
  expect(after("ty** two")).toBe(" forty");
  expect(after("\n| a |\n|---|\n| 1")).toBe(" two\n");
  expect(after(" |\n\nx ")).toBe("a\n──────\n1\n\nx".replace("──────", "─"));
});

const pieces = fc.constantFrom(
  ...[
    "word",
    "灯",
    " ",
    "  ",
    "\n",
    "\n\n",
    "*",
    "**",
    "_",
    "`",
    "```",
    "- ",
    "1. ",
    "# ",
    "> ",
    "|",
    "|---|",
    "[",
    "](",
    ")",
    "\\",
    "a_b",
    "~~~",
  ],
);

it("should set the same text whatever the chunks", () => {
  fc.assert(
    fc.property(fc.array(pieces, { maxLength: 40 }), fc.integer({ min: 1, max: 5 }), (words, size) => {
      const text = words.join("");
      expect(set(text, { size })).toBe(set(text));
    }),
  );
});

it("should lose no word of a text without tables and fences", () => {
  const wordsOf = (text: string): string[] => text.match(/[\p{L}\p{N}]/gu) ?? [];
  fc.assert(
    fc.property(
      fc.array(
        pieces.filter((piece) => !/[|~]|```/.test(piece)),
        { maxLength: 40 },
      ),
      (words) => {
        const text = words.join("").replaceAll("```", "");
        // The number of an item is kept; an address that is its own text is not said twice.
        expect(wordsOf(set(text))).toEqual(wordsOf(text));
      },
    ),
  );
});

it("should read long lines of marks without an other half", () => {
  for (const mark of ["*a ", "`a ``", "[a", "_a_b", "**", "![", "\\"]) {
    const text = mark.repeat(Math.ceil(6000 / mark.length));
    expect(set(text, { size: 500 }).length).toBeGreaterThan(0);
  }
});

it("should set what a model says at a terminal, and leave the rest as it is", () => {
  const drawn = (markdown: boolean): string => {
    let out = "";
    const write = (text: string): void => {
      out += text;
    };
    const view = new TerminalView({ write, columns: () => 80, style: bare, markdown });
    view.event({ type: "text-delta", text: "**b**\u001b[2J", runId: "r", at: 0, stepIndex: 0 } as never);
    view.event({ type: "reasoning-delta", text: "**r**", runId: "r", at: 0, stepIndex: 0 } as never);
    view.event({ type: "action-start", runId: "r", at: 0, stepIndex: 0 } as never);
    return out;
  };
  expect(drawn(true)).toBe("  b�[2J\n\n  reasoning\n  │ **r**\n\n");
  expect(drawn(false)).toBe("  **b**�[2J\n\n  reasoning\n  │ **r**\n\n");
});
