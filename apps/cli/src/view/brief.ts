import { displayWidth } from "@toolglot/internal";
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

/** What a call is made with; of a router, the calls in it with their numbers: `2 query_sql(sql="…")`. */
export function argumentsText(name: string, input: unknown): string {
  const { calls } = (input ?? {}) as { calls?: unknown };
  if (!Array.isArray(calls) || name !== "router") return inputText(input);
  const texts = calls.map((call: { idx?: unknown; name?: unknown; args?: unknown } | null) => {
    return `${call?.idx ?? "?"} ${call?.name ?? "?"}(${inputText(call?.args)})`;
  });
  return texts.join(", ");
}

/** What a call gave, on one line; of a router, the summaries of the calls in it, or what was wrong with them. */
export function resultText(name: string, data: unknown, error?: { message: string }): string {
  const entries = name === "router" && Array.isArray(data) ? data : [data];
  const texts = entries.flatMap((entry: { summary?: unknown; error?: unknown } | null | undefined) => {
    const text = name === "router" ? (entry?.summary ?? entry?.error) : undefined;
    return typeof text === "string" ? [text] : [];
  });
  if (texts.length === entries.length) return [...new Set(texts)].join(" · ");
  return error?.message ?? valueText(data);
}
