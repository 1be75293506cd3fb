import { createRecord, type JsonObject, type JsonValue } from "@toolglot/core";
import { word } from "./python-classes.ts";
import { isExact, readJson } from "./read-json.ts";
import { eachTag, type TagPattern } from "./tags.ts";

/** The parsers of a region's text. */
export const contentParsers = ["text", "int", "float", "bool", "json", "xml-inline", "kv-lines"] as const;

/** The value of these is what was written, so that its pieces can be shown as they come. */
export const isPlain = (parser: string): boolean => /^(?:text|int|float|bool)$/.test(parser);

/** How a region's text is read. */
export interface Content {
  parser: (typeof contentParsers)[number];
  strip: boolean;
  unquotedKeys: boolean;
  stringDelims: readonly (readonly [string, string])[];
  allowNonJson: boolean;
  tags: TagPattern | undefined;
  valueParser: Content | undefined;
  mergeDuplicates: boolean;
  lineSep: string;
  kvSep: string;
}

/** White space as Python's `strip` has it. */
const isSpace = (code: number): boolean =>
  code < 128
    ? code === 32 || (code > 8 && code < 14) || (code > 27 && code < 32)
    : code === 0x85 || (code !== 0xfeff && /\s/.test(String.fromCharCode(code)));

/** Returns a text without white space at its edges. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start += 1;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

/** Returns a whole number as Python's `int` reads it: its text when a double would change it, undefined when it is none. */
export function readInt(text: string): number | string | undefined {
  const plain = strip(text);
  const digits = plain.replaceAll("_", "");
  if (!/^[+-]?\d+(?:_\d+)*$/.test(plain)) return undefined;
  return isExact(digits) ? Number(digits) + 0 : plain;
}

/** Returns a number as Python's `float` reads it; not finite for words like `inf`, undefined when it is none. */
export function readFloat(text: string): number | undefined {
  const plain = strip(text).toLowerCase();
  if (/^[+-]?(?:inf|infinity|nan)$/.test(plain)) return Number.NaN;
  const form = /^[+-]?(?:\d+(?:_\d+)*(?:\.(?:\d+(?:_\d+)*)?)?|\.\d+(?:_\d+)*)(?:e[+-]?\d+(?:_\d+)*)?$/;
  return form.test(plain) ? Number(plain.replaceAll("_", "")) + 0 : undefined;
}

/**
 * Returns the value of a region's text.
 *
 * @throws Error when the parser can't read it.
 */
export function readContent(text: string, content: Content): JsonValue {
  const own = content.strip ? strip(text) : text;
  switch (content.parser) {
    case "text":
      return own;
    case "int":
      return readInt(own) ?? fail("a whole number", own);
    case "float": {
      const value = readFloat(own) ?? fail("a number", own);
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
  throw new SyntaxError(`this is not ${wanted}: ${JSON.stringify(text.slice(0, 100))}`);
}

const key = new RegExp(`(?<=[{,])([${word}]+):`, "gu");

/** Control characters, which no answer holds. */
const [mark, markEnd] = ["\u0001", "\u0002"] as const;
const marked = new RegExp(`${mark}(\\d+)${markEnd}`, "g");

function readLooseJson(text: string, content: Content): JsonValue {
  const strings: string[] = [];
  let working = text;
  if (content.stringDelims.length > 0) {
    // They stand for the strings, so that no step after this looks into one.
    if (text.includes(mark) || text.includes(markEnd)) fail("JSON without control characters", text);
    for (const [open, close] of content.stringDelims) working = withoutStrings(working, open, close, strings);
  }
  if (content.unquotedKeys) working = working.replace(key, '"$1":');
  working = working.replace(marked, (_all, index: string) => JSON.stringify(strings[Number(index)]));
  try {
    return readJson(working);
  } catch (error) {
    if (content.allowNonJson) return content.strip ? strip(text) : text;
    throw error;
  }
}

function withoutStrings(text: string, open: string, close: string, strings: string[]): string {
  const parts: string[] = [];
  let from = 0;
  for (;;) {
    const start = text.indexOf(open, from);
    const end = start < 0 ? -1 : text.indexOf(close, start + open.length);
    if (end < 0) return parts.join("") + text.slice(from);
    parts.push(text.slice(from, start), `${mark}${strings.length}${markEnd}`);
    strings.push(text.slice(start + open.length, end));
    from = end + close.length;
  }
}

const tagValue = (text: string, content: Content): JsonValue =>
  content.valueParser ? readContent(text, content.valueParser) : text;

function readTags(text: string, content: Content): JsonObject {
  const values = createRecord<JsonValue>();
  for (const { key, value: raw } of eachTag(text, content.tags as TagPattern)) {
    if (key === undefined) throw new SyntaxError("a tag has no key");
    const value = tagValue(raw, content);
    const before = values[key];
    if (before === undefined || !content.mergeDuplicates) values[key] = value;
    else if (Array.isArray(before)) before.push(value);
    else values[key] = [before, value];
  }
  return values;
}

function readLines(text: string, content: Content): JsonObject {
  const values = createRecord<JsonValue>();
  const edge = (part: string): string => (content.strip ? strip(part) : part);
  for (const whole of text.split(content.lineSep)) {
    const line = edge(whole);
    const at = line.indexOf(content.kvSep);
    if (at < 0) continue;
    values[edge(line.slice(0, at))] = tagValue(edge(line.slice(at + content.kvSep.length)), content);
  }
  return values;
}
