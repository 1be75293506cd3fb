import fc from "fast-check";
import { expect, it } from "vitest";
import { neutralize, undoNeutralize } from "../src/index.ts";

it.each([
  ["```toml", "`\u200b``toml"],
  ["  ~~~~", "  ~\u200b~~~"],
  ["[tool_call]", "[\u200btool_call]"],
  ["[[tool_result]]", "[[\u200btool_result]]"],
  ["[ Tool-Call ]", "[\u200b Tool-Call ]"],
  ['thought = """', 't\u200bhought = """'],
  ["code='''", "c\u200bode='''"],
  ['status = "success"', 's\u200btatus = "success"'],
  ["a <think> b", "a <\u200bthink> b"],
  ["</THINKING>", "<\u200b/THINKING>"],
  ["x <|[REQUEST_TOOL]|>", "x <\u200b|[REQUEST_TOOL]|>"],
  ["< | [ TOOL_RESULT ]|>", "<\u200b | [ TOOL_RESULT ]|>"],
  ["<tools><read_file>", "<\u200btools><read_file>"],
  ["<results call='1'>", "<\u200bresults call='1'>"],
  ["<tool_response>", "<\u200btool_response>"],
  ["<tool_call>{", "<\u200btool_call>{"],
])("should take the power from %j", (text, harmless) => {
  expect(neutralize(text)).toBe(harmless);
  expect(neutralize(`first line\r\n${text}`)).toBe(`first line\r\n${harmless}`);
});

it.each([
  "an `inline` word",
  "``",
  "tool_call",
  "see [tool_call] in the text",
  "status = 3",
  "code == '''",
  "<thinker>",
  "<tools-list>",
  "a < b | c",
  "普通文本",
])("should leave %j alone", (text) => {
  expect(neutralize(text)).toBe(text);
});

it("should change nothing the second time, and nothing but by its own character", () => {
  const unit = fc.constantFrom(
    "`",
    "~",
    "[",
    "tool_call",
    "]",
    "\n",
    " ",
    "<",
    "/",
    "think",
    ">",
    "|",
    "status",
    "=",
    '"',
  );
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 40 }), (text) => {
      const once = neutralize(text);
      expect(neutralize(once)).toBe(once);
      expect(once.replaceAll("\u200b", "")).toBe(text);
    }),
  );
});

it("should keep JSON text JSON, with the same value but for that character", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(JSON.stringify(JSON.parse(neutralize(text))).replaceAll("\u200b", "")).toBe(text);
    }),
  );
});

it("should find the envelope of an XML block", () => {
  expect(neutralize('{"reply": "x", "tools": "\\u003ctools>"}')).toBe('{"r\u200beply": "x", "tools": "\\u003ctools>"}');
  expect(neutralize('{\n  "tools": "x"\n}')).toBe('{\n  "t\u200bools": "x"\n}');
  expect(neutralize('{"tools": []}')).toBe('{"tools": []}');
});

it("should find a JSON document behind any white space", () => {
  for (const blank of ["\u00a0", "\u205f", "\f", "\ufeff ", "\t"])
    expect(neutralize(`${blank}{"thought":"a"}`)).toBe(`${blank}{"t\u200bhought":"a"}`);
});

it("should take linear time on hostile text", () => {
  for (const unit of ["<", "< ", "[", "`", " ", "\n ", "<|", "thought ", "[ \t"]) {
    expect(neutralize(unit.repeat(500_000)).length).toBeGreaterThan(0);
  }
});

it("should be undone exactly", () => {
  const parts = fc.constantFrom(
    "```",
    "~~~~",
    "\n",
    " ",
    "<think>",
    "<tools>",
    "</results>",
    "\u200b",
    "a",
    "[tool_call]",
    "code = ",
    '{"reply": "',
    "😀",
  );
  const text = fc.array(parts, { maxLength: 30 }).map((all) => all.join(""));
  fc.assert(
    fc.property(text, (given) => {
      // A zero-width space that stands where the mark would be set is the mark already.
      const marked = neutralize(given);
      expect(neutralize(undoNeutralize(marked))).toBe(marked);
      if (!given.includes("\u200b")) expect(undoNeutralize(marked)).toBe(given);
    }),
  );
});

it("should leave zero-width spaces alone that stand elsewhere", () => {
  expect(undoNeutralize("a\u200bb <\u200btools> \u200b")).toBe("a\u200bb <tools> \u200b");
});
