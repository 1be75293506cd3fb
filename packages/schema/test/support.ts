import type { InputIssue } from "@toolglot/core";
import { ajvValidator } from "../src/ajv/index.ts";
import {
  type InputSchema,
  type InputSchemaOptions,
  type InputSource,
  isInputSchema,
  toInputSchema,
  type ValidationResult,
  type ValidatorFactory,
} from "../src/index.ts";
import { interpretingValidator } from "../src/validator.ts";

/** Every test that validates runs on both: `describe.each(engines)("on %s", (_engine, validator) => …)`. */
export const engines: [name: string, validator: ValidatorFactory][] = [
  ["the default engine", interpretingValidator],
  ["ajv", ajvValidator()],
];

/** What tests ask, of one engine. */
export interface OnEngine {
  input: (source: InputSource, options?: InputSchemaOptions) => InputSchema;
  /** The result of a validation that is known to be synchronous. */
  check: (source: InputSource | InputSchema, value: unknown) => ValidationResult;
  /** The value of a validation that must succeed. */
  valid: (source: InputSource | InputSchema, value: unknown) => unknown;
  /** The issues of a validation that must fail. */
  issues: (source: InputSource | InputSchema, value: unknown) => InputIssue[];
}

export function on(validator: ValidatorFactory): OnEngine {
  const input = (source: InputSource | InputSchema, options: InputSchemaOptions = {}): InputSchema => {
    // An input schema that is ready has its engine already.
    if (isInputSchema(source)) return source;
    return toInputSchema(source as InputSource, { ...options, validator }) as InputSchema;
  };
  const check = (source: InputSource | InputSchema, value: unknown): ValidationResult => {
    const result = input(source).validate(value);
    if (result instanceof Promise) throw new Error("validated asynchronously");
    return result;
  };
  return {
    input,
    check,
    valid(source, value) {
      const result = check(source, value);
      if (!result.success) throw new Error(`refused: ${JSON.stringify(result.issues)}`);
      return result.value;
    },
    issues(source, value) {
      const result = check(source, value);
      if (result.success) throw new Error(`accepted as ${JSON.stringify(result.value)}`);
      return result.issues;
    },
  };
}
