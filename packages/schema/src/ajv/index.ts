/** The faster JSON Schema engine: ajv, which compiles schemas to code. Same verdicts and errors as the default one. */

import { format, validate } from "@cfworker/json-schema";
import type { JsonSchemaObject } from "@toolglot/core";
import { isObject } from "@toolglot/internal";
import type { Options, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { matchesPattern } from "../pattern-tests.ts";
import { visitSchemas } from "../schema-walk.ts";
import type { Validator, ValidatorFactory } from "../types.ts";
import { allDiffer } from "../unique.ts";
import { interpretingValidator } from "../validator.ts";

/** The id under which the root is known to references into it. */
const rootId = "toolglot:input";

/** Verdicts depend on these, so they are no options. */
const settings: Options = {
  strict: false,
  allErrors: false,
  messages: false,
  logger: false,
  // Schemas are checked before; compiling the meta-schema would take longer than all else.
  meta: false,
  validateSchema: false,
  addUsedSchema: false,
  // A property named `constructor` is there when the value has it, not when every object has.
  ownProperties: true,
};

/**
 * Returns a validator factory on ajv: `toInputSchema(schema, { validator: ajvValidator() })`, or `new Toolkit({ validator:
 * ajvValidator() })`. The same verdicts and errors as the default engine, in a fraction of the time once a schema is
 * compiled. It makes code at run time: it does not run where `eval` is forbidden, and schemas from untrusted sources
 * are better left to the default engine. Schemas with keywords that ajv reads differently (`unevaluatedProperties`,
 * `$id`, `$anchor`…) run on the default engine.
 *
 * @example
 * ```ts
 * const trip = toInputSchema({ city: "string", "days?": "integer" }, { validator: ajvValidator() });
 * const result = await trip.validate({ city: "Oslo", days: "soon" });
 * ```
 */
export function ajvValidator(): ValidatorFactory {
  return (schema) => (isReadDifferently(schema) ? interpretingValidator(schema) : compilingValidator(schema));
}

function compilingValidator(schema: JsonSchemaObject): Validator {
  const ajv = createAjv();
  const { $id: _, ...own } = structuredClone(schema);
  visitSchemas(own, useChoices);
  ajv.addSchema({ ...own, $id: rootId });
  const compiled = new Map<string, ValidateFunction>();
  const at = (pointer: string): ValidateFunction => {
    let found = compiled.get(pointer);
    if (found === undefined) {
      const path = pointer.split("/").map(encodeURIComponent).join("/");
      found = ajv.compile({ $ref: `${rootId}#${path}` });
      compiled.set(pointer, found);
    }
    return found;
  };
  // What is wrong with a schema is known now, not at the first call.
  at("");
  return { accepts: (value, pointer = "") => at(pointer)(value) === true };
}

/** The keyword for choices that ajv can't compare: it calls `toString` and `valueOf` of what a model sends. */
const choicesKeyword = "toolglot:choices";

/** Objects, lists, and a choice of nothing, which ajv refuses to compile. */
function useChoices(schema: JsonSchemaObject): void {
  const isPlain = (choice: unknown): boolean => typeof choice !== "object" || choice === null;
  for (const [keyword, choices] of [
    ["enum", schema.enum],
    ["const", schema.const === undefined ? undefined : [schema.const]],
  ] as const) {
    if (choices === undefined || (choices.length > 0 && choices.every(isPlain))) continue;
    delete schema[keyword];
    schema.allOf = [...(schema.allOf ?? []), { [choicesKeyword]: choices }];
  }
}

/** Returns an engine for each schema, so that both are freed together. */
function createAjv(): Ajv2020 {
  const ajv = new Ajv2020(settings);
  // What is for `unevaluated…` alone costs time, and some unions then throw at run time.
  ajv.opts.unevaluated = false;
  for (const [name, check] of Object.entries(format)) ajv.addFormat(name, check);
  ajv.addKeyword({
    keyword: choicesKeyword,
    schemaType: "array",
    compile: (choices: unknown[]) => (value: unknown) => validate(value, { enum: choices }, "2020-12", {}).valid,
  });
  // ajv divides, and finds that 0.3 is no multiple of 0.1.
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    compile: (multipleOf: number) => (value: number) => validate(value, { multipleOf }, "2020-12", {}).valid,
  });
  // ajv would run a pattern anew for each question.
  ajv.removeKeyword("pattern");
  ajv.addKeyword({
    keyword: "pattern",
    type: "string",
    schemaType: "string",
    compile: (pattern: string) => (text: string) => matchesPattern(pattern, text),
  });
  // ajv compares each item with each.
  ajv.removeKeyword("uniqueItems");
  ajv.addKeyword({
    keyword: "uniqueItems",
    type: "array",
    schemaType: "boolean",
    compile: (wanted: boolean) => (items: unknown[]) => !wanted || allDiffer(items),
  });
  return ajv;
}

const onInterpreter = "contains unevaluatedItems unevaluatedProperties $anchor $recursiveRef $recursiveAnchor".split(
  " ",
);

/** Checks whether ajv has other verdicts than the specification, or resolves references in its own way. */
function isReadDifferently(schema: JsonSchemaObject): boolean {
  let found = false;
  visitSchemas(schema, (inner, pointer) => {
    found ||= onInterpreter.some((keyword) => inner[keyword] !== undefined);
    found ||= pointer !== "" && inner.$id !== undefined;
    found ||= inner.$ref !== undefined && inner.$ref !== "#" && !inner.$ref.startsWith("#/");
    found ||= [inner.properties, inner.dependentRequired, inner.dependentSchemas, inner.dependencies].some(namesProto);
    found ||= [inner.required, inner.dependentRequired, inner.dependencies].some(requiresEmptyName);
  });
  return found;
}

/** ajv skips this name wherever it stands. */
function namesProto(map: unknown): boolean {
  return isObject(map) && Object.hasOwn(map, "__proto__");
}

/** ajv doesn't notice that a property without a name is missing. */
function requiresEmptyName(required: unknown): boolean {
  if (isObject(required)) return Object.values(required).some(requiresEmptyName);
  return Array.isArray(required) && required.includes("");
}
