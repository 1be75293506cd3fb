import { expect, it } from "vitest";
import {
  calledIn,
  functionLines,
  numbersIn,
  passageFor,
  repairsFor,
  statementAt,
} from "../../src/planner/skills/project/repairs.ts";
import type { Source } from "../../src/planner/skills/project/results.ts";

function source(text: string, path = "src/a.js"): Source {
  return { path, lines: text.split("\n").map((line, index) => ({ number: index + 1, text: line })) };
}

function tries(text: string, limits = false): string[] {
  const file = source(text);
  return repairsFor([{ source: file, lines: file.lines }], limits).map((repair) => repair.text);
}

it.each([
  ["if (a < b) go();", ["if (a <= b) go();"]],
  ["return a >= b && c;", ["return a > b && c;", "return a >= b || c;"]],
  ["const f = (x) => x;", []],
  ["return Math.floor(x);", ["return Math.round(x);", "return Math.ceil(x);"]],
  ["return list[n - 1];", ["return list[n];", "return list[n + 1];"]],
  ["return a - b - c;", ["return a + b - c;", "return a - b + c;"]],
  ["// a < b", []],
  [" * where a < b", []],
  ["go(); // a < b", []],
  ["const list: Array<string> = [];", []],
])("should know what might be wrong in %j", (line, repairs) => {
  expect(tries(line)).toEqual(repairs);
});

it("should look at comparisons first when the value under test is a limit", () => {
  const text = "const x = a + b;\nreturn x < limit;";
  expect(tries(text)[0]).toBe("const x = a - b;");
  expect(tries(text, true)[0]).toBe("return x <= limit;");
});

it("should repair one of several places in a line, and leave the others", () => {
  expect(tries("if (a < b && c < d) go();").slice(0, 2)).toEqual([
    "if (a <= b && c < d) go();",
    "if (a < b && c <= d) go();",
  ]);
});

it("should name a line without its indentation where that is unique, else with the lines around it", () => {
  const file = source("function f() {\n  return 1;\n}\nfunction g() {\n  return 1;\n}\nlet x = 2;");
  const [first, , , , last] = [file.lines[1], 0, 0, 0, file.lines[6]];
  expect(first && passageFor(file, first).find).toBe("function f() {\n  return 1;\n}");
  expect(first && passageFor(file, first).at("  return 2;")).toBe("function f() {\n  return 2;\n}");
  expect(last && passageFor(file, last).find).toBe("let x = 2;");
});

it("should take a statement to its end, its calls and its numbers", () => {
  const file = source('test("x 9", () => {\n  assert.equal(\n    f({ km: 16, up: 2.5 }),\n    "7",\n  );\n  g();\n});');
  const statement = statementAt(file, 2);
  expect(statement.endsWith(");")).toBe(true);
  expect(calledIn(statement)).toEqual(["f"]);
  expect(numbersIn(statement)).toEqual([16, 2.5]);
});

it("should take a function from its head to the line that closes it", () => {
  const file = source("export function f(a) {\n  if (a) {\n    return 1;\n  }\n}\nexport function fg() {}");
  expect(functionLines(file, "f").map(({ number }) => number)).toEqual([1, 2, 3, 4, 5]);
  expect(functionLines(file, "h")).toEqual([]);
});
