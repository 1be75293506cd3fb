import type { Form, Scan } from "../scan/entry.ts";
import type { Field } from "../scan/patterns.ts";

const delimiters: Partial<Record<Form, string>> = {
  "multi-literal": "'''",
  "multi-basic": '"""',
  literal: "'",
  basic: '"',
};

/** What stands before a value, from the line end before it on. Groups: the call's header, the key. */
const beforeValue = /^[ \t]*(?:\r?\n[ \t]*)+(\[tool_call\](?:[ \t]*\r?\n)+[ \t]*)?(\w+)[ \t]*=[ \t]*$/;
const blank = /^[ \t]*(?:\r?\n[ \t]*)*$/;

// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what is looked for.
const control = /[\u0000-\u0008\u000b-\u001f]/;

/**
 * The values of a document that has the protocol's plain form, as the TOML parser would read them: keys it knows, once each,
 * `thought` above the one `[tool_call]`, strings without escapes, no comments. Undefined for any other, which the TOML parser
 * has to read. Nothing of the scan is taken on trust but where values stand: every unit of the document is looked at here.
 */
export function plainValues({ source, start, end, entries, indent }: Scan): Map<Field, string> | undefined {
  if (indent > 0) return undefined;
  const values = new Map<Field, string>();
  let at = start;
  let inCall = false;
  for (const { field, form, valueStart, valueEnd } of entries) {
    const gap = source.slice(at, valueStart);
    const match = beforeValue.exec(at === start ? `\n${gap}` : gap);
    if (!match || !field || match[2] !== field || values.has(field)) return undefined;
    if (match[1] !== undefined) {
      if (inCall) return undefined;
      inCall = true;
    }
    if ((field === "thought") === inCall) return undefined;
    const text = plainText(source.slice(valueStart, valueEnd), delimiters[form]);
    if (text === undefined) return undefined;
    values.set(field, text);
    at = valueEnd;
  }
  return inCall && at <= end && blank.test(source.slice(at, end)) ? values : undefined;
}

/** What a TOML string holds; undefined when it has escapes, or is none. */
function plainText(value: string, delimiter: string | undefined): string | undefined {
  if (!delimiter || !value.startsWith(delimiter)) return undefined;
  const length = delimiter.length;
  if (value.length < 2 * length || !value.endsWith(delimiter)) return undefined;
  let body = value.slice(length, -length);
  if (body.includes(delimiter) || (delimiter.startsWith('"') && body.includes("\\"))) return undefined;
  if (length === 1) return body.includes("\n") || hasControl(body) ? undefined : body;
  if (body.includes("\r")) body = body.replaceAll("\r\n", "\n");
  if (hasControl(body)) return undefined;
  return body.startsWith("\n") ? body.slice(1) : body;
}

/** Whether a unit stands in a text that TOML forbids in strings. One class for all of them would take twice as long. */
function hasControl(text: string): boolean {
  return control.test(text) || text.includes("\u007f");
}
