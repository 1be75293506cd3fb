import { createRecord, type JsonSchema, type JsonSchemaObject } from "@toolglot/core";
import { parseJson, TextReader } from "@toolglot/internal";

const types: ReadonlyMap<string, JsonSchema> = new Map<string, JsonSchema>([
  ["string", { type: "string" }],
  ["int", { type: "integer" }],
  ["number", { type: "number" }],
  ["bool", { type: "boolean" }],
  ["null", { type: "null" }],
  ["any", {}],
  ["object", { type: "object" }],
  ["email", { type: "string", format: "email" }],
  ["url", { type: "string", format: "uri" }],
  ["uuid", { type: "string", format: "uuid" }],
  ["date", { type: "string", format: "date" }],
  ["datetime", { type: "string", format: "date-time" }],
  ["time", { type: "string", format: "time" }],
]);

/** Reads one argument's type. `TypeError` naming the argument, with a caret under the place. */
export function readType(text: string, argument: string): { schema: JsonSchema; optional: boolean } {
  if (typeof text !== "string") throw new TypeError(`argument ${argument}: its type must be text like "int?"`);
  return new TypeReader(text, `argument ${argument}`).read();
}

/** One position at a time. */
class TypeReader extends TextReader {
  #depth = 0;

  read(): { schema: JsonSchema; optional: boolean } {
    const schema = this.#union();
    const optional = this.take("?");
    this.skipSpace();
    if (this.at < this.text.length) this.fail('expected "|", "[]", "?" or the end');
    return { schema, optional };
  }

  #union(): JsonSchema {
    if (++this.#depth > 32) this.fail("nested too deeply");
    const members = [this.#item()];
    while (this.take("|")) members.push(this.#item());
    this.#depth--;
    if (members.length === 1) return members[0] as JsonSchema;
    const flat = members.flatMap(membersOf);
    if (flat.every((member) => member.const !== undefined)) return { enum: flat.map((member) => member.const) };
    return { anyOf: flat };
  }

  #item(): JsonSchema {
    let schema = this.#one();
    while (this.take("[]")) schema = { type: "array", items: schema };
    return schema;
  }

  #one(): JsonSchema {
    if (this.take("(")) {
      const inner = this.#union();
      if (!this.take(")")) this.fail('expected ")"');
      return inner;
    }
    if (this.take("{")) return this.#object();
    this.skipSpace();
    const literal = this.#literal();
    if (literal !== undefined) return { const: literal };
    const word = /^[a-z]{1,16}/.exec(this.text.slice(this.at, this.at + 17))?.[0] ?? "";
    const schema = types.get(word);
    if (schema === undefined) this.fail(`expected a type: ${[...types.keys()].join(", ")}, {…} or a literal`);
    this.at += word.length;
    return { ...(schema as JsonSchemaObject) };
  }

  #literal(): string | number | boolean | undefined {
    if (this.text[this.at] === '"') return this.#quoted();
    const rest = this.text.slice(this.at, this.at + 64);
    const found = /^(?:true|false)\b|^-?\d{1,25}(?:\.\d{1,30})?(?:[eE][+-]?\d{1,3})?/.exec(rest)?.[0];
    if (found === undefined) return undefined;
    const value = parseJson(found);
    if (value === undefined) this.fail("this is no JSON number");
    this.at += found.length;
    return value as number | boolean;
  }

  #quoted(): string {
    let end = this.at + 1;
    while (end < this.text.length && this.text[end] !== '"') end += this.text[end] === "\\" ? 2 : 1;
    const value = parseJson(this.text.slice(this.at, end + 1));
    if (typeof value !== "string") this.fail("this is no JSON text");
    this.at = end + 1;
    return value as string;
  }

  #object(): JsonSchema {
    const properties = createRecord<JsonSchema>();
    const required: string[] = [];
    const names = new Set<string>();
    if (!this.take("}")) {
      do {
        this.skipSpace();
        const name = this.#name();
        if (names.has(name)) this.fail(`the field ${JSON.stringify(name)} is given twice`);
        names.add(name);
        if (!this.take("?")) required.push(name);
        if (!this.take(":")) this.fail('expected ":"');
        properties[name] = this.#union();
      } while (this.take(","));
      if (!this.take("}")) this.fail('expected "," or "}"');
    }
    const schema: JsonSchemaObject = { type: "object", properties };
    if (required.length > 0) schema.required = required;
    schema.additionalProperties = false;
    return schema;
  }

  #name(): string {
    if (this.text[this.at] === '"') return this.#quoted();
    const name = /^[A-Za-z_][A-Za-z0-9_]{0,127}/.exec(this.text.slice(this.at, this.at + 129))?.[0];
    if (name === undefined) this.fail("expected the name of a field");
    this.at += (name as string).length;
    return name as string;
  }
}

function membersOf(schema: JsonSchema): JsonSchemaObject[] {
  if (typeof schema === "boolean") return [];
  if (schema.anyOf !== undefined) return schema.anyOf as JsonSchemaObject[];
  return schema.enum === undefined ? [schema] : schema.enum.map((value) => ({ const: value }));
}
