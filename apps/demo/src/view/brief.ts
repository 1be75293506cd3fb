import { displayWidth } from "../planner/text.ts";
import { visible } from "./visible.ts";

/** A text on one line of at most `width` columns. */
export function clip(text: string, width: number): string {
  const line = visible(text).replaceAll(/\s+/g, " ").trim();
  if (displayWidth(line) <= width) return line;
  let kept = "";
  let used = 1;
  for (const character of line) {
    used += displayWidth(character);
    if (used > width) break;
    kept += character;
  }
  return `${kept}…`;
}

/** A call's input as a program would write it: `query="refunds", top_k=3`. */
export function inputText(input: unknown): string {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return valueText(input);
  return Object.entries(input)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${JSON.stringify(typeof value === "string" ? clip(value, 1000) : value)}`)
    .join(", ");
}

/** A value as JSON; nothing for `undefined`. */
export function valueText(value: unknown): string {
  return value === undefined ? "" : (JSON.stringify(value) ?? "");
}
