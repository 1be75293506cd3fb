import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { readTestRun } from "../../src/planner/skills/project/results.ts";

/** What Node's own runner prints for some tests. */
function outputOf(reporter: "spec" | "tap", source: string): string {
  const folder = mkdtempSync(join(tmpdir(), "demo output %20 "));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "test"));
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(
    join(folder, "test", "sum.test.js"),
    `import assert from "node:assert/strict";\nimport { describe, test } from "node:test";\n${source}`,
  );
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = ["--test", `--test-reporter=${reporter}`];
  return spawnSync(process.execPath, args, { cwd: folder, encoding: "utf8", env }).stdout;
}

const one = `test("one", () => {});
test("two and two", () => {
  assert.equal(2 + 3, 4);
});
test("three", () => {});
`;

it.each(["spec", "tap"] as const)("should read which test failed, where, and what it wanted (%s)", (reporter) => {
  const { passed, failed, failure } = readTestRun(outputOf(reporter, one));
  expect([passed, failed]).toEqual([2, 1]);
  expect(failure).toMatchObject({ name: "two and two", line: 5, expected: "4", actual: "5" });
  expect(failure?.file).toMatch(/(?:^|\/)test\/sum\.test\.js$/);
});

it("should name the file from the project's folder when the runner does", () => {
  expect(readTestRun(outputOf("spec", one)).failure?.file).toBe("test/sum.test.js");
});

it.each(["spec", "tap"] as const)("should find a failure inside of a suite (%s)", (reporter) => {
  const source = `describe("sums", () => {
  test("right", () => {});
  test("wrong", () => assert.ok(false));
});
`;
  expect(readTestRun(outputOf(reporter, source)).failure).toMatchObject({ name: "wrong", line: 5 });
});

it.each(["spec", "tap"] as const)("should read a run in which nothing failed (%s)", (reporter) => {
  expect(readTestRun(outputOf(reporter, 'test("one", () => {});\n'))).toEqual({
    passed: 1,
    failed: 0,
    failure: undefined,
  });
});

it.each(["", 'npm error Missing script: "test"', "sh: 1: node: not found"])(
  "should not make a failure up out of %j",
  (output) => {
    expect(readTestRun(output)).toEqual({ passed: undefined, failed: undefined, failure: undefined });
  },
);

it("should read an endless line in no time", () => {
  const noise = `not ok 1 - ${"(a".repeat(200_000)}`;
  expect(readTestRun(noise).failure).toBeUndefined();
});
