import type { JsonSchema, JsonSchemaObject, JsonSchemaType } from "@toolglot/core";
import { parseJson, TextReader } from "@toolglot/internal";
import type { ArgsShorthand } from "./args-types.ts";
import { setOwn } from "./schema-walk.ts";

const keywords: Readonly<Record<string, JsonSchemaObject>> = {
  string: { type: "string" },
  number: { type: "number" },
  integer: { type: "integer" },
  boolean: { type: "boolean" },
  object: { type: "object" },
  null: { type: "null" },
  any: {},
};

/**
 * Returns the JSON Schema of an {@link ArgsShorthand}: an object schema that takes no other properties. `TypeError` for a
 * specification that can't be read, naming the parameter and showing where.
 */
export function argsToJsonSchema(args: ArgsShorthand, where = "args"): JsonSchemaObject {
  const properties: Record<string, JsonSchema> = {};
  const required: string[] = [];
  for (const [key, spec] of Object.entries(args)) {
    const optional = key.endsWith("?");
    const name = optional ? key.slice(0, -1) : key;
    if (name === "") throw new TypeError(`${where}: a parameter needs a name`);
    if (typeof spec !== "string") throw new TypeError(`${where}.${name} must be text like "string - City name"`);
    if (Object.hasOwn(properties, name)) throw new TypeError(`${where}: the parameter ${name} is given twice`);
    const schema = new SpecReader(spec, `${where}.${name}`).read();
    setOwn(properties, name, schema);
    if (!optional && schema.default === undefined) required.push(name);
  }
  const schema: JsonSchemaObject = { type: "object", properties };
  if (required.length > 0) schema.required = required;
  schema.additionalProperties = false;
  return schema;
}

/** Reads `type [= default] [- description]`, one position at a time. */
class SpecReader extends TextReader {
  read(): JsonSchemaObject {
    const schema = { ...this.#union() };
    const fallback = this.take("=") ? this.#default(schema) : undefined;
    this.skipSpace();
    const rest = this.text.slice(this.at);
    if (rest !== "" && !/^-(\s|$)/.test(rest)) this.fail('expected "= default", "- description" or the end');
    const description = rest.slice(1).trim();
    if (description !== "") schema.description = description;
    if (fallback !== undefined) schema.default = fallback.value;
    return schema;
  }

  #union(): JsonSchemaObject {
    const members = [this.#arrays()];
    while (this.take("|")) members.push(this.#arrays());
    return members.length === 1 ? (members[0] as JsonSchemaObject) : unite(members);
  }

  #arrays(): JsonSchemaObject {
    let schema = this.#primary();
    while (this.take("[]")) schema = { type: "array", items: schema };
    return schema;
  }

  #primary(): JsonSchemaObject {
    if (this.take("(")) {
      const inner = this.#union();
      if (!this.take(")")) this.fail('expected ")"');
      return inner;
    }
    this.skipSpace();
    const quoted = this.#quoted();
    if (quoted !== undefined) return { type: "string", enum: [quoted] };
    const word = /^[a-z]+/i.exec(this.text.slice(this.at))?.[0] ?? "";
    if (!Object.hasOwn(keywords, word)) {
      this.fail(`expected a type: ${Object.keys(keywords).join(", ")}, or a quoted literal`);
    }
    this.at += word.length;
    return { ...keywords[word] };
  }

  /** Returns a literal in single or double quotes; a quote inside one is not possible. */
  #quoted(): string | undefined {
    const quote = this.text[this.at];
    if (quote !== '"' && quote !== "'") return undefined;
    const end = this.text.indexOf(quote, this.at + 1);
    if (end === -1) this.fail("this literal has no closing quote");
    const literal = this.text.slice(this.at + 1, end);
    this.at = end + 1;
    return literal;
  }

  /** Returns a quoted literal, or JSON up to ` - ` or the end; bare words are text where the type allows text. */
  #default(schema: JsonSchemaObject): { value: unknown } {
    this.skipSpace();
    const start = this.at;
    const quoted = this.#quoted();
    if (quoted !== undefined) return { value: quoted };
    const rest = this.text.slice(start);
    const stops = [...rest.matchAll(/\s-(?=\s|$)/g)].map((match) => match.index);
    for (const stop of [...stops, rest.length]) {
      const value = parseJson(rest.slice(0, stop));
      if (value === undefined) continue;
      this.at = start + stop;
      return { value };
    }
    const bare = rest.slice(0, stops[0] ?? rest.length).trim();
    if (bare === "" || !allowsText(schema)) this.fail("the default must be JSON, or quoted text");
    this.at = start + (stops[0] ?? rest.length);
    return { value: bare };
  }
}

function allowsText(schema: JsonSchemaObject): boolean {
  return schema.type === "string" || (Array.isArray(schema.type) && schema.type.includes("string"));
}

/** Literals become one `enum`, simple types one `type` list, anything else `anyOf`. */
function unite(members: JsonSchemaObject[]): JsonSchemaObject {
  const literals = members.flatMap((member) => member.enum ?? []);
  if (literals.length === members.length) return { type: "string", enum: [...new Set(literals)] };
  const types = members.map((member) => member.type);
  const simple = members.every((member) => Object.keys(member).length === 1 && typeof member.type === "string");
  if (simple) return { type: [...new Set(types)] as JsonSchemaType[] };
  const others = members.filter((member) => member.enum === undefined);
  const united: JsonSchema[] = literals.length > 0 ? [{ type: "string", enum: [...new Set(literals)] }] : [];
  return { anyOf: [...united, ...others] };
}
