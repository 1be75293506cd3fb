import { invisible } from "@toolglot/internal";

/** The keys the protocol knows. */
export type Field = "thought" | "status" | "target" | "code" | "message";

/** The same, as a document has them in order. */
export const fields: readonly Field[] = ["thought", "status", "target", "code", "message"];

/** White space of any script, and what nobody sees, which models put around delimiters; only space and tab are TOML's. */
const odd = `\\v\\f\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000${invisible}`;
const space = `[ \\t${odd}]*`;
const part = `(?:[A-Za-z0-9_-]+|"(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*')`;

/** `key =`, up to the value. Groups: key, delimiter. */
export const keyPattern: RegExp = new RegExp(
  `${space}(${part}(?:${space}\\.${space}${part})*)${space}([=\\uff1d:\\uff1a])${space}`,
  "y",
);

/** A line that may still become a key: all of it, or its first part. */
export const unfinishedKey: RegExp = new RegExp(
  `^${space}(?:${part}(?:${space}\\.${space}${part})*)?(?:${space}\\.${space})?(?:"[^"\\n]*|'[^'\\n]*)?${space}[=\\uff1d:\\uff1a]?${space}$`,
);

/** What may stand after a value: nothing, or a comment. Group: a comment that is not TOML's. */
export const restPattern: RegExp = new RegExp(`^${space}(?:#[^\\n]*|(//[^\\n]*))?\\r?$`);

/**
 * A table header on a line of its own. Groups: opening brackets, the name with white space around it, foreign comment. No two
 * repetitions may take the same text: what is no header would be searched for ever.
 */
export const headerPattern: RegExp = new RegExp(
  `^${space}([[\\uff3b]{1,2})([^[\\]\\n\\uff3b\\uff3d]*|(?:"(?:[^"\\\\\\n]|\\\\.)*"|'[^'\\n]*'|[^[\\]"'\\n\\uff3b\\uff3d])*)[\\]\\uff3d]{1,2}${space}(?:#[^\\n]*|(//[^\\n]*))?\\r?$`,
);

/** Characters that only look like TOML's delimiters. */
export const oddCharacters: RegExp = new RegExp(`[${odd}\\uff1d\\uff3b\\uff3d]`);

/** Opener of a multi-line string. Groups: literal, basic. */
export const multiLineOpener: RegExp = /('''|[‘’‚]{3})|("""|[“”„]{3})/y;

const parts = new RegExp(part, "g");

/** Returns the parts of a dotted key, without quotes. */
export function keyParts(key: string): string[] {
  if (/^[A-Za-z0-9_-]+$/.test(key)) return [key];
  const found = key.match(parts) ?? [];
  return found.map((text) => (/^["']/.test(text) ? text.slice(1, -1) : text));
}

/** Returns the field a key names, if it names one. */
export function fieldOf(name: string): Field | undefined {
  return (fields as readonly string[]).includes(name) ? (name as Field) : undefined;
}

/** Returns `exact` for `tool_call`; `odd` for `ToolCall`, `tool-call` and the like. */
export function toolCallName(name: string): "exact" | "odd" | undefined {
  if (name === "tool_call") return "exact";
  return name.length < 16 && /^tool[-_ ]?calls?$/i.test(name) ? "odd" : undefined;
}

/** A line that begins a document for sure: a table, or a thought with a string opener. */
export const documentStart: RegExp =
  /^[ \t]*(?:\[{1,2}[ \t]*tool[-_]?call[ \t]*\]{1,2}[ \t]*(?:#[^\n]*)?\r?$|thought[ \t]*=[ \t]*["'“‘])/i;
