import type { InputIssue, JsonSchemaObject } from "@toolglot/core";

/** Outcome of the validation of an answer: the value with defaults and transforms applied, or every place that does not fit. */
export type OutputValidation<Value = unknown> =
  | { success: true; value: Value }
  | { success: false; issues: readonly InputIssue[] };

/** The form of an answer, with its validation: the return value of `toInputSchema` of `@toolglot/schema`. */
export interface OutputSchema<Value = unknown> {
  /** The form as the model sees it. */
  readonly jsonSchema: JsonSchemaObject;
  validate(value: unknown): OutputValidation<Value> | Promise<OutputValidation<Value>>;
}

/** A schema of a library with Standard Schema that also returns its JSON Schema: zod from 4.2, arktype. */
export interface StandardOutput<Value = unknown> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (value: unknown) => StandardResult<Value> | Promise<StandardResult<Value>>;
    readonly types?: { readonly input: unknown; readonly output: Value } | undefined;
    readonly jsonSchema: {
      readonly input: (options: { readonly target: "draft-2020-12" }) => Record<string, unknown>;
    };
  };
}

type StandardResult<Value> =
  | { readonly value: Value; readonly issues?: undefined }
  | {
      readonly issues: readonly {
        readonly message: string;
        readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
      }[];
    };

/** The form that the answer of a run must have. */
export interface OutputOptions<Value = unknown> {
  schema: OutputSchema<Value> | StandardOutput<Value>;
  /** Of the tool that the model ends with: 1 to 64 of `A-Za-z0-9_-`. Default `final_answer`. */
  name?: string;
  /** Description of the answer for the model. */
  description?: string;
}
