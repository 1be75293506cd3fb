import { createRecord, type JsonObject, type JsonValue } from "@toolglot/core";
import { asPattern } from "@toolglot/internal";
import { word } from "./python-pattern.ts";
import { isExact, readJson } from "./read-json.ts";
import { eachTag, type TagPattern } from "./tags.ts";
import type { ContentArguments, ContentParser } from "./types.ts";

/** How a region's text is read. */
export interface Content {
  parser: ContentParser;
  args: ContentArguments;
  tags: TagPattern | undefined;
  /** How values are read. */
  values: Content | undefined;
}

/** White space as Python's `strip` has it: that of JavaScript, four separators and the next line, and no byte order mark. */
const isSpace = (char: string): boolean => /[^\S\ufeff]/.test(char) || "\x1c\x1d\x1e\x1f\x85".includes(char);

/** Returns a text without white space at its edges. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charAt(start))) start += 1;
  while (end > start && isSpace(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns a number as Python writes it, in lower case, without the joints between its digits. */
const digits = (text: string): string =>
  strip(text)
    .toLowerCase()
    .replace(/(?<=\d)_(?=\d)/g, "");

/** Returns a whole number as Python's `int` reads it: its text when a double would change it, undefined when it is none. */
export function readInt(text: string): number | string | undefined {
  const plain = digits(text);
  if (!/^[+-]?\d+$/.test(plain)) return undefined;
  return isExact(plain) ? Number(plain) + 0 : strip(text);
}

/** Returns a number as Python's `float` reads it; not finite for words like `inf`, undefined when it is none. */
export function readFloat(text: string): number | undefined {
  const plain = digits(text);
  if (/^[+-]?(?:inf(?:inity)?|nan)$/.test(plain)) return Number.NaN;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/.test(plain) ? Number(plain) + 0 : undefined;
}

/** Returns a text without white space at its edges, unless that counts. */
const edged = (text: string, { args }: Content): string => (args.strip === false ? text : strip(text));

/**
 * Returns the value of a region's text.
 *
 * @throws Error when the parser can't read it.
 */
export function readContent(text: string, content: Content): JsonValue {
  const own = edged(text, content);
  switch (content.parser) {
    case "text":
      return own;
    case "int":
      return readInt(own) ?? fail("whole number", own);
    case "float": {
      const value = readFloat(own) ?? fail("number", own);
      return Number.isFinite(value) ? value : strip(own);
    }
    case "bool":
      return /^(?:true|1)$/i.test(own);
    case "json":
      return readLooseJson(text, content);
    case "xml-inline":
      return readTags(text, content);
    case "kv-lines":
      return readLines(text, content);
  }
}

function fail(wanted: string, text: string): never {
  throw new SyntaxError(`no ${wanted}: ${JSON.stringify(text.slice(0, 100))}`);
}

const key = new RegExp(`(?<=[{,])([${word}]+):`, "gu");

/** Control characters, which no answer holds. */
const [mark, markEnd] = ["\u0001", "\u0002"] as const;
const marked = new RegExp(`${mark}(\\d+)${markEnd}`, "g");

function readLooseJson(text: string, content: Content): JsonValue {
  const { args } = content;
  const { string_delims: delims = [] } = args;
  const strings: string[] = [];
  let working = text;
  if (delims.length > 0) {
    // They stand for the strings, so that no step after this looks into one.
    if (text.includes(mark) || text.includes(markEnd)) fail("JSON", text);
    for (const pair of delims) {
      const [open, close] = pair.map(asPattern);
      // What nothing closes is no string.
      working = working.replace(new RegExp(`${open}([^]*?)(${close}|$)`, "g"), (all, inner: string, end: string) =>
        end ? `${mark}${strings.push(inner) - 1}${markEnd}` : all,
      );
    }
  }
  if (args.unquoted_keys) working = working.replace(key, '"$1":');
  working = working.replace(marked, (_all, index: string) => JSON.stringify(strings[Number(index)]));
  try {
    return readJson(working);
  } catch (error) {
    if (args.allow_non_json) return edged(text, content);
    throw error;
  }
}

const tagValue = (text: string, content: Content): JsonValue =>
  content.values ? readContent(text, content.values) : text;

function readTags(text: string, content: Content): JsonObject {
  const values = createRecord<JsonValue>();
  for (const [key, raw] of eachTag(text, content.tags as TagPattern)) {
    if (key === undefined) throw new SyntaxError("a tag has no key");
    const value = tagValue(raw, content);
    const before = values[key];
    if (before === undefined || !content.args.merge_duplicates) values[key] = value;
    else if (Array.isArray(before)) before.push(value);
    else values[key] = [before, value];
  }
  return values;
}

function readLines(text: string, content: Content): JsonObject {
  const values = createRecord<JsonValue>();
  const { line_sep: lineSep = "\n", kv_sep: keySep = ":" } = content.args;
  for (const whole of text.split(lineSep)) {
    const line = edged(whole, content);
    const at = line.indexOf(keySep);
    if (at < 0) continue;
    values[edged(line.slice(0, at), content)] = tagValue(edged(line.slice(at + keySep.length), content), content);
  }
  return values;
}
