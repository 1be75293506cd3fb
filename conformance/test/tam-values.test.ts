import { expect, it } from "vitest";
import { randomNumbers } from "../src/chunking.ts";
import { tam } from "../src/implementations/tam.ts";

/** What values are made of: whatever models write into them, but no standard closer that a field or an end may follow. */
const pieces = [
  ...[
    "word",
    "x = 1;",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\n\n",
    "\n    ",
    "\n\t",
    "\r\n",
    "\\n",
    "é😀",
    "笔记",
    "\u2028",
    "\0",
  ],
  ...["<<<", ">>>", "<<", ">>", "<<<<", ">>>>", "»", "« x", "»»»", "»»", "««x", "«««x", "《书》", "》》》", "《《《x"],
  ...["```", "\n```js\n", "\n~~~\n", "`", "# c", "\n# c\n", "\n#\n", "\n- item\n", "\n> quote\n", "\n>>> x\n"],
  ...[
    "a: b",
    "\nkey: value\n",
    "\na: >>> b\n",
    "\nc:>>>d<<<\n",
    "\n<<<<<<< HEAD\n",
    "\n=======\n",
    "\n>>>>>>> x\n",
    "<<EOF",
  ],
  ...["\nkey:»»»value«««\n", "see path:»»»/x««« there", "\n命令：»»»x«««\n"],
  ...[
    "<tools>",
    "</tools>",
    "<think>",
    "</think>",
    "\n[tool_result]\n",
    "\n<results>\n",
    "\n<|[TOOL_RESULT]|>\n",
    "<|[",
    "]|>",
  ],
  ...[
    "\n<|[REQUEST_TOOL]|>\n",
    " <|[END_TOOL]|> ",
    "{{ x }}",
    '"quoted"',
    "'",
    "&lt;",
    "<![CDATA[",
    "]]>",
    "@{x}",
    "$HOME",
  ],
];

it.each([7, 11, 13, 17])("reads values of any text as they are, seed %d", (seed) => {
  const next = randomNumbers(seed);
  for (let round = 0; round < 250; round += 1) {
    const values = Array.from({ length: 1 + Math.floor(next() * 3) }, () => {
      const length = Math.floor(next() * 14);
      const allowed = round % 2 === 0 ? pieces : pieces.filter((piece) => !/^««/.test(piece));
      const chosen = Array.from({ length }, () => allowed[Math.floor(next() * allowed.length)] as string);
      // Fields inside values are told apart by balance, which closers that belong to nothing would spoil; and after such a
      // closer a field or a start marker would be one.
      const oneStart = chosen.filter((piece, at) => !piece.includes("REQUEST") || chosen.indexOf(piece) === at);
      return oneStart.filter((piece) => round % 2 !== 0 || !/[:：] ?(?:»»»|>>>)|REQUEST/.test(piece)).join("");
    });
    const fields = values.map((value, index) => `p_${index}x_1:»»»${apart(value)}«««`);
    const text = ["<|[REQUEST_TOOL]|>", "command_1:»»»T«««", ...fields, "<|[END_TOOL]|>", ""].join("\n");
    const { blocks, diagnostics } = tam.parse(text, {});
    const expected = Object.fromEntries(values.map((value, index) => [`p_${index}x`, trimmed(value)]));
    const shown = JSON.stringify(text);
    expect(diagnostics, shown).toEqual([]);
    expect(
      blocks.map(({ status }) => status),
      shown,
    ).toEqual(["complete"]);
    const params = Object.entries(blocks[0]?.steps[0]?.params ?? {}).map(([key, value]) => [key, trimmed(value)]);
    expect(Object.fromEntries(params), shown).toEqual(expected);
  }
});

/** Marks at a value's ends that would make its delimiters longer stand apart from them. */
const apart = (value: string): string => value.replace(/^(?=[»》])/, " ").replace(/(?<=[«《])$/, " ");

/** Line ends are not compared here. */
const trimmed = (value: string): string => value.trim().replaceAll("\r\n", "\n");
