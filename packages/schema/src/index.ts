/** Tool input schemas: Standard Schema, JSON Schema or a shorthand in; validation, coercion and errors for models out. */

export { nearest } from "@toolglot/core";
export type { ArgsShorthand, CheckedArgs, InferArgs } from "./args-types.ts";
export { isInputSchema } from "./compiled-input.ts";
export { argsSchema, outputJsonSchema, toInputSchema } from "./input-schema.ts";
export type {
  CheckedSource,
  Conversion,
  InferInput,
  InputSchema,
  InputSchemaOptions,
  InputSource,
  MaybePromise,
  StandardInput,
  ValidationResult,
  Validator,
  ValidatorFactory,
} from "./types.ts";
