import { expect, it } from "vitest";
import { applyEdits } from "../../src/edit/apply-edits.ts";

const before = "def f():\n    a = 1\n    b = 2\n    c = 3\n";

function types(line: string, text = before, find = before.trimEnd()): string[] {
  return applyEdits(text, [{ find, replace: `def f():\n    ${line}\n    c = 4` }]).problems.map(({ type }) => type);
}

it.each([
  "# ... existing code ...",
  "# ...",
  "#…",
  "// ... existing code ...",
  "// …rest of the function…",
  "//...",
  "/* ... existing code ... */",
  "/* ... */",
  "* ... other methods ...",
  "<!-- ... existing markup ... -->",
  "<!-- … -->",
  "{/* ... existing JSX ... */}",
  "-- ... existing columns ...",
  "--[[ ... rest of the code ... ]]",
  "; ... rest of file",
  "% ... remaining code ...",
  "(* ... unchanged ... *)",
  "{- ... existing code ... -}",
  "' ... existing code ...",
  "REM ... existing code ...",
  "{{!-- ... existing code ... --}}",
  "// rest of the code remains unchanged",
  "# (existing code here)",
  "// existing code",
  "# rest of the file",
  "// Remaining methods unchanged",
  "// ... keep the existing imports",
  "# existing imports ...",
  "// ... 现有代码 ...",
  "# ……其余代码保持不变……",
  "// 其余代码不变",
  "// 此处省略",
  "/* 省略其他方法 */",
  "# ... 与原来相同 ...",
  "... existing code ...",
  "…",
  "... rest of the function",
])("refuses %j, which stands for code that was left out", (line) => {
  const { text, problems } = applyEdits(before, [
    { find: before.trimEnd(), replace: `def f():\n    ${line}\n    c = 4` },
  ]);
  expect([text, problems.map(({ type }) => type)]).toEqual([before, ["InvalidInput"]]);
  expect(problems[0]?.message).toContain("write the lines, or make two smaller edits");
  // What the file or the find has is no place for code.
  expect(types(line, `${line}\n${before}`)).toEqual([]);
});

it.each([
  "...",
  "return ...",
  "...rest,",
  "... rest,",
  "...existing",
  "const a = [...others, 1];",
  "f(...previous);",
  "{ ...same, b },",
  "(...args: unknown[]) => void,",
  "function g(int n, ...) {",
  "case 'a' ... 'z':",
  "for i in 0...10 {",
  "x = a[..., 0]",
  "type X = [...Rest];",
  "pass  # ... existing code",
  "'...',",
  "print('... existing code ...')",
  "// Loading...",
  "// ...and then the server answers",
  "// Wait for the remaining requests, which may take long.",
  "# Same as above, but for files.",
  "// Other imports",
  "# The rest of the line is the name.",
  "// unchanged",
  "// existing users keep their code",
  "/// The code of an existing session.",
  "log.info(`… {name}`);",
  "*args,",
  "// 保持连接",
  "# 其他",
])("takes %j as it is", (line) => {
  expect(types(line)).toEqual([]);
});

it("refuses it for every kind of edit of a file that has text, and not for a new one", () => {
  const replace = "x\n// ... existing code ...";
  expect(applyEdits("", [{ find: "", replace }]).text).toBe(replace);
  expect(applyEdits("a a", [{ find: "a", replace, all: true }]).problems).toMatchObject([{ type: "InvalidInput" }]);
  expect(applyEdits("a\u00a0b", [{ find: "a b", replace }], { lenient: true }).problems).toMatchObject([
    { type: "InvalidInput" },
  ]);
  expect(applyEdits("a", [{ find: `a\n// ... existing code ...`, replace }]).problems).toMatchObject([
    { type: "FindMissing" },
  ]);
});
