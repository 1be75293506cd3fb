import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { checkKeys, isObject } from "@toolglot/internal";
import { argsToJsonSchema } from "./args.ts";
import type { ArgsShorthand, CheckedArgs } from "./args-types.ts";
import { compileInput, isInputSchema } from "./compiled-input.ts";
import { rootObject } from "./root.ts";
import { copyWithoutTitles } from "./schema-walk.ts";
import { unwrapSource } from "./source.ts";
import { isStandard, standardToJsonSchema } from "./standard.ts";
import type {
  CheckedSource,
  InferInput,
  InputSchema,
  InputSchemaOptions,
  InputSource,
  StandardInput,
} from "./types.ts";

const optionKeys = "name:text validator:function untrusted:boolean";

/**
 * Creates the input schema of a tool: converts it to JSON Schema once (its input side), compiles the validation. The
 * source is never changed, and later changes to it have no effect. `TypeError` when it is no object schema, can't be
 * converted or compiled, or has a default that doesn't fit; the message names tool and field.
 *
 * @example
 * ```ts
 * const trip = toInputSchema(z.object({ city: z.string().describe("City name"), days: z.int().default(3) }));
 * const result = await trip.validate({ city: "Oslo", days: "5" }); // { success: true, value: { city: "Oslo", days: 5 }, … }
 * ```
 */
export function toInputSchema<const Source extends InputSource>(
  given: Source & CheckedSource<Source>,
  options: InputSchemaOptions = {},
): InputSchema<InferInput<Source>> {
  checkKeys("toInputSchema", options, optionKeys);
  const where = place(options, "the input schema");
  if (isInputSchema(given)) {
    const ready = given as InputSchema<InferInput<Source>>;
    return options.validator === undefined ? ready : ready.withValidator(options.validator);
  }
  if (isObject(given) && !isStandard(given) && isShorthand(given))
    return argsSchema(given, options) as InputSchema<InferInput<Source>>;
  const source = unwrapSource(given, where);
  if (isInputSchema(source)) return toInputSchema(source, options) as InputSchema<InferInput<Source>>;
  let json: JsonSchemaObject;
  if (isStandard(source)) {
    json = standardToJsonSchema(source, where);
  } else {
    if (!isObject(source)) {
      throw new TypeError(`${where} must be a Standard Schema, a JSON Schema object or an args shorthand`);
    }
    json = source as JsonSchemaObject;
  }
  const standard = isStandard(source) ? source : undefined;
  const kind = standard === undefined ? "json-schema" : "standard";
  return compileInput(kind, rootObject(copyWithoutTitles(json, where), where), standard, where, options);
}

/**
 * Returns the input schema of an {@link ArgsShorthand}. Throws `TypeError` for a specification that can't be read.
 *
 * @example
 * ```ts
 * const trip = argsSchema({ city: "string - City name", "days?": "integer = 3", unit: "'C' | 'F'" });
 * const { required } = trip.jsonSchema; // ["city", "unit"]
 * ```
 */
export function argsSchema<const Args extends ArgsShorthand>(
  args: CheckedArgs<Args>,
  options: InputSchemaOptions = {},
): InputSchema<InferInput<Args>> {
  checkKeys("argsSchema", options, optionKeys);
  const where = place(options, "args");
  if (!isObject(args)) throw new TypeError(`${where} must be an object like { city: "string - City name" }`);
  if ("~standard" in args) throw new TypeError(`${where} takes the shorthand: give the schema of a library as input`);
  return compileInput("args", argsToJsonSchema(args as ArgsShorthand, where), undefined, where, options);
}

/**
 * Returns the JSON Schema of a tool's result, from a Standard Schema (what its transforms put out) or a JSON Schema.
 * `TypeError` when it can't be converted.
 */
export function outputJsonSchema(given: StandardInput | JsonSchema, options: InputSchemaOptions = {}): JsonSchema {
  checkKeys("outputJsonSchema", options, optionKeys);
  const where = place(options, "the output schema");
  if (typeof given === "boolean") return given;
  const source = unwrapSource(given, where, "output") as StandardInput | JsonSchema;
  const json = isStandard(source) ? standardToJsonSchema(source, where, "output") : source;
  if (!isObject(json)) throw new TypeError(`${where} must be a Standard Schema or a JSON Schema`);
  return copyWithoutTitles(json as JsonSchemaObject, where);
}

/** Checks whether a source is a shorthand, which has only texts; `{ type: "object" }` is a JSON Schema, and so is `{}`. */
function isShorthand(source: object): source is ArgsShorthand {
  const values = Object.values(source);
  if (values.length === 0 || values.some((value) => typeof value !== "string")) return false;
  const { type, $ref } = source as Record<string, unknown>;
  return (
    type !== "object" && type !== "array" && type !== "function" && !(typeof $ref === "string" && $ref.startsWith("#"))
  );
}

function place(options: InputSchemaOptions, what: string): string {
  return options.name === undefined ? what : `Tool ${JSON.stringify(options.name)}: ${what}`;
}
