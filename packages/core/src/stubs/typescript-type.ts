import { type JsonSchema, type JsonSchemaObject, toJsonText } from "../json.ts";
import { oneLine } from "../manual.ts";
import { javascriptLiteral, propertyKey } from "./javascript-literal.ts";
import { descriptionOf, schemaAt } from "./resolve-schema.ts";
import { findReferences } from "./schema-references.ts";
import { clean } from "./text-lines.ts";

/** One property of an object type. */
export interface Field {
  name: string;
  schema: JsonSchema;
  required: boolean;
  /** What stands beside it, on one line. */
  comment: string;
}

/** Writes schemas that share their definitions as TypeScript types. */
export interface TypeWriter {
  /**
   * Returns `string`, `{ a: number }[]`, `"x" | null`; `unknown` for a schema without constraints. Lines of nested objects are indented.
   */
  type(schema: JsonSchema | undefined): string;
  /** Writes `{ a: string; b?: number }`. `rest`: of further properties. */
  object(fields: readonly Field[], rest: JsonSchema | undefined): string;
  /** Returns `type Name = …;` of every definition that the types written so far name. */
  aliases(): string[];
}

interface Alias {
  name: string;
  /** Of one that holds itself: what is to be written. */
  target?: JsonSchema | undefined;
  body?: string;
}

const maxDepth = 24;
const maxLine = 100;
/** A shorter definition is written where it is used. */
const minAlias = 24;

/**
 * Creates a type writer. `root` is what local references point into, `schemas` are all that will be written of it. A definition gets a name
 * (from `nameOf`) when it holds itself, or is used more than once and long.
 */
export function createTypeWriter(
  schemas: readonly JsonSchema[],
  root: JsonSchema,
  words: { default: string },
  nameOf: (reference: string) => string,
): TypeWriter {
  const { uses, recursive, empty } = findReferences(schemas, root);
  const aliases = new Map<string, Alias>();
  const written = new Map<string, string[]>();
  const open = new Set<JsonSchema>();

  /** Returns the members of the union, without repetition; `unknown` swallows the others. */
  function members(schema: JsonSchema | undefined): string[] {
    if (schema === false) return ["never"];
    if (typeof schema !== "object" || schema === null) return ["unknown"];
    if (typeof schema.$ref === "string") return nullable(schema, referred(schema.$ref));
    if (open.has(schema) || open.size > maxDepth) return ["unknown"];
    open.add(schema);
    const found = nullable(schema, own(schema));
    open.delete(schema);
    return found;
  }

  function referred(reference: string): string[] {
    if (empty.has(reference)) return ["unknown"];
    const known = aliases.get(reference);
    if (known) return [known.name];
    const target = schemaAt(reference, root);
    if (recursive.has(reference)) {
      // Its body is written later, not inside of what it stands in.
      aliases.set(reference, { name: nameOf(reference), target });
      return [(aliases.get(reference) as Alias).name];
    }
    const found = written.get(reference) ?? members(target);
    written.set(reference, found);
    const body = join(found);
    if ((uses.get(reference) ?? 0) < 2 || body.length < minAlias) return found;
    const name = nameOf(reference);
    aliases.set(reference, { name, body });
    return [name];
  }

  function own(schema: JsonSchemaObject): string[] {
    const literals = "const" in schema ? [schema.const] : schema.enum;
    if (Array.isArray(literals)) return literals.length > 0 ? unite(literals.map(literalType)) : ["never"];
    const parts = [schema.anyOf ?? schema.oneOf].flatMap((branches) =>
      Array.isArray(branches) && branches.length > 0 ? [unite(branches.flatMap(members))] : [],
    );
    const all = Array.isArray(schema.allOf) ? schema.allOf.map(members) : [];
    const known = [...parts, ...all].filter((part) => part[0] !== "unknown");
    const base = [schema.type ?? kindOf(schema)].flat().flatMap((type) => named(type, schema));
    const bare = base[0] === "unknown" || (isOpenObject(schema) && base.length === 1);
    if (known.length === 0) return unite(base);
    if (known.length === 1 && bare) return known[0] as string[];
    const intersected = [...(bare ? [] : [unite(base)]), ...known].map((part) => wrapped(join(part), part.length > 1));
    return [[...new Set(intersected)].join(" & ")];
  }

  function named(type: unknown, schema: JsonSchemaObject): string[] {
    switch (type) {
      case "string":
      case "boolean":
      case "null":
      case "number":
        return [type];
      case "integer":
        return ["number"];
      case "array":
        return [array(schema)];
      case "object":
        return [objectOf(schema)];
      default:
        return ["unknown"];
    }
  }

  function array(schema: JsonSchemaObject): string {
    const { items, prefixItems, minItems } = schema as { items?: unknown; prefixItems?: unknown; minItems?: unknown };
    const older = Array.isArray(items) ? items : undefined;
    const prefix = Array.isArray(prefixItems) ? prefixItems : older;
    if (prefix === undefined) return `${element(schema.items)}[]`;
    // JSON Schema lets a tuple end anywhere; those who write one mean all of it, unless they say a number.
    const least = typeof minItems === "number" ? minItems : prefix.length;
    const types = prefix.map((item: JsonSchema, index) => {
      const text = join(members(item));
      return index < least ? text : `${wrapped(text, /[|&]/.test(text))}?`;
    });
    const rest = (prefix === older ? schema.additionalItems : items) as JsonSchema | undefined;
    return `[${[...types, ...(rest ? [`...${element(rest)}[]`] : [])].join(", ")}]`;
  }

  function element(schema: JsonSchema | undefined): string {
    const found = members(schema);
    return wrapped(join(found), found.length > 1 || / & /.test(join(found)));
  }

  function objectOf(schema: JsonSchemaObject): string {
    const { properties, additionalProperties } = schema;
    const required = Array.isArray(schema.required) ? schema.required : [];
    const names = new Set([...Object.keys(properties ?? {}), ...required.map(String)]);
    if (names.size === 0 && additionalProperties === undefined) return "Record<string, unknown>";
    const fields = [...names].map((name): Field => {
      const field = properties && Object.hasOwn(properties, name) ? (properties[name] as JsonSchema) : true;
      return { name, schema: field, required: required.includes(name), comment: commentOf(field) };
    });
    return object(fields, additionalProperties || undefined);
  }

  function commentOf(schema: JsonSchema): string {
    return [oneLine(clean(descriptionOf(schema, root))), defaultText(schema)].filter(Boolean).join("; ");
  }

  function defaultText(schema: JsonSchema): string {
    const value = typeof schema === "object" && schema !== null ? schema.default : undefined;
    return value === undefined ? "" : `${words.default} ${oneLine(clean(toJsonText(value)))}`;
  }

  function object(fields: readonly Field[], rest: JsonSchema | undefined): string {
    const types = fields.map(({ schema }) => members(schema));
    const lines = fields.map(({ name, required, schema, comment }, index) => {
      const text = `${propertyKey(name)}${required ? "" : "?"}: ${join(types[index] as string[])}`;
      return { text, comment, short: comment === defaultText(schema) };
    });
    if (rest !== undefined) {
      // Every property has to be one of the index signature's, too.
      const optional = fields.some(({ required }) => !required) ? ["undefined"] : [];
      const known = members(rest);
      const all = fields.length > 0 ? unite([...known, ...types.flat(), ...optional]) : known;
      lines.push({ text: `[key: string]: ${join(all)}`, comment: "", short: true });
    }
    if (lines.length === 0) return "{}";
    const line = `{ ${lines.map(({ text, comment }) => text + (comment && ` /* ${comment.replaceAll("*/", "*\\/")} */`)).join("; ")} }`;
    const fits = line.length <= maxLine && !line.includes("\n");
    if (lines.every(({ short }) => short) && (fits || lines.length === 1)) return line;
    const rows = lines.map(({ text, comment }) => {
      if (comment === "") return `${text};`;
      return text.includes("\n") ? `// ${comment}\n${text};` : `${text}; // ${comment}`;
    });
    return `{\n${rows.map((row) => `  ${row.replaceAll("\n", "\n  ")}`).join("\n")}\n}`;
  }

  return {
    type: (schema) => join(members(schema)),
    object,
    aliases() {
      const lines: string[] = [];
      // Bodies may name further aliases; the loop visits those that are added meanwhile.
      for (const { name, body, target } of aliases.values()) {
        lines.push(`type ${name} = ${body ?? join(members(target))};`);
      }
      return lines;
    },
  };
}

function kindOf(schema: JsonSchemaObject): string {
  if (schema.properties || schema.additionalProperties !== undefined) return "object";
  return schema.items !== undefined || schema.prefixItems !== undefined ? "array" : "";
}

/** Whether an object schema has no constraint but the type. */
function isOpenObject({ type, properties, required, additionalProperties }: JsonSchemaObject): boolean {
  return type === "object" && !properties && !required && additionalProperties === undefined;
}

function nullable(schema: JsonSchemaObject, found: string[]): string[] {
  return schema.nullable === true ? unite([...found, "null"]) : found;
}

function unite(parts: readonly string[]): string[] {
  if (parts.includes("unknown")) return ["unknown"];
  const some = [...new Set(parts)].filter((part) => part !== "never");
  return some.length > 0 ? some : ["never"];
}

function join(parts: readonly string[]): string {
  return parts.join(" | ");
}

function wrapped(text: string, needed: boolean): string {
  return needed ? `(${text})` : text;
}

/** Returns a value as the type that holds nothing else. */
function literalType(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(literalType).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => `${propertyKey(key)}: ${literalType(item)}`);
    return entries.length > 0 ? `{ ${entries.join("; ")} }` : "Record<string, never>";
  }
  return javascriptLiteral(value);
}
