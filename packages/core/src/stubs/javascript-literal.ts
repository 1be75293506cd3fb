import { toJsonText } from "../json.ts";

/** Writes a value as a JavaScript literal, on one line. What JSON can't hold is read as core's `toJsonText` writes it. */
export function javascriptLiteral(value: unknown): string {
  return literal(JSON.parse(toJsonText(value)));
}

function literal(value: unknown): string {
  if (typeof value === "string") return stringLiteral(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).map(([key, item]) => `${literalKey(key)}: ${literal(item)}`);
    return entries.length > 0 ? `{ ${entries.join(", ")} }` : "{}";
  }
  return String(value);
}

/**
 * Writes a string literal. JSON's escapes are JavaScript's too; DEL and format characters are escaped, so that code shows what it holds.
 */
function stringLiteral(text: string): string {
  return JSON.stringify(text).replace(
    /[\u007f-\u009f\u2028\u2029\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Writes a key of a type or a literal, in quotes where it is no plain identifier. */
export function propertyKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : stringLiteral(name);
}

/** Writes a key of a literal, in which a bare `__proto__` would set the prototype. */
function literalKey(name: string): string {
  return name === "__proto__" ? '["__proto__"]' : propertyKey(name);
}
