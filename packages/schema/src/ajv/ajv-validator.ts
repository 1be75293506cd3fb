import { format, validate } from "@cfworker/json-schema";
import type { JsonSchemaObject } from "@toolglot/core";
import { Ajv, type Options, type ValidateFunction } from "ajv";
import { Ajv2019 } from "ajv/dist/2019.js";
import { Ajv2020 } from "ajv/dist/2020.js";
import { draftOf } from "../engine-schema.ts";
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
 * A validator factory on ajv: `toInputSchema(schema, { validator: ajvValidator() })`, or `new Toolkit({ validator:
 * ajvValidator() })`. The same verdicts and errors as the default engine, in a fraction of the time once a schema is
 * compiled. It makes code at run time: it does not run where `eval` is forbidden, and schemas from untrusted sources
 * are better left to the default engine. Schemas with keywords that ajv reads differently (`unevaluatedProperties`,
 * `$id`, `$anchor`…) run on the default engine.
 */
export function ajvValidator(): ValidatorFactory {
  return (schema) => (isReadDifferently(schema) ? interpretingValidator(schema) : compilingValidator(schema));
}

function compilingValidator(schema: JsonSchemaObject): Validator {
  const ajv = engineFor(schema);
  const { $id: _, $schema: __, ...own } = structuredClone(schema);
  visitSchemas({ schema: own, pointer: "" }, ({ schema: found }) => {
    // A choice of nothing takes nothing; ajv refuses to compile it.
    if (typeof found === "boolean" || found.enum?.length !== 0) return;
    delete found.enum;
    found.not = {};
  });
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

/** An engine for each schema, so that both are freed together. */
function engineFor(schema: JsonSchemaObject): Ajv {
  const draft = draftOf(schema);
  const Engine = draft === "2020-12" ? Ajv2020 : draft === "2019-09" ? Ajv2019 : Ajv;
  const ajv = new Engine(settings);
  for (const [name, check] of Object.entries(format)) ajv.addFormat(name, check);
  // ajv divides, and says that 0.3 is no multiple of 0.1.
  ajv.removeKeyword("multipleOf");
  ajv.addKeyword({
    keyword: "multipleOf",
    type: "number",
    schemaType: "number",
    compile: (multipleOf: number) => (value: number) => validate(value, { multipleOf }, draft, {}).valid,
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

const onInterpreter = ["unevaluatedItems", "unevaluatedProperties", "$anchor", "$recursiveRef", "$recursiveAnchor"];

/** Where ajv gives other verdicts than the specification, or resolves references in its own way. */
function isReadDifferently(schema: JsonSchemaObject): boolean {
  let found = false;
  visitSchemas({ schema, pointer: "" }, ({ schema: inner, pointer }) => {
    if (typeof inner === "boolean") return;
    found ||= onInterpreter.some((keyword) => inner[keyword] !== undefined);
    found ||= pointer !== "" && inner.$id !== undefined;
    found ||= inner.$ref !== undefined && inner.$ref !== "#" && !inner.$ref.startsWith("#/");
    // ajv skips this name wherever it stands.
    found ||= [inner.properties, inner.dependentRequired, inner.dependentSchemas, inner.dependencies].some(
      (map) => map !== undefined && Object.hasOwn(map as object, "__proto__"),
    );
  });
  return found;
}
