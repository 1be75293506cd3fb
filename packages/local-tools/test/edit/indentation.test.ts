import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";
import { sayIndentation } from "../../src/edit/indentation.ts";

function apply(text: string, find: string, replace: string): { text: string; notes: string[]; types: string[] } {
  const { text: after, notes, problems } = applyEdits(text, [{ find, replace }]);
  return { text: after, notes, types: problems.map(({ type }) => type) };
}

it("finds lines with another common indentation, and shifts the replacement alike", () => {
  expect(apply("  if (x) {\n    a();\n  }\n", "if (x) {\n  a();\n}", "if (y) {\n  b();\n\n  c();\n}")).toEqual({
    text: "  if (y) {\n    b();\n\n    c();\n  }\n",
    notes: [
      "The find of pair 1 was found in line 1 with another indentation (it has 2 spaces, find has no indentation); the replacement was shifted alike.",
    ],
    types: [],
  });
});

it("takes indentation off, too", () => {
  expect(apply("x\nfoo();\n  bar();\n", "    foo();\n      bar();\n", "    one();\n      two();\n").text).toBe(
    "x\none();\n  two();\n",
  );
});

it("exchanges tabs for spaces in front when all lines share them", () => {
  const { text, notes } = apply(
    "\t\tfoo();\n\t\tbar();\n",
    "    foo();\n    bar();",
    "    foo();\n      new();\n    bar();",
  );
  expect(text).toBe("\t\tfoo();\n\t\t\tnew();\n\t\tbar();\n");
  expect(notes[0]).toContain("(it has 2 tabs, find has 4 spaces)");
});

it("refuses when two passages would do", () => {
  const text = "  a();\n  b();\n--\n    a();\n    b();\n";
  expect(apply(text, "a();\nb();\n\n", "x").types).toEqual(["FindMissing"]);
  expect(apply(text, "      a();\n      b();", "      x").types).toEqual(["FindMissing"]);
});

it("compares whole lines", () => {
  expect(apply("  call(a(1));\n  b();\n", "      a(1));\n      b();", "x").types).toEqual(["FindMissing"]);
  expect(apply("  return xy;\n", "      return x", "      return z").types).toEqual(["FindMissing"]);
  expect(apply("  return x", "      return x", "      return z").text).toBe("  return z");
});

it("lets an empty line stand for an indented one", () => {
  expect(apply("  a\n  \n  b\n", "a\n\nb", "a\n\nc").text).toBe("  a\n  \n  c\n");
  expect(apply("  a\n\n  b\n", "    a\n    \n    b", "    x").text).toBe("  x\n");
  expect(apply("  \n  a\n  b\n", "\na\nb", "\nc").text).toBe("  \n  c\n");
  expect(apply("x\n\n  a\n  b\n", "\n\na\nb", "\nc").text).toBe("x\n  c\n");
});

it("refuses when the replacement can't be shifted alike", () => {
  const { types, text } = apply("a();\nb();\n", "  a();\n  b();", "outer();\n  b();");
  expect(types).toEqual(["FindMissing"]);
  expect(text).toBe("a();\nb();\n");
  const [problem] = applyEdits("a();\nb();\n", [{ find: "  a();\n  b();", replace: "outer();\n  b();" }]).problems;
  expect(problem?.message).toContain(
    "(2 spaces; line 1 has no indentation), and the replacement can't be shifted alike",
  );
});

it("works in files with CRLF", () => {
  const { text, notes } = apply("x\r\n\tfoo\r\n\tbar\r\n", "foo\nbar\n", "one\n\ttwo\n");
  expect(text).toBe("x\r\n\tone\r\n\t\ttwo\r\n");
  expect(notes).toHaveLength(2);
});

it("is not tried for anything but indentation", () => {
  expect(apply("  foo( a )\n", "foo(a)", "x").types).toEqual(["FindMissing"]);
  expect(apply("  foo\n  bar \n", "foo\nbar\nbaz", "x").types).toEqual(["FindMissing"]);
  expect(apply("  foo\n", "\n  \n", "x").types).toEqual(["FindMissing"]);
});

it("ends on texts made for slow comparisons", () => {
  const text = " a\n".repeat(500_000);
  expect(apply(text, `${"a\n".repeat(20_000)}b\n`, "x").types).toEqual(["FindMissing"]);
});

it("says an indentation", () => {
  expect(["", " ", "  ", "\t", "\t\t  ", " \t \t \t"].map(sayIndentation)).toEqual([
    "no indentation",
    "1 space",
    "2 spaces",
    "1 tab",
    "2 tabs, 2 spaces",
    '" \\t \\t \\t"',
  ]);
});
