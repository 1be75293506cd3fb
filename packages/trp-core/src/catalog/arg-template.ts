import { createRecord, type JsonSchema, type JsonSchemaObject } from "@toolglot/core";
import { readType } from "./arg-template-reader.ts";
import { followRef, formats, isPlain, words } from "./arg-template-words.ts";

/**
 * Returns the JSON Schema of an argument template, as a catalog row shows it: `{ "query": "string", "top_k": "int?" }`. An
 * object schema that takes no other properties. `TypeError` for a type that can't be read, naming the argument and
 * showing where.
 *
 * ```text
 * argument = type [ "?" ]                                "?": may be left out
 * type     = item { "|" item }
 * item     = one { "[]" }
 * one      = word | literal | "{" [ field { "," field } ] "}" | "(" type ")"
 * field    = ( name | JSON text ) [ "?" ] ":" type
 * word     = "string" | "int" | "number" | "bool" | "null" | "any" | "object" | "email" | "url" | "uuid" | "date" |
 *            "datetime" | "time"
 * literal  = a JSON text, number, true or false
 * ```
 *
 * `object` takes any object, `{…}` only the named fields.
 *
 * @example
 * ```ts
 * templateToSchema({ query: "string", top_k: "int?" });
 * // { type: "object", properties: { query: { type: "string" }, top_k: { type: "integer" } }, required: ["query"], … }
 * ```
 */
export function templateToSchema(template: Readonly<Record<string, string>>): JsonSchemaObject {
  if (typeof template !== "object" || template === null) {
    throw new TypeError('an argument template is an object like { query: "string", top_k: "int?" }');
  }
  const properties = createRecord<JsonSchema>();
  const required: string[] = [];
  for (const [name, text] of Object.entries(template)) {
    const { schema, optional } = readType(text, name);
    properties[name] = schema;
    if (!optional) required.push(name);
  }
  const schema: JsonSchemaObject = { type: "object", properties };
  if (required.length > 0) schema.required = required;
  schema.additionalProperties = false;
  return schema;
}

/**
 * Returns the argument template of an object schema. What the grammar can't express (lengths, ranges, patterns) is left out, and what
 * is too long for a catalog row becomes a wider type: so everything that fits the schema fits its template, and
 * `CAP_QUERY_REQ` returns the whole schema.
 *
 * @example
 * ```ts
 * schemaToTemplate({ type: "object", properties: { query: { type: "string" } }, required: ["query"] });
 * // { query: "string" }
 * ```
 */
export function schemaToTemplate(schema: JsonSchemaObject): Record<string, string> {
  const template = createRecord<string>();
  for (const [name, { schemas, required }] of argumentsOf(schema, schema, 0, { left: maxVisits })) {
    const texts = schemas.map((found) => render(schema, found));
    template[name] = `${joinUnion(texts)}${required ? "" : "?"}`;
  }
  return template;
}

interface Argument {
  schemas: JsonSchema[];
  required: boolean;
}

/** Arguments of an object schema, those of its branches too: required is what every branch requires. */
function argumentsOf(
  root: JsonSchemaObject,
  given: JsonSchema,
  depth: number,
  visits: { left: number },
): Map<string, Argument> {
  const found = new Map<string, Argument>();
  const schema = followRef(root, given);
  if (typeof schema === "boolean" || depth > 8 || visits.left-- <= 0) return found;
  const required = new Set(Array.isArray(schema.required) ? schema.required : []);
  const add = (name: string, argument: Argument): void => {
    const before = found.get(name);
    if (before === undefined) found.set(name, { ...argument });
    else {
      before.required ||= argument.required;
      before.schemas = [...before.schemas, ...argument.schemas];
    }
  };
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    add(name, { schemas: [inner], required: required.has(name) });
  }
  for (const branch of Array.isArray(schema.allOf) ? schema.allOf : []) {
    for (const [name, argument] of argumentsOf(root, branch, depth + 1, visits)) {
      // Both hold: the first is enough.
      if (found.has(name)) add(name, { schemas: [], required: argument.required });
      else add(name, { ...argument, required: argument.required || required.has(name) });
    }
  }
  for (const branches of [schema.anyOf, schema.oneOf]) {
    if (!Array.isArray(branches) || branches.length === 0) continue;
    const each = branches.map((branch) => argumentsOf(root, branch, depth + 1, visits));
    for (const name of new Set(each.flatMap((one) => [...one.keys()]))) {
      const everywhere = each.every((one) => one.get(name)?.required === true) || required.has(name);
      if (found.has(name)) add(name, { schemas: [], required: everywhere });
      else add(name, { schemas: each.flatMap((one) => one.get(name)?.schemas ?? []), required: everywhere });
    }
  }
  return found;
}

/** Longer types become one word. */
const longest = 240;
const deepest = 10;
/** Schemas that refer to each other multiply: no more of them than this are looked at for one argument. */
const maxVisits = 400;

function render(root: JsonSchemaObject, schema: JsonSchema): string {
  const text = typeText(root, schema, 0, { left: maxVisits });
  return text.length <= longest ? text : coarse(root, schema);
}

function typeText(root: JsonSchemaObject, given: JsonSchema, depth: number, visits: { left: number }): string {
  if (visits.left-- <= 0) return coarse(root, given);
  const schema = followRef(root, given);
  if (typeof schema === "boolean") return "any";
  if (schema.const !== undefined) return literalText(schema.const);
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return joinUnion(schema.enum.map(literalText));
  const branches = schema.anyOf ?? schema.oneOf;
  if (Array.isArray(branches) && branches.length > 0) {
    if (depth >= deepest) return coarse(root, schema);
    const texts = branches.map((branch) => typeText(root, branch, depth + 1, visits));
    return joinUnion(schema.type === undefined || texts.every((text) => text !== "any") ? texts : typesText());
  }
  if (Array.isArray(schema.allOf) && schema.type === undefined && schema.properties === undefined) {
    const [only, ...more] = schema.allOf;
    if (only !== undefined && more.length === 0 && depth < deepest) return typeText(root, only, depth + 1, visits);
    return "any";
  }
  return joinUnion(typesText());

  function typesText(): string[] {
    const { type } = schema as JsonSchemaObject;
    if (type === undefined) return [(schema as JsonSchemaObject).properties === undefined ? "any" : objectText()];
    return [type].flat().map((name) => {
      if (name === "array") return arrayText();
      if (name === "object") return objectText();
      if (name === "string") return formats.get(String((schema as JsonSchemaObject).format)) ?? "string";
      return words.get(name) ?? "any";
    });
  }

  function arrayText(): string {
    const { items, prefixItems } = schema as JsonSchemaObject;
    if (items === undefined || prefixItems !== undefined || depth >= deepest) return "any[]";
    const inner = typeText(root, items, depth + 1, visits);
    return splitUnion(inner).length > 1 ? `(${inner})[]` : `${inner}[]`;
  }

  function objectText(): string {
    const { properties = {}, additionalProperties, required = [], ...rest } = schema as JsonSchemaObject;
    // Only what is closed can be written field by field.
    const branches = rest.allOf ?? rest.anyOf ?? rest.oneOf ?? rest.patternProperties;
    if (additionalProperties !== false || branches !== undefined || depth >= deepest) return "object";
    const fields = Object.entries(properties).map(([name, inner]) => {
      const label = /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? name : JSON.stringify(name);
      return `${label}${required.includes(name) ? "" : "?"}: ${typeText(root, inner, depth + 1, visits)}`;
    });
    return `{${fields.join(", ")}}`;
  }
}

/** Returns the type in one word, or a few: what holds of everything that fits. */
function coarse(root: JsonSchemaObject, given: JsonSchema): string {
  const schema = followRef(root, given);
  if (typeof schema === "boolean") return "any";
  const values = schema.enum ?? (schema.const === undefined ? undefined : [schema.const]);
  if (Array.isArray(values)) return joinUnion(values.map(wordOf));
  if (schema.type === undefined) return schema.properties === undefined ? "any" : "object";
  return joinUnion([schema.type].flat().map((name) => (name === "array" ? "any[]" : (words.get(name) ?? "any"))));
}

function literalText(value: unknown): string {
  return isPlain(value) ? JSON.stringify(value) : wordOf(value);
}

function wordOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "any[]";
  if (typeof value === "boolean") return "bool";
  return typeof value === "number" ? "number" : typeof value === "string" ? "string" : "object";
}

/** Lists members once each; `any` alone covers all. Members are unions themselves where branches were. */
function joinUnion(texts: string[]): string {
  const members = [...new Set(texts.flatMap(splitUnion))];
  return members.includes("any") ? "any" : members.join(" | ");
}

/** The members of a rendered union; bars inside of quotes and brackets are not its own. */
function splitUnion(text: string): string[] {
  const members: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string;
    if (char === '"') {
      for (at++; text[at] !== '"'; at++) if (text[at] === "\\") at++;
    } else if ("{(".includes(char)) depth++;
    else if ("})".includes(char)) depth--;
    else if (char === "|" && depth === 0) {
      members.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  members.push(text.slice(start).trim());
  return members;
}
