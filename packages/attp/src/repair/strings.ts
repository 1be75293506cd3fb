import type { Source } from "@toolglot/core/text";
import type { Entry } from "../scan/entry.ts";

/** What stands behind a backslash, and what it means. */
const escapes = 'btnfre"\\';
const meanings = '\b\t\n\f\r\u001b"\\';

const escapePattern = /\\(?:u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|x([0-9a-fA-F]{2})|([ \t]*\n[ \t\n]*)|([\s\S]?))/g;

/** Decodes the body of a basic string as TOML does; `undefined` when it holds an escape that TOML does not know. */
function decodeBasic(body: string): string | undefined {
  if (!body.includes("\\")) return body;
  let known = true;
  const text = body.replace(escapePattern, (_, short, long, byte, line, single: string) => {
    if (line !== undefined) return "";
    const digits = short ?? long ?? byte;
    if (digits === undefined) {
      known &&= single !== "" && escapes.includes(single);
      return meanings.charAt(escapes.indexOf(single));
    }
    const code = Number.parseInt(digits, 16);
    known &&= code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return known ? String.fromCodePoint(code) : "";
  });
  return known ? text : undefined;
}

/** Takes up to `indent` white space off every line but the first. */
export function unindent(text: string, indent: number): string {
  if (indent === 0) return text;
  return text.replace(new RegExp(`\\n[^\\S\\n]{1,${indent}}`, "g"), "\n");
}

/** Returns the body of a value as written: `\n` line ends, the fence's indentation and a first line break taken off. */
export function rawBody(source: Source, entry: Entry, indent: number): string {
  const body = source.slice(entry.bodyStart, entry.bodyEnd).replaceAll("\r\n", "\n");
  if (!isMultiLine(entry)) return entry.form === "backticks" ? unindent(body, indent) : body;
  const text = unindent(body, indent);
  return text.startsWith("\n") ? text.slice(1) : text;
}

/** Whether a value is written between triple quotes. */
export function isMultiLine(entry: Entry): boolean {
  return entry.form === "multi-basic" || entry.form === "multi-literal";
}

/** Returns a value's text; `raw` when its escapes are none of TOML's and its text was taken as it stands. Undefined: no string. */
export function entryText(source: Source, entry: Entry, indent: number): { text: string; raw: boolean } | undefined {
  if (entry.form === "other") return undefined;
  const body = rawBody(source, entry, indent);
  if (entry.form !== "basic" && entry.form !== "multi-basic") return { text: body, raw: false };
  const text = decodeBasic(body);
  return text === undefined ? { text: body, raw: true } : { text, raw: false };
}
