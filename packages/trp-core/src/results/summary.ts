import type { JsonValue } from "@toolglot/core";
import { cutText } from "@toolglot/core/results";

const longest = 200;
const maxNamed = 6;

/** Returns a line about a value, for a capability without a summary of its own: how many items, which members. */
export function summaryOf(data: JsonValue): string {
  if (data === null) return "done, without data";
  if (typeof data === "string") return shortLine(data, longest) || "an empty text";
  if (typeof data !== "object") return String(data);
  if (Array.isArray(data)) return itemsText(data);
  const keys = Object.keys(data);
  if (keys.length === 0) return "an empty object";
  let text = "";
  for (const key of keys.slice(0, maxNamed)) text += `${text === "" ? "" : ", "}${memberText(key, data[key] ?? null)}`;
  if (keys.length > maxNamed) text += `, and ${keys.length - maxNamed} more`;
  return shortLine(text, longest);
}

function memberText(key: string, value: JsonValue): string {
  const name = key.length > 40 ? `${cutText(key, 39)}…` : key;
  if (Array.isArray(value)) return `${name}: ${itemsText(value)}`;
  if (typeof value === "object" && value !== null) return name;
  return `${name}: ${shortLine(String(value), 60)}`;
}

function itemsText({ length }: readonly JsonValue[]): string {
  return length === 0 ? "no items" : length === 1 ? "1 item" : `${length} items`;
}

/** Has more than one line, or blanks around it. */
const isUntidy = /[\r\n]|^\s|\s$/;

/** Returns the first line that is not empty, at most so long. */
export function shortLine(text: string, length: number): string {
  if (text.length <= length && !isUntidy.test(text)) return text;
  // Only the beginning is looked at: the text may be long.
  const start = text.slice(0, 4 * length).trimStart();
  const end = start.search(/[\r\n]/);
  const line = (end < 0 ? start : start.slice(0, end)).trimEnd();
  const isWhole = line.length <= length && (text.length <= 4 * length || end >= 0);
  return isWhole ? line : `${cutText(line, length - 1)}…`;
}
