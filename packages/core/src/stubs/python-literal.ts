import { toJsonText } from "../json.ts";

/** Which quotes strings get: `"` as code is written, `'` as Python prints values (unless the text has only `'`). */
export type Quote = '"' | "'";

/** Writes a value as a Python literal, on one line. What JSON can't hold is read as core's `toJsonText` writes it. */
export function pythonLiteral(value: unknown, quote: Quote = '"'): string {
  return literal(JSON.parse(toJsonText(value)), quote);
}

function literal(value: unknown, quote: Quote): string {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (typeof value === "string") return stringLiteral(value, quote);
  if (Array.isArray(value)) return `[${value.map((item) => literal(item, quote)).join(", ")}]`;
  if (typeof value === "object") {
    return `{${Object.entries(value)
      .map(([key, item]) => `${stringLiteral(key, quote)}: ${literal(item, quote)}`)
      .join(", ")}}`;
  }
  return String(value);
}

/** Writes a string literal. JSON's escapes are Python's too; DEL and format characters are escaped, so that code shows what it holds. */
function stringLiteral(text: string, quote: Quote): string {
  const double = JSON.stringify(text).replace(/[\u007f-\u009f\u2028\u2029\ufeff]/g, escapeCharacter);
  if (quote === '"' || (text.includes("'") && !text.includes('"'))) return double;
  return `'${double.slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
