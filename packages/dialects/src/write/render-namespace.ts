import type { JsonSchema, JsonSchemaObject } from "@toolglot/core";
import { atPointer, isObject } from "@toolglot/internal";
import type { ToolShape } from "../tools.ts";
import { neutralizeMarks } from "./neutralize-marks.ts";

/** Deeper types are `any`. */
const maxDepth = 8;

/** Returns tools as types of a TypeScript namespace, as harmony's system text has them. */
export function renderNamespace(tools: readonly ToolShape[]): string {
  const types = tools.map(({ name, description, schema }) => {
    const fields = Object.entries(schema.properties ?? {}).map(([key, property]) => {
      const { description: about, default: fallback } = isObject(property) ? property : {};
      const mark = schema.required?.includes(key) ? "" : "?";
      const note = fallback === undefined ? "" : ` // default: ${JSON.stringify(fallback)}`;
      return `${comment(about)}${fieldName(key)}${mark}: ${typeText(property, schema, 0)},${note}\n`;
    });
    const input = fields.length === 0 ? "()" : `(_: {\n${fields.join("")}})`;
    return `${comment(description)}type ${name} = ${input} => any;`;
  });
  return neutralizeMarks(`## functions\n\nnamespace functions {\n\n${types.join("\n\n")}\n\n} // namespace functions`);
}

/** Lines of a comment; nothing for no text. */
function comment(text: unknown): string {
  if (typeof text !== "string" || text.trim() === "") return "";
  return `${text
    .trim()
    .split(/\r\n|[\n\r\u2028\u2029]/)
    .map((line) => `// ${line}`.trimEnd())
    .join("\n")}\n`;
}

function fieldName(key: string): string {
  return /^[\p{L}_$][\p{L}\p{N}_$]*$/u.test(key) ? key : JSON.stringify(key);
}

function typeText(schema: JsonSchema | undefined, root: JsonSchemaObject, depth: number): string {
  if (!isObject(schema) || depth > maxDepth) return "any";
  const { $ref, anyOf, oneOf, type, nullable } = schema as JsonSchemaObject;
  const literals = "const" in schema ? [schema.const] : schema.enum;
  const again = (inner: JsonSchema): string => typeText(inner, root, depth + 1);
  const branches = anyOf ?? oneOf;
  const parts = Array.isArray(literals)
    ? literals.map((literal) => JSON.stringify(literal))
    : typeof $ref === "string"
      ? [again(atPointer(root, $ref.slice(1)) as JsonSchema)]
      : Array.isArray(branches)
        ? branches.map(again)
        : [type ?? "any"].flat().map((name) => named(name, schema as JsonSchemaObject, again));
  const known = [...new Set(nullable === true ? [...parts, "null"] : parts)];
  return known.length === 0 || known.includes("any") ? "any" : known.join(" | ");
}

function named(type: string, schema: JsonSchemaObject, again: (inner: JsonSchema) => string): string {
  switch (type) {
    case "integer":
      return "number";
    case "array": {
      const item = schema.items === undefined ? "any" : again(schema.items);
      return item.includes(" | ") ? `(${item})[]` : `${item}[]`;
    }
    case "object": {
      const fields = Object.entries(schema.properties ?? {});
      if (fields.length === 0) return "object";
      const members = fields.map(([key, property]) => {
        const mark = schema.required?.includes(key) ? "" : "?";
        return `${fieldName(key)}${mark}: ${again(property)}`;
      });
      return `{ ${members.join(", ")} }`;
    }
    default:
      return type;
  }
}
