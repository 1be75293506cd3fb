import type { Scan } from "../scan/entry.ts";
import type { Field } from "../scan/patterns.ts";
import { hasControl } from "../toml-text.ts";

/** What stands before a value, from the line end before it on. Groups: the call's header, the key. */
const beforeValue = /^[ \t]*(?:\r?\n[ \t]*)+(\[tool_call\](?:[ \t]*\r?\n)+[ \t]*)?(\w+)[ \t]*=[ \t]*$/;
const delimiter = /^(?:'''|"""|['"])$/;
const blank = /^[ \t]*(?:\r?\n[ \t]*)*$/;

/**
 * Returns the values of a document that has the protocol's plain form, as the TOML parser would read them: keys it knows, once each,
 * `thought` above the one `[tool_call]`, strings without escapes, no comments. Undefined for any other, which the TOML parser
 * has to read. Nothing of the scan is taken on trust but where values stand: every unit of the document is read here.
 */
export function plainValues({ source, start, end, entries, indent }: Scan): Map<Field, string> | undefined {
  if (indent > 0) return undefined;
  const values = new Map<Field, string>();
  let at = start;
  let inCall = false;
  for (const { field, valueStart, bodyStart, bodyEnd, valueEnd } of entries) {
    const gap = source.slice(at, valueStart);
    const match = beforeValue.exec(at === start ? `\n${gap}` : gap);
    if (!match || !field || match[2] !== field || values.has(field)) return undefined;
    if (match[1] !== undefined) {
      if (inCall) return undefined;
      inCall = true;
    }
    if ((field === "thought") === inCall) return undefined;
    const opener = source.slice(valueStart, bodyStart);
    if (!delimiter.test(opener) || source.slice(bodyEnd, valueEnd) !== opener) return undefined;
    const text = plainText(source.slice(bodyStart, bodyEnd), opener);
    if (text === undefined) return undefined;
    values.set(field, text);
    at = valueEnd;
  }
  return inCall && at <= end && blank.test(source.slice(at, end)) ? values : undefined;
}

/** Returns the text of a TOML string with this body between these delimiters; undefined when it has escapes, or is none. */
function plainText(body: string, opener: string): string | undefined {
  if (body.includes(opener) || (opener.startsWith('"') && body.includes("\\"))) return undefined;
  const text = body.includes("\r") ? body.replaceAll("\r\n", "\n") : body;
  if (hasControl(text)) return undefined;
  if (opener.length === 1) return text.includes("\n") ? undefined : text;
  return text.startsWith("\n") ? text.slice(1) : text;
}
