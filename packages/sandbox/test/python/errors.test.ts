import { afterAll, expect, it } from "vitest";
import type { SandboxError } from "../../src/node/index.ts";
import { addTool, tool } from "../support.ts";
import { SharedInterpreter } from "./shared-interpreter.ts";

const search = tool("search_web", { query: { type: "string" } }, () => []);
const sandbox = new SharedInterpreter({ tools: [addTool, search] });
afterAll(() => sandbox[Symbol.asyncDispose]());

// Type, message, line, column, source line and hint, as the model gets them. No wording of CPython's beyond what its
// versions agree on.
const cases: { name: string; code: string; error: Record<keyof SandboxError & string, unknown> | object }[] = [
  {
    name: "an exception, by the line that raised",
    code: "def f(x):\n    return 1 / x\n\nf(1)\nf(0)\n__result__ = 1",
    error: {
      type: "ZeroDivisionError",
      line: 2,
      sourceLine: "    return 1 / x",
      message: expect.stringContaining("zero"),
    },
  },
  {
    name: "an exception inside a library, by the program's line",
    code: "x = 1\nstatistics.mean([])",
    error: { type: "StatisticsError", line: 2, sourceLine: "statistics.mean([])" },
  },
  {
    name: "an exception of the program's own class",
    code: 'class NotFound(Exception):\n    pass\nraise NotFound("no such order")',
    error: { type: "NotFound", message: "no such order", line: 3 },
  },
  {
    name: "a syntax error, with line and column",
    code: "x = 1\nif x = 2:\n    pass",
    error: { type: "SyntaxError", line: 2, column: 4, sourceLine: "if x = 2:" },
  },
  {
    name: "bad indentation",
    code: "def f():\nreturn 1",
    error: { type: "IndentationError", line: 2, sourceLine: "return 1" },
  },
  {
    name: "a fence around the code",
    code: "```python\n__result__ = 1\n```",
    error: { type: "SyntaxError", line: 1, hint: "write the code alone, without a fence" },
  },
  {
    name: "return at the top",
    code: "x = add(1)\nreturn x",
    error: { type: "SyntaxError", line: 2, hint: "assign the value instead: __result__ = …" },
  },
  {
    name: "await of a tool",
    code: "x = await add(1)\n__result__ = x",
    error: { type: "SyntaxError", line: 1, hint: "tools are plain functions: call them without await" },
  },
  {
    name: "an interrupt of the program's own, which is no timeout",
    code: "x = 1\nraise KeyboardInterrupt('mine')",
    error: { type: "KeyboardInterrupt", message: "mine", line: 2 },
  },
  {
    name: "an exception whose text is an exception",
    code: "class E(Exception):\n    def __str__(self):\n        raise KeyboardInterrupt\nraise E(1)",
    error: { type: "E", message: "", line: 4 },
  },
  {
    name: "an exception whose class has no name",
    code: "class E(Exception):\n    pass\nE.__name__ = ''\nraise E('text')",
    error: { type: "Exception", message: "text", line: 4 },
  },
  {
    name: "nesting that the parser cannot hold",
    code: `x = ${"-".repeat(60_000)}1`,
    error: { type: "RecursionError", message: "the program nests too deeply to be read" },
  },
  { name: "a null byte", code: "x = '\0'", error: { type: "SyntaxError", line: 1 } },
  {
    name: "a tool's name nearly right",
    code: "\nx = serch_web('a')",
    error: { type: "NameError", line: 2, hint: "the tool is called search_web" },
  },
  {
    name: "a variable's name nearly right",
    code: "total_amount = 3\n__result__ = total_amuont",
    error: { type: "NameError", line: 2, hint: "did you mean total_amount?" },
  },
  {
    name: "a library that is not there",
    code: "__result__ = zlib.crc32(b'a')",
    error: {
      type: "NameError",
      line: 1,
      hint: expect.stringContaining("zlib is not available; ask a tool"),
    },
  },
  {
    name: "a library's function nearly right",
    code: "__result__ = math.sqroot(4)",
    error: { type: "AttributeError", message: expect.stringContaining("Did you mean: 'sqrt'?") },
  },
  {
    name: "a dict read like an object",
    code: "d = {'title': 1}\n__result__ = d.title",
    error: { type: "AttributeError", line: 2, hint: "a dict has no attributes: write ['title'] or .get('title')" },
  },
  {
    name: "an unknown keyword of a tool",
    code: "__result__ = add(1, c=2)",
    error: {
      type: "TypeError",
      line: 1,
      message: "add() got an unexpected keyword argument 'c'",
      hint: "call it as add(a, b=2)",
    },
  },
  {
    name: "too many values for a tool",
    code: "__result__ = add(1, 2, 3)",
    error: {
      type: "TypeError",
      message: "add() takes 2 positional arguments but 3 were given",
      hint: "call it as add(a, b=2)",
    },
  },
  {
    name: "a tool's parameter given twice",
    code: "__result__ = add(1, a=2)",
    error: { type: "TypeError", message: "add() got multiple values for argument 'a'" },
  },
  {
    name: "a tool's parameter forgotten",
    code: "__result__ = add()",
    error: { type: "TypeError", message: "add() missing 1 required argument: 'a'", hint: "call it as add(a, b=2)" },
  },
  {
    name: "an argument that is no data",
    code: "__result__ = add(lambda: 1)",
    error: { type: "TypeError", message: expect.stringContaining("a is a function, which has no JSON form") },
  },
  {
    name: "no result, with what was probably meant",
    code: "x = add(1)\nprint(x)",
    error: { type: "MissingResult", message: expect.stringContaining("__result__"), hint: "write __result__ = x" },
  },
  {
    name: "no result after an assignment",
    code: "rows = [1, 2]",
    error: { type: "MissingResult", hint: "write __result__ = rows as the last line" },
  },
  {
    name: "no result after an expression",
    code: "add(1, b=5)",
    error: { type: "MissingResult", hint: "write __result__ = add(1, b=5)" },
  },
  {
    name: "no result where a text and a value are printed, by the value",
    code: "total = 5\nprint('total is', total)",
    error: { type: "MissingResult", hint: "write __result__ = total" },
  },
  {
    name: "no result where a label is printed last, by what was printed before",
    code: "total = 5\nprint(total * 2)\nprint('done')",
    error: { type: "MissingResult", hint: "write __result__ = total * 2" },
  },
  {
    name: "no result where the last expression is null, by what is not",
    code: "rows = [2, 1]\nrows.sort()",
    error: { type: "MissingResult", hint: "write __result__ = rows as the last line" },
  },
  {
    name: "no result where the last variable is null, by the one before",
    code: "rows = [2, 1]\nx = rows.sort()",
    error: { type: "MissingResult", hint: "write __result__ = rows as the last line" },
  },
  {
    name: "a result that a function keeps for itself",
    code: "def main():\n    __result__ = 7\nmain()",
    error: {
      type: "MissingResult",
      hint: "the one in main is a local name. Return the value from it, and write __result__ = main() after it",
    },
  },
  {
    name: "a function that is called where a program is the main one",
    code: "def main(n=1):\n    return n\nif __name__ == '__main__':\n    main()",
    error: { type: "MissingResult", hint: "write __result__ = main()" },
  },
  {
    name: "a function that returns nothing and is not called",
    code: "def work(x):\n    y = x",
    error: { type: "MissingResult", hint: "let work return its value, and write __result__ = work(…)" },
  },
  {
    name: "a result in a function that is never called, where print is the last",
    code: "def main():\n    print(1)\nmain()",
    error: { type: "MissingResult", hint: "let main return its value, and write __result__ = main()" },
  },
  {
    name: "a name that is near to one the guard refuses, without naming that",
    code: "__result__ = opem",
    error: { type: "NameError", hint: expect.not.stringContaining("open") },
  },
  {
    name: "an attribute that is near to one the guard refuses, without naming that",
    code: "class A:\n    f_global = 1\nlen(A().f_globale)",
    error: { type: "AttributeError", hint: "did you mean f_global?" },
  },
  {
    name: "an import of a name that is not there, without proposing to write it",
    code: "from json import nope",
    error: { type: "ImportForbidden", hint: "json is already available: remove the import" },
  },
  {
    name: "an import under another name",
    code: "import math as m",
    error: { type: "ImportForbidden", hint: "math is already available: remove the import and write math" },
  },
  { name: "nothing at all", code: "", error: { type: "MissingResult", hint: "assign the outcome: __result__ = …" } },
  {
    name: "an import of a library that is there",
    code: "# first\nimport math\n__result__ = math.pi",
    error: {
      type: "ImportForbidden",
      line: 2,
      column: 1,
      sourceLine: "import math",
      hint: "math is already available: remove the import",
    },
  },
  {
    name: "an import of names",
    code: "from datetime import timedelta, timezone",
    error: { type: "ImportForbidden", hint: expect.stringContaining("write datetime.timedelta, datetime.timezone") },
  },
  {
    name: "an import inside a function that never runs",
    code: "def f():\n    try:\n        import os\n    finally:\n        pass\n__result__ = 1",
    error: { type: "ImportForbidden", line: 3, column: 9, hint: expect.stringContaining("os is not available") },
  },
  {
    name: "open",
    code: "data = 1\ntext = open('a.txt').read()",
    error: {
      type: "ForbiddenName",
      line: 2,
      column: 8,
      message: "open is not available here",
      hint: expect.stringContaining("file"),
    },
  },
  {
    name: "a dunder attribute, the first in the source",
    code: "x = '中'.__class__.__mro__\ny = x.__dict__",
    error: { type: "ForbiddenName", line: 1, message: "the attribute __mro__ is not available here" },
  },
  {
    name: "a dunder attribute put together at run time",
    code: "__result__ = getattr(add, '__glo' + 'bals__')",
    error: { type: "ForbiddenName", line: 1, message: "the attribute __globals__ is not available here" },
  },
  {
    name: "a format string that walks attributes",
    code: "def f():\n    pass\ntext = '{0.__globals__}'\n__result__ = text.format(f)",
    error: { type: "ForbiddenName", line: 4 },
  },
  {
    name: "an import of a package that is not there",
    code: "from . import helper",
    error: {
      type: "ImportForbidden",
      line: 1,
      hint: expect.stringMatching(/^\. is not available; ask a tool/),
    },
  },
  {
    name: "a class of the program's own that is called like the end of a run",
    code: "class Timeout(Exception):\n    pass\nraise Timeout('of mine')",
    error: { type: "Exception", message: "of mine", line: 3 },
  },
  {
    name: "a line after a byte order mark, without it",
    code: "\ufeffx = nowhere",
    error: { type: "NameError", line: 1, sourceLine: "x = nowhere" },
  },
  {
    name: "a line in a program whose lines end in CR alone",
    code: "x = 1\rraise ValueError('a')\r",
    error: { type: "ValueError", line: 2, sourceLine: "raise ValueError('a')" },
  },
  {
    name: "half a character in the source, by its place",
    code: "x = 1\ny = '\ud83d'",
    error: {
      type: "SyntaxError",
      line: 2,
      column: 6,
      sourceLine: "y = '\ud83d'",
      hint: "write it as \\ud83d in a text",
    },
  },
];

it.each(cases)("should explain $name", async ({ code, error }) => {
  const run = await sandbox.run(code);
  expect(run).toMatchObject({ status: "error", error });
});

it("should end in the error although it printed and called before", async () => {
  const run = await sandbox.run('print("before")\nadd(1)\nraise KeyError("k")');
  expect(run).toMatchObject({
    status: "error",
    error: { type: "KeyError", message: "'k'", line: 3 },
    logs: [{ stream: "stdout", text: "before" }],
    toolCalls: [{ name: "add", ok: true }],
  });
});

it("should warn of a result that is null because a function kept its own", async () => {
  const run = await sandbox.run("def main():\n    __result__ = 7\n__result__ = main()");
  expect(run).toMatchObject({ status: "ok", value: null });
  expect(run.stats.warnings).toEqual([
    "__result__ is null: the one in main is a local name. Return the value from it, and write __result__ = main() after it",
  ]);
});

// A hint is worth a turn when what it says works: each of these is applied, and the program then ends well.
it.each([
  "total = 5\nprint('total is', total)",
  "rows = [2, 1]\nrows.sort()",
  "x = {'a': 1}\nprint(f\"a is {x['a']}\")",
  "def main():\n    return 7\nmain()",
  "def main():\n    return 7",
  "def main():\n    return 7\nif __name__ == '__main__':\n    print('it is', main())",
  "add(1, b=5)",
  "print(add(1), 'is the sum')",
])("should give a hint that leads to a result: %s", async (code) => {
  const run = await sandbox.run(code);
  const hint = run.status === "error" ? (run.error.hint ?? "") : "";
  const assignment = /__result__ = .*?(?= as the last line$|$)/.exec(hint)?.[0];
  const again = await sandbox.run(`${code}\n${assignment}`);
  expect(again.status === "ok" ? again.value : again.error, hint).toEqual(expect.anything());
  expect(again.status, hint).toBe("ok");
});
