import { isObject, nearest, readFunctionShape } from "@toolglot/internal";
import { libraryOf } from "./foreign.ts";
import { isStandard } from "./standard.ts";

/** Keywords that say something about an object. */
const asserting = new Set([
  ..."type properties required additionalProperties patternProperties propertyNames minProperties maxProperties".split(
    " ",
  ),
  ..."dependentRequired dependentSchemas dependencies unevaluatedProperties allOf anyOf oneOf not if $ref enum const".split(
    " ",
  ),
  ..."$defs definitions $dynamicRef $recursiveRef".split(" "),
]);
/** Keywords that say something about nothing, and so may stand alone. */
const describing = new Set(
  "$schema $id $anchor $comment id title description default examples deprecated readOnly writeOnly nullable then else".split(
    " ",
  ),
);

const cure =
  'pass a JSON Schema of an object: { type: "object", properties: { … } }, or a schema of a library with Standard Schema';

/**
 * Returns the schema in what was given: a Standard Schema or a JSON Schema as it is, one that comes wrapped (as a function of OpenAI's, a
 * tool of MCP's) unwrapped. `TypeError` for what could not be checked: an object of a library without
 * Standard Schema, parameters without `properties` around them, words that are none of JSON Schema.
 */
export function unwrapSource(given: unknown, where: string, side: "input" | "output" = "input"): unknown {
  if (isStandard(given) || !isObject(given)) return given;
  if (given[Symbol.for("vercel.ai.schema") as never] === true)
    return unwrapSource(unwrapAiSchema(given, where), where, side);
  const shape = readFunctionShape(given);
  if (shape !== undefined) return unwrapSource(shape.schema ?? {}, where, side);
  const library = libraryOf(given);
  if (library !== undefined) throw new TypeError(`${where} is ${library}: ${cure}`);
  if (side === "output") return given;
  if (Object.keys(given).some((key) => asserting.has(key))) {
    checkRoot(given, where);
    return given;
  }
  const unread = Object.keys(given).filter((key) => !describing.has(key) && !key.startsWith("x-"));
  if (unread.length === 0) return given;
  const isShape = unread.every((key) => isStandard(given[key]) || (isObject(given[key]) && libraryOf(given[key])));
  const names = unread.slice(0, 5).join(", ");
  const hint = isShape
    ? `its fields ${names} are schemas of a library: wrap them, as z.object({ … }) does`
    : `nothing of it is a keyword of JSON Schema (${names}): ${cure}`;
  throw new TypeError(`${where} can't be read: ${hint}`);
}

/** Keys under which a schema stands in the shapes of providers, or where somebody meant `properties`. */
const wrapping = new Set("function parameters input_schema inputSchema schema props fields args".split(" "));

/** Throws for a misspelt `properties`, and for a wrapping that claims to be the schema of an object: neither would check anything. */
function checkRoot(schema: Record<string, unknown>, where: string): void {
  if (schema.type !== "object" || schema.properties !== undefined) return;
  const keys = Object.keys(schema).filter((key) => !asserting.has(key) && !describing.has(key));
  const wrapped = keys.find((key) => wrapping.has(key) && (isObject(schema[key]) || isStandard(schema[key])));
  if (wrapped !== undefined) {
    throw new TypeError(
      `${where} has ${JSON.stringify(wrapped)}, which is no keyword of JSON Schema: did you mean "properties"? Pass { type: "object", properties }, or the shape of a provider, { type: "function", function: { name, description, parameters } }`,
    );
  }
  const says = (key: string): boolean => asserting.has(key) && !/^(?:type|required|additionalProperties)$/.test(key);
  if (Object.keys(schema).some(says)) return;
  const near = keys.find((key) => isObject(schema[key]) && nearest(key, ["properties"]).length > 0);
  if (near === undefined) return;
  throw new TypeError(
    `${where} has ${JSON.stringify(near)}, which is no keyword of JSON Schema: did you mean "properties"?`,
  );
}

/** Returns the AI SDK's wrapping, `jsonSchema(…)`. One that validates by itself is refused: its check would be lost. */
function unwrapAiSchema(given: Record<string | symbol, unknown>, where: string): unknown {
  if (given.validate !== undefined) {
    throw new TypeError(
      `${where} is a schema of the AI SDK with a check of its own: pass the schema that it was made from`,
    );
  }
  return given.jsonSchema;
}
