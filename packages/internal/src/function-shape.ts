import { isObject } from "./json.ts";
/** Content of a function or a schema in somebody's wrapping. */
export interface FunctionShape {
  name?: unknown;
  description?: unknown;
  /** Undefined when the function takes no parameters. */
  schema: unknown;
}

/** Where the schema stands, by the words of OpenAI, MCP, the AI SDK and Anthropic. */
const schemaKeys = ["parameters", "inputSchema", "input_schema", "schema", "parametersJsonSchema"] as const;
/** What may stand beside it. */
const beside: readonly string[] = ["name", "description", "strict", "title", "type", "annotations", "outputSchema"];

/**
 * Reads a JSON Schema that came wrapped, as tools and response formats of providers do: `{ type: "function", function: { name,
 * description, parameters } }`, `{ name, parameters }`, `{ name, schema, strict }`, `{ type: "json_schema", json_schema }`,
 * `{ name, inputSchema }`, `{ name, input_schema }`. Undefined for anything else, a JSON Schema by itself included.
 */
export function readFunctionShape(given: unknown): FunctionShape | undefined {
  if (!isObject(given)) return undefined;
  const { type } = given;
  if (type === "function" && isObject(given.function)) return innerShape(given.function);
  if (type === "json_schema" && isObject(given.json_schema)) return innerShape(given.json_schema);
  if (type !== undefined && type !== "function" && type !== "json_schema" && type !== "custom") return undefined;
  const found = schemaKeys.filter((key) => isObject(given[key]) || typeof given[key] === "function");
  // A function without parameters has a name at least.
  if (found.length === 0 && (type !== "function" || typeof given.name !== "string")) return undefined;
  return innerShape(given);
}

function innerShape(given: Record<string, unknown>): FunctionShape | undefined {
  const found = schemaKeys.filter((key) => given[key] !== undefined);
  const [key] = found;
  const isKnown = (name: string): boolean => beside.includes(name) || name === key;
  if (found.length > 1 || !Object.keys(given).every(isKnown)) return undefined;
  // A parameter may be called `schema`; a wrapping has a name, or a type.
  if (key === "schema" && given.name === undefined && given.type === undefined && given.strict === undefined)
    return undefined;
  return {
    ...(given.name !== undefined && { name: given.name }),
    ...(given.description !== undefined && { description: given.description }),
    schema: key === undefined ? undefined : given[key],
  };
}
