import { expect, it } from "vitest";
import { type BlockBase, concernsCalls, type Diagnostic } from "../src/index.ts";

const found = (start: number, end: number): Diagnostic => ({
  ...{ code: "x/y", severity: "error", affects: "value", message: "", source: "x" },
  span: { start, end },
});
const block: BlockBase = { status: "recovered", span: { start: 0, end: 50 } };

it("spares the calls of a block what lies in one that was rejected, and nothing else", () => {
  const rejected = { ...block, rejected: [{ span: { start: 10, end: 20 } }] };
  expect(concernsCalls(found(12, 15), rejected)).toBe(false);
  expect(concernsCalls(found(10, 20), rejected)).toBe(false);
  // A field that belongs to no step, as TAM has it: an error, and a value that some call lacks.
  expect(concernsCalls(found(22, 30), rejected)).toBe(true);
  expect(concernsCalls(found(15, 25), rejected)).toBe(true);
  expect(concernsCalls(found(12, 15), block)).toBe(true);
});
