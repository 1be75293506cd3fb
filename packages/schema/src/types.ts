import type { StandardJSONSchemaV1, StandardSchemaV1 } from "@standard-schema/spec";
import type { InputIssue, JsonSchemaObject } from "@toolglot/core";
import type { ArgsShorthand, CheckedArgs, InferArgs } from "./args-types.ts";

/** A schema of any library that speaks Standard Schema: zod 4.2 or newer, arktype, valibot, and others. */
export type StandardInput<Input = unknown, Output = Input> = StandardSchemaV1<Input, Output>;

/**
 * Source of a tool's input: a Standard Schema, a plain JSON Schema of an object, the {@link ArgsShorthand},
 * or an {@link InputSchema} that is ready.
 */
export type InputSource = StandardInput | JsonSchemaObject | ArgsShorthand;

/** What has texts only, as a shorthand has, and is a JSON Schema. */
type SchemaNotation = { readonly type: "object" } | { readonly $ref: `#${string}` };

/** An input source itself; of a shorthand, {@link CheckedArgs}. */
export type CheckedSource<Source> = Source extends StandardSchemaV1 | SchemaNotation
  ? Source
  : Source extends ArgsShorthand
    ? CheckedArgs<Source>
    : Source;

/** The type `execute` gets for an input source: the output side of a Standard Schema, the shape of a shorthand. */
export type InferInput<Source> = Source extends StandardSchemaV1
  ? StandardSchemaV1.InferOutput<Source>
  : Source extends SchemaNotation
    ? Record<string, unknown>
    : Source extends ArgsShorthand
      ? InferArgs<Source>
      : Record<string, unknown>;

/** A value that was changed to fit its schema, without losing anything: `"3"` to `3`. */
export interface Conversion {
  /** As `items[2].price`; empty for the input as a whole. */
  path: string;
  /** JSON Schema type name of what was given. */
  from: string;
  /** JSON Schema type name of what it became; `missing` for a null that was dropped, as its property may be left out. */
  to: string;
}

/** Result of validation. On success, `value` has its defaults and the transforms of its schema applied. */
export type ValidationResult<Value = unknown> =
  | { success: true; value: Value; conversions?: Conversion[] }
  | { success: false; issues: InputIssue[] };

/** A value, or a promise of it. */
export type MaybePromise<Value> = Value | Promise<Value>;

/** Options of {@link toInputSchema}. */
export interface InputSchemaOptions {
  /** Name of the tool, for the messages of errors at definition. */
  name?: string;
  /** The JSON Schema engine. Default: one that needs no code generation and runs everywhere. */
  validator?: ValidatorFactory;
  /**
   * The schema is untrusted, as an MCP server's is. Then nothing in it can make validation take long: patterns run in
   * linear time, never on `RegExp`; those that can't (look-around, back-references) aren't enforced, and stand in `unchecked`;
   * and a call that takes too many steps is accepted as it is. The server that runs the tool validates as well. The engine is always
   * the default one. Default false.
   */
  untrusted?: boolean;
}

/**
 * A tool's input, ready to use: the JSON Schema a model is shown, and the validation of what the model sends. It is a
 * Standard Schema itself, with JSON Schema, so other libraries take it as it is.
 */
export interface InputSchema<Value = unknown> {
  /** What it was made from. */
  readonly kind: "standard" | "json-schema" | "args";
  /** Whether it is untrusted. */
  readonly untrusted: boolean;
  /** Patterns of an untrusted schema that are not enforced here. */
  readonly unchecked: readonly string[];
  /** An object schema without `title` keywords. A copy: nothing of the caller's is shared. */
  readonly jsonSchema: JsonSchemaObject;
  /**
   * Validates; coerces by the schema only when that failed; applies defaults. Never throws for a value, never changes
   * it: the result holds what it was given where nothing had to be changed, and copies along the path of each change.
   * A promise only when the schema library validates asynchronously.
   */
  validate(value: unknown): MaybePromise<ValidationResult<Value>>;
  /** The same schema without some properties, which always have the given values. */
  withPresets(presets: Readonly<Record<string, unknown>>): InputSchema<Value>;
  /** The same schema on another engine. */
  withValidator(validator: ValidatorFactory): InputSchema<Value>;
  /** Its Standard Schema side. `validate` always returns a promise. */
  readonly "~standard": StandardSchemaV1.Props<unknown, Value> & StandardJSONSchemaV1.Props<unknown, Value>;
}

/**
 * One compiled JSON Schema. The seam for faster engines: everything else (coercion, defaults, errors) is built on this
 * one question, so every engine has the same errors.
 */
export interface Validator {
  /**
   * Whether the value fits the schema, or the subschema at a JSON pointer (`/properties/city`; default the root).
   * Never throws. It is asked about JSON only: nothing `undefined`, no numbers but finite ones, at most 64 deep.
   */
  accepts(value: unknown, pointer?: string): boolean;
}

/**
 * Compiles a schema. The schema is a private copy whose keywords are checked, in draft 2020-12 whatever draft it came
 * in. Throws when it can't be compiled.
 */
export type ValidatorFactory = (schema: JsonSchemaObject) => Validator;
