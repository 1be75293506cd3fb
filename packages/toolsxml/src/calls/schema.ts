import { coerceText, type JsonSchema, type JsonSchemaObject, type ToolDefinition } from "@toolglot/core";
import { atPointer } from "@toolglot/internal";

/** An attribute of the protocol's own: parameters that no other place in a tag can hold, as one JSON object. */
export const jsonAttribute = "json-input";

/** The properties that an object schema declares. */
interface Declared {
  names: readonly string[];
  exact: ReadonlySet<string>;
  /** By lower-cased name. */
  lower: ReadonlyMap<string, string>;
  /** The one that takes a tool's body as raw text. */
  raw: string | undefined;
}

const none: Declared = { names: [], exact: new Set(), lower: new Map(), raw: undefined };
const known = new WeakMap<object, Declared>();

/** Properties are looked up for each tag and attribute, so that they are put in order once for each schema. */
function declaredIn(schema: JsonSchema | undefined): Declared {
  const properties = typeof schema === "object" ? schema.properties : undefined;
  if (!properties) return none;
  const before = known.get(properties);
  if (before) return before;
  const names = Object.keys(properties);
  const isRaw = (schema: JsonSchema | undefined): boolean =>
    typeof schema === "object" && schema["x-raw-body"] === true;
  const declared: Declared = {
    names,
    exact: new Set(names),
    // The first of several counts.
    lower: new Map([...names].reverse().map((name) => [name.toLowerCase(), name])),
    raw: names.find((name) => isRaw(properties[name])),
  };
  known.set(properties, declared);
  return declared;
}

/** Returns the property that takes a tool's body as raw text. */
export const rawProperty = (tool: ToolDefinition): string | undefined => declaredIn(tool.inputSchema).raw;

export const propertiesOf = (schema: JsonSchema | undefined): readonly string[] => declaredIn(schema).names;

/** Returns the declared property that a name means: the one spelled so, else the one that differs in case only. */
export function propertyNamed(schema: JsonSchema | undefined, written: string): string | undefined {
  const { exact, lower } = declaredIn(schema);
  return exact.has(written) ? written : lower.get(written.toLowerCase());
}

export function schemaOf(schema: JsonSchema | undefined, key: string): JsonSchema | undefined {
  if (typeof schema !== "object") return undefined;
  const { properties, additionalProperties } = schema;
  if (properties && Object.hasOwn(properties, key)) return properties[key];
  return typeof additionalProperties === "object" ? additionalProperties : undefined;
}

/** Returns what fits behind a child: a declared property; anything where none is declared. */
export function siblings(schema: JsonSchema | undefined): (name: string) => boolean {
  const { names } = declaredIn(schema);
  return (name) => names.length === 0 || propertyNamed(schema, name) !== undefined;
}

/** Returns how a child's body is read. */
export function kindOf(schema: JsonSchema | undefined): "object" | "array" | "text" | "any" {
  if (typeof schema !== "object") return "any";
  const branches = [schema, ...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const types = branches.flatMap((branch) => (typeof branch === "object" ? [branch.type ?? []].flat() : []));
  if (types.includes("string") || schema.enum || "const" in schema) return "text";
  if (types.includes("object") || schema.properties) return "object";
  if (types.includes("array") || schema.items !== undefined) return "array";
  return types.length > 0 ? "text" : "any";
}

/** Whether any text is a value of a schema as it stands, so that it need not be whole to be given out. */
export function takesAnyText(schema: JsonSchema | undefined, root: JsonSchemaObject): boolean {
  if (schema === undefined || kindOf(schema) !== "text") return false;
  const reading = coerceText("\0", schema, { root });
  return reading.success && reading.value === "\0";
}

/** Follows a local reference. */
export function resolve(schema: JsonSchema | undefined, root: JsonSchemaObject): JsonSchema | undefined {
  let found: unknown = schema;
  for (let steps = 0; steps < 20; steps += 1) {
    const reference = (found as JsonSchemaObject | undefined)?.$ref;
    if (typeof reference !== "string" || !reference.startsWith("#")) break;
    found = atPointer(root, reference);
  }
  return found as JsonSchema | undefined;
}
