import type { JsonSchema, JsonSchemaObject } from "./json.ts";
import { keywords, predefined } from "./reserved-names.ts";
import type { ToolDefinition } from "./tool-definition.ts";

/** The languages that programs are written in. */
export type ProgramLanguage = "python" | "javascript";

/** A parameter as a program names it. */
export interface BoundParam {
  /** The property's name in the tool's input. */
  name: string;
  /** Unique among the tool's parameters. */
  identifier: string;
  required: boolean;
  schema: JsonSchema;
  /** The schema's default; absent when it has none. */
  default?: unknown;
}

/** A tool as a program names it. */
export interface BoundTool {
  name: string;
  /** Unique among the tools. */
  identifier: string;
  /** In the order of positional arguments: required ones first, then optional ones, each in schema order. */
  params: BoundParam[];
  /** Schema of further, undeclared properties, when the input schema allows them. */
  rest?: JsonSchema;
}

/** Tools under their names in one language, with look-ups both ways. */
export interface NameBindings {
  language: ProgramLanguage;
  /** In the order given. */
  tools: BoundTool[];
  byName: ReadonlyMap<string, BoundTool>;
  byIdentifier: ReadonlyMap<string, BoundTool>;
}

/**
 * Returns names that a program can use for tools and their parameters. A name that is an identifier already, and free, stays
 * as it is, whatever other tools there are. Else: every run of other characters becomes `_` (`File.Write` →
 * `File_Write`), a leading digit gets `_` before it, two leading underscores become one, a keyword gets `_` after it
 * (`class_`), for tools also a builtin, an allowed library or a name of the sandbox (`print_`, `json_`); a clash gets a
 * number (`a_b_2`). Letters of any script stay, but for those beyond U+FFFF, about which language versions disagree;
 * Python names are NFKC-normalised, as Python itself does. The same tools have the same names each time.
 *
 * Throws `TypeError` when two tools have the same name.
 *
 * @example
 * ```ts
 * const { byName } = bindNames([{ name: "File.Write", inputSchema: { type: "object" } }], "python");
 * const identifier = byName.get("File.Write")?.identifier; // "File_Write"
 * ```
 */
export function bindNames(
  tools: readonly Pick<ToolDefinition, "name" | "inputSchema">[],
  language: ProgramLanguage,
): NameBindings {
  const byName = new Map<string, BoundTool>();
  const byIdentifier = new Map<string, BoundTool>();
  const identifiers = identify(
    tools.map((tool) => tool.name),
    language,
    true,
  );
  const bound = tools.map((tool, index) => {
    if (byName.has(tool.name)) {
      throw new TypeError(`Two tools are named ${JSON.stringify(tool.name)}: rename one of them or leave it out.`);
    }
    const entry = bindTool(tool, identifiers[index] as string, language);
    byName.set(entry.name, entry);
    byIdentifier.set(entry.identifier, entry);
    return entry;
  });
  return { language, tools: bound, byName, byIdentifier };
}

function bindTool(
  { name, inputSchema }: Pick<ToolDefinition, "name" | "inputSchema">,
  identifier: string,
  language: ProgramLanguage,
): BoundTool {
  const properties = new Map(Object.entries(inputSchema.properties ?? {}));
  const required = new Set(inputSchema.required);
  for (const key of required) if (!properties.has(key)) properties.set(key, true);
  const names = [...properties.keys()];
  const ordered = [...names.filter((key) => required.has(key)), ...names.filter((key) => !required.has(key))];
  const identifiers = identify(ordered, language, false);
  const params = ordered.map((key, index) => {
    const schema = properties.get(key) as JsonSchema;
    const param: BoundParam = {
      name: key,
      identifier: identifiers[index] as string,
      required: required.has(key),
      schema,
    };
    const fallback = (schema as JsonSchemaObject).default;
    if (fallback !== undefined) param.default = fallback;
    return param;
  });
  const rest = inputSchema.additionalProperties;
  return { name, identifier, params, ...(rest ? { rest } : {}) };
}

/** Returns one identifier per name, all different; names that can stay as they are have the first choice. */
function identify(names: readonly string[], language: ProgramLanguage, forTools: boolean): string[] {
  const wished = names.map((name) => toIdentifier(name, language, forTools));
  const taken = new Set(names.filter((name, index) => name === wished[index]));
  const kept = new Set<string>();
  return wished.map((wish, index) => {
    if (wish === names[index] && !kept.has(wish)) {
      kept.add(wish);
      return wish;
    }
    let identifier = wish;
    for (let number = 2; taken.has(identifier); number++) identifier = `${wish}_${number}`;
    taken.add(identifier);
    return identifier;
  });
}

/**
 * What is no part of a Python identifier, letters included that came to Unicode after version 14: interpreters in use do
 * not know them. Above U+FFFF there are too many to name.
 */
const noPython =
  /(?:[^\p{XIDC}]|\u0897|\u0cf3|\u0ece|[\u1acf-\u1aff]|\u200c|\u200d|[\u088f\u0c5c\u0cdc\u1c89\u1c8a\u30fb\uff65\ua7cb-\ua7f1]|[\u{10000}-\u{10ffff}])+/gu;

function toIdentifier(name: string, language: ProgramLanguage, forTool: boolean): string {
  const python = language === "python";
  const normal = python ? name.normalize("NFKC") : name;
  let identifier = normal
    .replace(python ? noPython : /(?:[^\p{IDC}$]|[\u{10000}-\u{10ffff}])+/gu, "_")
    .replace(/^__+/, "_")
    .replace(python ? /^(?![\p{XIDS}_])/u : /^(?![\p{IDS}$_])/u, "_");
  if (/^_+$/.test(identifier)) identifier = forTool ? "tool" : "arg";
  const reserved = keywords[language].test(identifier) || (forTool && predefined[language].test(identifier));
  return reserved ? `${identifier}_` : identifier;
}
