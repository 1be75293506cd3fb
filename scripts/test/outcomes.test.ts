import { expect, it } from "vitest";
import {
  closingLine,
  count,
  gateOutcomes,
  type Outcome,
  readOutcomes,
  settleSkips,
  skipLines,
  warningOutcomes,
} from "../lib/outcomes.mjs";

const run: Outcome[] = [
  { name: "a", state: "passed" },
  { name: "b", state: "skipped", reason: "no Chromium" },
  { name: "c", state: "skipped", reason: "no Chromium" },
  { name: "d", state: "skipped" },
  { name: "e", state: "failed" },
];

it("should count passed, failed and skipped apart", () => {
  expect(count(run)).toEqual({ passed: 1, failed: 1, skipped: 3 });
});

it("should name skipped tests in the closing line only when there are some", () => {
  expect(closingLine({ passed: 12, failed: 0, skipped: 0 })).toBe("12 passed, 0 failed");
  expect(closingLine({ passed: 12, failed: 1, skipped: 2 })).toBe("12 passed, 1 failed, 2 skipped");
});

it("should count a plain gate as one test", () => {
  expect(gateOutcomes({ id: "biome" }, 0, [])).toEqual([{ name: "gate biome", state: "passed" }]);
  expect(gateOutcomes({ id: "biome" }, 1, [])).toEqual([{ name: "gate biome", state: "failed" }]);
});

it("should take a counting gate at its word when the exit code agrees", () => {
  const passed: Outcome[] = [{ name: "a", state: "passed" }];
  const failed: Outcome[] = [{ name: "a", state: "failed" }];
  expect(gateOutcomes({ id: "tests", counts: true }, 0, passed)).toEqual(passed);
  expect(gateOutcomes({ id: "tests", counts: true }, 1, failed)).toEqual(failed);
});

it("should count a counting gate as failed when it wrote nothing, or failed without a failure", () => {
  const passed: Outcome[] = [{ name: "a", state: "passed" }];
  const counts = { id: "tests", counts: true };
  expect(count(gateOutcomes(counts, 0, undefined))).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(count(gateOutcomes(counts, 0, []))).toEqual({ passed: 0, failed: 1, skipped: 0 });
  expect(count(gateOutcomes(counts, 1, passed))).toEqual({ passed: 1, failed: 1, skipped: 0 });
});

it("should turn every skip into a failure w/ its reason when all is required", () => {
  const settled = settleSkips(run, true);
  expect(count(settled)).toEqual({ passed: 1, failed: 4, skipped: 0 });
  expect(settled[1]).toEqual({ name: "b", state: "failed", reason: "no Chromium" });
});

it("should leave skips alone when not all is required", () => {
  expect(settleSkips(run, false)).toEqual(run);
});

it("should group skips by reason, most frequent first", () => {
  expect(skipLines(run)).toEqual(["2 × no Chromium (b, …)", "1 × no reason given (d)"]);
});

it("should read back what a gate wrote", () => {
  expect(readOutcomes(JSON.stringify(run))).toEqual(run);
});

it("should not take a cut, empty or foreign file for results", () => {
  for (const text of ["", "[{", "null", "{}", '[{"name":"a","state":"unknown"}]', "[1]"]) {
    expect(readOutcomes(text)).toBeUndefined();
  }
});

it("should fail for a warning of Node, once for each text, and not for an experimental feature", () => {
  const output = [
    "(node:12) MaxListenersExceededWarning: Possible EventTarget memory leak detected.",
    "(node:13) MaxListenersExceededWarning: Possible EventTarget memory leak detected.",
    "(node:12) [DEP0005] DeprecationWarning: Buffer() is deprecated",
    "(node:12) ExperimentalWarning: SQLite is an experimental feature",
    " a test about (node:1) SomeWarning: in a line",
  ].join("\n");
  expect(warningOutcomes(output).map(({ reason }) => reason)).toEqual([
    "MaxListenersExceededWarning: Possible EventTarget memory leak detected.",
    "DeprecationWarning: Buffer() is deprecated",
  ]);
});
