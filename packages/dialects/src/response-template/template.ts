import { checkKeys, type JsonObject } from "@toolglot/core";
import { asPattern } from "@toolglot/internal";
import type { Content } from "./content.ts";
import { type Pattern, patternOf } from "./delimiter.ts";
import { tagPatternOf } from "./tags.ts";
import { checkTransform } from "./transform.ts";
import type { ContentArguments, ContentParser, ResponseField, ResponseTemplate } from "./types.ts";

/** A field, ready to be read. */
export interface Field {
  name: string;
  own: ResponseField;
  open: Pattern | undefined;
  close: Pattern | undefined;
  content: Content;
}

/** A template, ready to be used. */
export interface Compiled {
  defaults: JsonObject;
  anchor: Pattern;
  fields: readonly Field[];
}

/** Throws the mistake of a template at a place. */
function refuse(place: string, why: string): never {
  throw new TypeError(`${place} ${why}`);
}

const root = "response_template";
const templateKeys =
  "version:number defaults:object fields:object start_anchor:text|text[] start_anchor_pattern:string";
const parsers = '"text"|"int"|"float"|"bool"|"json"|"xml-inline"|"kv-lines"';
const fieldKeys =
  `open:text|text[] open_pattern:string close:text|text[] close_pattern:string content:${parsers} content_args:object repeats:boolean join:string|null optional:boolean transform:any transform_each:boolean` as const;
const contentKeys =
  "strip:boolean unquoted_keys:boolean string_delims:list[] allow_non_json:boolean tag_pattern:string value_parser:object|null merge_duplicates:boolean line_sep:text kv_sep:text";

/**
 * Makes a template ready. `asTexts`: values in tags and lines stay as they are written, but for white space, where their parser would only
 * show their types.
 *
 * @throws TypeError that names what is wrong with it, and where.
 */
export function compileTemplate(template: ResponseTemplate, asTexts = false): Compiled {
  checkKeys(root, template, templateKeys, ["fields"]);
  const { version = 1, defaults = {}, fields } = template;
  if (version !== 1) refuse(`${root}.version`, "must be 1");
  const anchor =
    delimiterOf(template, "start_anchor", root) ?? refuse(root, "must have start_anchor or start_anchor_pattern");
  const compiled = Object.entries(fields ?? {}).map(([name, field]) => fieldOf(name, field, asTexts));
  if (compiled.length === 0) refuse(`${root}.fields`, "must have a field");
  const [, second] = compiled.filter(({ open }) => !open);
  if (second) refuse(`${root}.fields.${second.name}`, "must have open or open_pattern, as all fields but one");
  return { defaults, anchor, fields: compiled };
}

function fieldOf(name: string, own: ResponseField, asTexts: boolean): Field {
  const where = `${root}.fields.${name}`;
  checkKeys(where, own ?? (null as never), fieldKeys);
  const open = delimiterOf(own, "open", where);
  const close = delimiterOf(own, "close", where);
  if (typeof own.join === "string" && !own.repeats) refuse(`${where}.join`, "needs repeats: true");
  if (hasTransform(own)) checkTransform(own.transform, `${where}.transform`);
  else {
    const lost = [...(open?.names ?? []), ...(close?.names ?? [])];
    if (own.transform_each) refuse(`${where}.transform_each`, "needs a transform");
    if (lost.length > 0) refuse(where, `must have a transform for its groups (${lost})`);
  }
  const content = contentOf(own.content, own.content_args, `${where}.content_args`, asTexts);
  return { name, own, open, close, content };
}

/** Whether a field has a transform; null is none. */
const hasTransform = ({ transform }: ResponseField): boolean => transform !== undefined && transform !== null;

/** Returns what finds a delimiter, which is given as texts or as a pattern, or not at all. */
function delimiterOf(holder: object, key: string, where: string): Pattern | undefined {
  const given = holder as Record<string, string | string[] | undefined>;
  const literals = given[key];
  const pattern = given[`${key}_pattern`] as string | undefined;
  if (literals === undefined) return pattern === undefined ? undefined : patternOf(pattern, `${where}.${key}_pattern`);
  if (pattern !== undefined) refuse(where, `must have ${key} or ${key}_pattern, not both`);
  const texts = [literals].flat();
  if (texts.length === 0) refuse(`${where}.${key}`, "must hold a text");
  const longestFirst = texts.sort((one, other) => other.length - one.length);
  return patternOf(longestFirst.map(asPattern).join("|"), `${where}.${key}`);
}

function contentOf(
  parser: ContentParser = "text",
  args: ContentArguments = {},
  place: string,
  asTexts: boolean,
): Content {
  checkKeys(place, args, contentKeys);
  const { string_delims: delimiters = [], tag_pattern: tags, value_parser: values } = args;
  if (!delimiters.every((pair) => pair.length === 2 && pair.every((text) => typeof text === "string" && text)))
    refuse(`${place}.string_delims`, "must be pairs of texts");
  if (parser === "xml-inline" && tags === undefined) refuse(place, "must have a tag_pattern");
  const inner = `${place}.value_parser`;
  if (values) checkKeys(inner, values, `name:${parsers} args:object` as const);
  const value = values ? contentOf(values.name, values.args, `${inner}.args`, false) : undefined;
  if (asTexts && value && !value.args.unquoted_keys && !value.args.string_delims && !/-/.test(value.parser))
    value.parser = "text";
  return {
    parser,
    args,
    tags: tags === undefined ? undefined : tagPatternOf(tags, `${place}.tag_pattern`),
    values: value,
  };
}
