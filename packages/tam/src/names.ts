import {
  type JsonSchema,
  type JsonSchemaObject,
  nearest,
  type ToolDefinition,
  type ToolErrorInfo,
} from "@toolglot/core";

/**
 * Returns a key as the specification compares keys: trimmed, camelCase humps apart, in lower case, every run of characters that
 * are neither letters nor digits as `_`, none of them at the ends. A run of capitals is one hump: `filePath_1` becomes
 * `file_path_1`, `CONTENT1` `content1`, `URLPath` `urlpath`. Empty when there is no letter and no digit.
 */
export function normalizeKey(key: string): string {
  if (/^[a-z\d]+(?:_[a-z\d]+)*$/.test(key)) return key;
  return key
    .normalize("NFC")
    .replace(/\p{Ll}\p{N}*(?=\p{Lu})/gu, "$&_")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}]+|[\ufe00-\ufe0f]+/gu, "_")
    .replace(/_+/g, "_")
    .replace(/^_|_$/g, "");
}

/** Keys that mean something else in a block than a parameter of a step; `common_` brings a parameter of that name to the only step. */
export const reservedKey: RegExp =
  /^(?:(?:command|on_error|retry)(?:_?\d+)?|comment|request_id|(?:common|uri|type_hint)_.+)$/;

/** What a name is among declared ones: one of them, one of several and it is not known which, or none. */
export type NameMatch = { match: string } | { candidates: string[] } | undefined;

interface DeclaredNames {
  exact: Set<string>;
  normalized: Map<string, string[]>;
  squashed: Map<string, string[]>;
}

const formsOf = new WeakMap<readonly string[], DeclaredNames>();

/**
 * Finds a name among declared ones: as it is written, else normalised, else without underscores. Work on the declared
 * names is kept for as long as the same array is passed.
 */
export function matchName(name: string, declared: readonly string[]): NameMatch {
  const names = formsOf.get(declared) ?? index(declared);
  if (names.exact.has(name)) return { match: name };
  const key = normalizeKey(name);
  if (key === "") return undefined;
  const found = names.normalized.get(key) ?? names.squashed.get(squash(key));
  if (!found) return undefined;
  return found.length === 1 ? { match: found[0] as string } : { candidates: [...found] };
}

function index(declared: readonly string[]): DeclaredNames {
  const names: DeclaredNames = { exact: new Set(declared), normalized: new Map(), squashed: new Map() };
  for (const name of names.exact) {
    const key = normalizeKey(name);
    for (const [map, form] of [
      [names.normalized, key],
      [names.squashed, squash(key)],
    ] as const)
      map.set(form, [...(map.get(form) ?? []), name]);
  }
  formsOf.set(declared, names);
  return names;
}

const squash = (key: string): string => key.replaceAll("_", "");

/** The parameters of a tool, by its schema. */
export interface DeclaredParams {
  names: string[];
  schemas: Map<string, JsonSchema>;
  /** Those without which there is no call: required, and without a default. */
  required: string[];
  /**
   * The schema of parameters with other names; undefined when there must be none. Names are closed unless the schema opens
   * them itself: JSON Schema's own default would let every misspelt name through.
   */
  others: JsonSchema | undefined;
}

const paramsOf = new WeakMap<JsonSchemaObject, DeclaredParams>();

/** Returns the parameters of a tool, those in `allOf`, `anyOf`, `oneOf` and local references included. */
export function declaredParams({ inputSchema }: Pick<ToolDefinition, "inputSchema">): DeclaredParams {
  const found = paramsOf.get(inputSchema);
  if (found) return found;
  const schemas = new Map<string, JsonSchema>();
  const required = new Set<string>();
  let others: JsonSchema | undefined;
  let left = 500;
  const collect = (schema: JsonSchema | undefined, always: boolean): void => {
    if (typeof schema !== "object" || left-- < 0) return;
    for (const [name, property] of Object.entries(schema.properties ?? {})) {
      const before = schemas.get(name);
      schemas.set(name, before === undefined ? property : { anyOf: [before, property] });
    }
    if (always) for (const name of schema.required ?? []) required.add(name);
    if (schema.additionalProperties) others ??= schema.additionalProperties;
    else if (schema.patternProperties) others ??= true;
    for (const part of schema.allOf ?? []) collect(part, always);
    for (const part of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) collect(part, false);
    const [, group, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(schema.$ref ?? "") ?? [];
    if (group && name) collect((inputSchema[group] as Record<string, JsonSchema> | undefined)?.[name], always);
  };
  collect(inputSchema, true);
  if (schemas.size === 0 && inputSchema.properties === undefined && inputSchema.additionalProperties !== false)
    others ??= true;
  const optional = (name: string): boolean => {
    const schema = schemas.get(name);
    return typeof schema === "object" && "default" in schema;
  };
  const made = {
    names: [...schemas.keys()],
    schemas,
    required: [...required].filter((name) => !optional(name)),
    others,
  };
  paramsOf.set(inputSchema, made);
  return made;
}

/** Whether a parameter takes its text as it is written. */
export const keepsWhiteSpace = (schema: JsonSchema | undefined): boolean =>
  typeof schema === "object" && schema["x-preserve-whitespace"] === true;

const namesOf = new WeakMap<readonly ToolDefinition[], string[]>();

/** Returns the tool that a name means, or the error for the model; `brief` as in {@link findParam}. */
export function findTool(
  name: string,
  tools: readonly ToolDefinition[],
  brief = false,
): { tool: ToolDefinition } | { error: ToolErrorInfo } {
  const before = namesOf.get(tools);
  // A host may change its list.
  const same = before?.length === tools.length && before.every((known, at) => known === tools[at]?.name);
  const names = before && same ? before : tools.map((tool) => tool.name);
  if (!same) namesOf.set(tools, names);
  const found = matchName(name, names);
  if (found && "match" in found) return { tool: tools[names.indexOf(found.match)] as ToolDefinition };
  const type = "UnknownTool";
  if (found) return { error: { type, message: `The tool ${quote(name)} could be ${either(found.candidates)}.` } };
  const message = `There is no tool ${quote(name)}.`;
  return {
    error: {
      type,
      message: brief ? message : `${message} ${cure(name, names, "The tools are", "There are no tools.")}`,
    },
  };
}

/** So many names of a block or a step are compared with the declared ones: ten hints teach as much as a thousand. */
export const hintsAtMost = 10;

/**
 * Returns the parameter that a name means (the name itself when the tool takes any), or the error for the model. `brief`: the error
 * does not say what may have been meant, which costs a comparison with every declared name.
 */
export function findParam(
  name: string,
  tool: ToolDefinition,
  brief = false,
): { name: string } | { error: ToolErrorInfo } {
  const { names, others } = declaredParams(tool);
  const found = matchName(name, names);
  if (found && "match" in found) return { name: found.match };
  const type = "InvalidInput";
  if (found)
    return {
      error: { type, message: `The parameter ${quote(name)} of ${tool.name} could be ${either(found.candidates)}.` },
    };
  if (others !== undefined) return { name };
  const message = `${tool.name} has no parameter ${quote(name)}.`;
  return {
    error: { type, message: brief ? message : `${message} ${cure(name, names, "It takes", "It takes none.")}` },
  };
}

/** So many names are listed at most. */
const listed = 20;

function cure(name: string, names: readonly string[], all: string, none: string): string {
  const near = nearest(name, names);
  if (near.length > 0) return `Did you mean ${either(near)}?`;
  if (names.length === 0) return none;
  const more = names.length > listed ? ` and ${names.length - listed} more` : "";
  return `${all}: ${names.slice(0, listed).join(", ")}${more}.`;
}

const either = (names: readonly string[]): string => names.map(quote).join(" or ");

/** Returns what a model wrote, in quotes; it may be long. */
export const quote = (name: string): string => JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name);
