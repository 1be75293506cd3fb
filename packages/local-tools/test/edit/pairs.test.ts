import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";

const edited = (text: string, find: string, replace: string): { text: string; notes: string; types: string[] } => {
  const { text: after, notes, problems } = applyEdits(text, [{ find, replace }], { lenient: true });
  return { text: after, notes: notes.join("\n"), types: problems.map(({ type }) => type) };
};

// What is forgiven in find is carried through in replace: one of each kind, with what it must not do.
it.each<[string, string, string, string, string]>([
  ["no-break spaces", "x = 1\ny\n", "x\u00a0= 1\ny", "x\u00a0= 1\nz\u00a0= 3\ny", "x = 1\nz = 3\ny\n"],
  ["ideographic spaces", "a b\n", "a\u3000b", "a\u3000b\u3000c", "a b c\n"],
  [
    "the file's own spaces",
    "s = 'a\u00a0b'; u = 1\n",
    "s = 'a b'; u = 1",
    "s = 'a b'; u = 2",
    "s = 'a\u00a0b'; u = 2\n",
  ],
  ["quotes of the call", 'f("a")\n', "f(“a”)", "f(“a”, “b”, ‘c’)", 'f("a", "b", \'c\')\n'],
  ["quotes of the file", "it’s one\n", "it's one", "it's two, isn't it", "it’s two, isn’t it\n"],
  [
    "quotes of a file that has both",
    "it’s one\nf('x')\n",
    "it's one",
    "it's one\nf('y')",
    "it’s one\nf('y')\nf('x')\n",
  ],
  ["both quotes of the file", "say “hi” now\n", 'say "hi" now', 'say "ho" now', "say “ho” now\n"],
  ["dashes", "a-b\n", "a–b", "a–b\nc–d", "a-b\nc-d\n"],
  ["zero-width spaces", "foobar\n", "foo\u200bbar", "foo\u200bbar\nba\u200bz", "foobar\nbaz\n"],
  ["hidden characters of the file", "foo\u200bbar = 1\n", "foobar = 1", "foobar = 2", "foo\u200bbar = 2\n"],
  ["decomposed characters", "café a\n", "cafe\u0301 a", "cafe\u0301 b e\u0301", "café b é\n"],
  ["white space at line ends", "a\nb\n", "a  \nb  \n", "a  \nc  \nb  \n", "a\nc\nb\n"],
  ["white space at line ends of the file", "x = 1  \ny\n", "x = 1\ny", "x = 2\ny", "x = 2  \ny\n"],
  ["a shift", "    a()\n    b()\n", "a()\nb()", "if c:\n    a()\nb()", "    if c:\n        a()\n    b()\n"],
  [
    "the file's indentation",
    "class A:\n    def f():\n        x = 1\n",
    "def f():\n    x = 1",
    "    def f():\n        x = 2",
    "class A:\n    def f():\n        x = 2\n",
  ],
  [
    "tabs for spaces",
    "\tif b {\n\t\tc()\n\t}\n",
    "    if b {\n        c()\n    }",
    "    if b {\n        if d {\n            c()\n        }\n    }",
    "\tif b {\n\t\tif d {\n\t\t\tc()\n\t\t}\n\t}\n",
  ],
  [
    "two spaces for four",
    "  if b {\n    c()\n  }\n",
    "    if b {\n        c()\n    }",
    "    if b {\n        d()\n    }",
    "  if b {\n    d()\n  }\n",
  ],
  [
    "a level of find that looks like one of the file",
    "f() {\n    a()\n}\n",
    "f() {\n  a()\n}",
    "f() {\n  if b {\n    a()\n  }\n}",
    "f() {\n    if b {\n        a()\n    }\n}\n",
  ],
  [
    "another unit that replace has not",
    "  if b {\n    c()\n  }\n",
    "    if b {\n        c()\n    }",
    "  if b {\n    d()\n  }",
    "  if b {\n    d()\n  }\n",
  ],
  [
    "a first line from behind its indentation",
    "\tif b {\n\t\tc()\n\t}\n",
    "if b {\n        c()\n    }",
    "if b {\n        d()\n    }",
    "\tif b {\n\t\td()\n\t}\n",
  ],
  [
    "comment blocks",
    "\t/**\n\t * a\n\t */\n\tb()\n",
    "    /**\n     * a\n     */\n    b()",
    "    /**\n     * a\n     * c\n     */\n    b()",
    "\t/**\n\t * a\n\t * c\n\t */\n\tb()\n",
  ],
  [
    "indentation and spaces at once",
    "  a = 1\n  b = 2\n",
    "a\u00a0= 1\nb = 2",
    "a\u00a0= 1\nc\u00a0= 3\nb = 2",
    "  a = 1\n  c = 3\n  b = 2\n",
  ],
  ["an indentation that its line has", "    x = 1\n", "x = 1", "    x = 2", "    x = 2\n"],
  ["blank lines that only find has", "a();\nb();\nc();\n", "\nb();\n\n", "d();\n", "a();\nd();\nc();\n"],
  ["blank lines that join nothing", "a();\nb();\n\nc();\n", "\nb();\n\n", "d();", "a();\nd();\n\nc();\n"],
  ["white space around find", "  a();\n  b();\n", "a();\n  b();", "  c();\n  b();\n", "  c();\n  b();\n"],
  ["a line that goes", "  a();\n  b();\n", "a();\n", "", "  b();\n"],
  ["CRLF", "a = 1\r\nb\r\n", "a\u00a0= 1\nb", "a\u00a0= 1\nc\u00a0= 2\nb", "a = 1\r\nc = 2\r\nb\r\n"],
])("carries %s through", (_, text, find, replace, after) => {
  const result = edited(text, find, replace);
  expect(result).toMatchObject({ text: after, types: [] });
  expect(result.notes).not.toBe("");
  // What changes nothing in the call changes nothing in the file.
  expect(edited(text, find, find).text).toBe(text);
});

it.each<[string, string, string, string]>([
  [
    "a character that stands for two",
    "s = 'a\u00a0b'; u = 1\n",
    "s\u00a0=\u00a0'a\u00a0b'; u = 1",
    "s\u00a0=\u00a0'a\u00a0b'; u = 1\nz\u00a0= 3",
  ],
  ["a level that nothing shows", "\tfoo()\n", "      foo()", "      foo()\n        bar()"],
  ["indentation of both", "    if x:\n        foo()\n", "if x:\n    foo()", "    foo()"],
  ["indentation of neither", "a()\nb()\n", "  a()\n  b()", "outer()\n  b()"],
  ["levels that are not one map", "a\n  b\n    c\n", "a\n    b\n  c", "x"],
])("refuses %s", (_, text, find, replace) => {
  expect(edited(text, find, replace)).toMatchObject({ text, types: ["FindMissing"] });
});

// Halves that are not of the same lines: what is meant can't be told, or is surely not what they say.
it.each<[string, string, string, string]>([
  ["a line before find", "first line\nb()\n", "b()", "first line\nc()"],
  ["lines behind find", "b()\nsecond();\n\nthird();\n", "b()\n", "c()\nsecond();\n\nthird();\n"],
  ["less indentation than the line's", "  a()\n", "a()", "b()\nc()"],
  ["a line of find that has another indentation", "    a()\n  b()\n", "a()\n  b()", "b()"],
  ["the line's indentation and more", "    void f();\n", "void f();", "    void\n        f();"],
  ["a part of the indentation", "    a()\n    a(1)\n", "  a()\n", "  if b:\n    a()\n  c()\n"],
])("refuses a replacement that has %s", (_, text, find, replace) => {
  const { problems, text: after } = applyEdits(text, [{ find, replace }], { lenient: true });
  if (problems.length > 0) expect([after, problems[0]?.type]).toEqual([text, "InvalidInput"]);
  else expect(after).toBe("    if b:\n        a()\n    c()\n    a(1)\n");
  // What is as it is written is not looked at.
  expect(applyEdits(text, [{ find, replace }]).problems).toEqual([]);
});

it("leaves a change of indentation alone, and what all and strict edits say", () => {
  expect(edited("    x = 1\n", "x = 1", "    x = 1").text).toBe("        x = 1\n");
  expect(applyEdits("    x = 1\n", [{ find: "x = 1", replace: "    x = 2" }]).text).toBe("        x = 2\n");
  const all = applyEdits("    x\n    x\n", [{ find: "x", replace: "    y", all: true }], { lenient: true });
  expect(all.text).toBe("        y\n        y\n");
});

it("takes time in proportion to the text", () => {
  const time = (count: number): number => {
    const [lines, tabs] = ["    ", "\t"].map((level) =>
      Array.from({ length: count }, (_, at) => `${level}“a${at}” = ${at};\n`).join(""),
    );
    const started = performance.now();
    expect(edited(lines as string, (tabs as string).replace(/[“”]/g, '"'), `${tabs}\tend\n`).types).toEqual([]);
    return performance.now() - started;
  };
  time(300);
  const [once, fourTimes] = [Math.min(time(300), time(300)), Math.min(time(1_200), time(1_200))];
  expect(fourTimes / once).toBeLessThan(10);
});
