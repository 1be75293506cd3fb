import { checkKeys, type JsonObject, type JsonValue } from "@toolglot/core";
import { type Content, contentParsers } from "./content.ts";
import { literalsPattern, type Pattern, patternOf } from "./delimiter.ts";
import { tagPatternOf } from "./tags.ts";
import { checkTransform } from "./transform.ts";
import type { ContentArguments, ResponseField, ResponseTemplate } from "./types.ts";

/** A field, ready to be read. */
export interface Field {
  name: string;
  open: Pattern | undefined;
  close: Pattern | undefined;
  content: Content;
  repeats: boolean;
  join: string | undefined;
  optional: boolean;
  transform: JsonValue | undefined;
  transformEach: boolean;
}

/** A template, ready to be used. */
export interface Compiled {
  defaults: JsonObject;
  anchor: Pattern;
  fields: readonly Field[];
}

const templateKeys = "version:any defaults:object fields:object start_anchor:text|text[] start_anchor_pattern:string";
const fieldKeys =
  "open:text|text[] open_pattern:string close:text|text[] close_pattern:string content:string content_args:object repeats:boolean join:string|null optional:boolean transform:any transform_each:boolean";
const contentKeys =
  "strip:boolean unquoted_keys:boolean string_delims:list allow_non_json:boolean tag_pattern:string value_parser:object|null merge_duplicates:boolean line_sep:text kv_sep:text";

/**
 * Makes a template ready. `asTexts`: values in tags and lines stay as they are written, but for white space, where their parser would only
 * tell their types.
 *
 * @throws TypeError that names what is wrong with it, and where.
 */
export function compileTemplate(template: ResponseTemplate, asTexts = false): Compiled {
  checkKeys("response_template", template, templateKeys, ["fields"]);
  const { version = 1, defaults = {}, fields } = template;
  if (version !== 1) throw new TypeError(`response_template.version must be 1, not ${JSON.stringify(version)}`);
  const anchor = delimiterOf(template, "start_anchor", "response_template");
  if (!anchor) throw new TypeError("response_template must have start_anchor or start_anchor_pattern");
  const compiled = Object.entries(fields ?? {}).map(([name, field]) => fieldOf(name, field, asTexts));
  if (compiled.length === 0) throw new TypeError("response_template.fields must have a field");
  const [, second] = compiled.filter(({ open }) => !open);
  if (second) {
    throw new TypeError(
      `response_template.fields.${second.name} must have open or open_pattern: only one field may be without`,
    );
  }
  return { defaults, anchor, fields: compiled };
}

function fieldOf(name: string, field: ResponseField, asTexts: boolean): Field {
  const where = `response_template.fields.${name}`;
  checkKeys(where, field ?? (null as never), fieldKeys);
  const { repeats = false, optional = true, transform_each: transformEach = false } = field;
  const transform = field.transform ?? undefined;
  const open = delimiterOf(field, "open", where);
  const close = delimiterOf(field, "close", where);
  const join = field.join ?? undefined;
  if (join !== undefined && !repeats) throw new TypeError(`${where}.join needs repeats: true`);
  if (transform === undefined) {
    const lost = [...(open?.names ?? []), ...(close?.names ?? [])];
    if (transformEach) throw new TypeError(`${where}.transform_each needs a transform`);
    if (lost.length > 0) {
      throw new TypeError(
        `${where} must have a transform that takes its groups (${lost.join(", ")}), or no names for them`,
      );
    }
  } else checkTransform(transform, `${where}.transform`);
  return {
    name,
    open,
    close,
    content: contentOf(field.content, field.content_args, where, "content", "content_args", asTexts),
    repeats,
    join,
    optional,
    transform,
    transformEach,
  };
}

/** Returns what finds a delimiter, which is given as texts or as a pattern, or not at all. */
function delimiterOf(holder: object, key: string, where: string): Pattern | undefined {
  const given = holder as Record<string, string | string[] | undefined>;
  const literals = given[key];
  const pattern = given[`${key}_pattern`] as string | undefined;
  if (literals === undefined) return pattern === undefined ? undefined : patternOf(pattern, `${where}.${key}_pattern`);
  if (pattern !== undefined) throw new TypeError(`${where} must have ${key} or ${key}_pattern, not both`);
  const texts = [literals].flat();
  if (texts.length === 0) throw new TypeError(`${where}.${key} must hold a text`);
  return literalsPattern(texts, `${where}.${key}`);
}

/** A pair of texts that are not empty. */
const isPair = (value: unknown): value is [string, string] =>
  Array.isArray(value) && value.length === 2 && value.every((text) => typeof text === "string" && text !== "");

function contentOf(
  given: string | undefined,
  options: ContentArguments | undefined,
  where: string,
  nameKey: string,
  optionsKey: string,
  asTexts: boolean,
): Content {
  const parser = contentParsers.find((name) => name === (given ?? "text"));
  if (parser === undefined) {
    throw new TypeError(
      `${where}.${nameKey} must be one of ${contentParsers.join(", ")}, not ${JSON.stringify(given)}`,
    );
  }
  const place = `${where}.${optionsKey}`;
  checkKeys(place, options, contentKeys);
  const { string_delims: delimiters = [], tag_pattern: tags, value_parser: values } = options ?? {};
  if (!delimiters.every(isPair)) throw new TypeError(`${place}.string_delims must be pairs of texts`);
  if (parser === "xml-inline" && tags === undefined) throw new TypeError(`${place} must have a tag_pattern`);
  if (values) checkKeys(`${place}.value_parser`, values, "name:string args:object");
  const value = values && contentOf(values.name, values.args, `${place}.value_parser`, "name", "args", false);
  if (asTexts && value && !value.unquotedKeys && value.stringDelims.length === 0 && !/-/.test(value.parser))
    value.parser = "text";
  return {
    parser,
    strip: options?.strip ?? true,
    unquotedKeys: options?.unquoted_keys ?? false,
    stringDelims: delimiters,
    allowNonJson: options?.allow_non_json ?? false,
    tags: tags === undefined ? undefined : tagPatternOf(tags, `${place}.tag_pattern`),
    valueParser: value ?? undefined,
    mergeDuplicates: options?.merge_duplicates ?? false,
    lineSep: options?.line_sep ?? "\n",
    kvSep: options?.kv_sep ?? ":",
  };
}
