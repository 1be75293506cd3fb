import type { InputIssue } from "@toolglot/core";
import { type InputSchema, type InputSource, toInputSchema, type ValidationResult } from "../src/index.ts";

/** The result of a validation that is known to be synchronous. */
export function check(source: InputSource | InputSchema, value: unknown): ValidationResult {
  const result = (toInputSchema(source as InputSource) as InputSchema).validate(value);
  if (result instanceof Promise) throw new Error("validated asynchronously");
  return result;
}

/** The value of a validation that must succeed. */
export function valid(source: InputSource | InputSchema, value: unknown): unknown {
  const result = check(source, value);
  if (!result.success) throw new Error(`refused: ${JSON.stringify(result.issues)}`);
  return result.value;
}

/** The issues of a validation that must fail. */
export function issues(source: InputSource | InputSchema, value: unknown): InputIssue[] {
  const result = check(source, value);
  if (result.success) throw new Error(`accepted as ${JSON.stringify(result.value)}`);
  return result.issues;
}
