import { invisible, isBlank, isSpace } from "@toolglot/internal";
import { entity, entityText } from "./tag.ts";

export const cdataStart = "<![CDATA[";
export const cdataEnd = "]]>";

/** A raw body in parts: text and CDATA by turns, text first and last. A body without CDATA has one part. */
export interface BodyParts {
  parts: string[];
  /** What was done about entities; undefined when there are none. */
  entities: "decoded" | "literal" | undefined;
  /** The body begins with CDATA that is not closed, or with a mark that may be meant for one. A lone mark was dropped. */
  unclosed: boolean;
}

const entityAt = new RegExp(entity.source, "y");
const markup = /<[/?!]?[A-Za-z]/;

/** Returns text and CDATA of a body. CDATA in a body that has tags beside it is text like the tags: the body was never escaped. */
function split(raw: string): string[] {
  const parts: string[] = [];
  let done = 0;
  for (let at = raw.indexOf(cdataStart); at >= 0; at = raw.indexOf(cdataStart, done)) {
    const end = raw.indexOf(cdataEnd, at + cdataStart.length);
    if (end < 0) break;
    const text = raw.slice(done, at);
    if (markup.test(text)) return [raw];
    parts.push(text, raw.slice(at + cdataStart.length, end));
    done = end + cdataEnd.length;
  }
  const rest = raw.slice(done);
  if (parts.length > 0 && markup.test(rest.replace(cdataStart, ""))) return [raw];
  parts.push(rest);
  return parts;
}

/** Takes a body apart. */
function bodyParts(raw: string): BodyParts {
  if (!raw.includes("<![")) return { parts: [raw], entities: undefined, unclosed: false };
  const parts = split(raw);
  const body = parts.length === 1 ? raw.trim() : "";
  let unclosed = false;
  if (body.startsWith(cdataStart)) {
    const end = body.indexOf(cdataEnd);
    unclosed =
      end < 0 || body.lastIndexOf(cdataStart, end) > 0 || body.lastIndexOf(cdataStart) > body.lastIndexOf(cdataEnd);
    if (end < 0) parts[0] = raw.replace(cdataStart, "");
  } else if (parts.length > 1) unclosed = (parts.at(-1) as string).includes(cdataStart);
  else unclosed = body.startsWith("<![") && body.endsWith(cdataEnd);
  return { parts, entities: undefined, unclosed };
}

/** Decodes entities in the text parts, but only when none of them has a bare `&` or `<`. */
function decode(body: BodyParts): BodyParts {
  const { parts } = body;
  let found = false;
  let bare = false;
  for (let index = 0; index < parts.length; index += 2) {
    const part = parts[index] as string;
    bare ||= part.includes("<");
    for (let at = part.indexOf("&"); at >= 0 && !(found && bare); at = part.indexOf("&", at + 1)) {
      entityAt.lastIndex = at;
      const match = entityAt.exec(part);
      if (match && entityText(match[1], match[2], match[3]) !== undefined) found = true;
      else bare = true;
    }
  }
  if (!found) return body;
  body.entities = bare ? "literal" : "decoded";
  if (!bare)
    for (let index = 0; index < parts.length; index += 2)
      parts[index] = (parts[index] as string).replace(
        entity,
        (_, name, decimal, hex) => entityText(name, decimal, hex) as string,
      );
  return body;
}

const blank = /^[ \t\r\n]*$/;

/** Drops white space around CDATA: it is layout. */
function dropLayout({ parts }: BodyParts): boolean {
  if (parts.length === 1 || parts.some((part, index) => index % 2 === 0 && !blank.test(part))) return false;
  for (let index = 0; index < parts.length; index += 2) parts[index] = "";
  return true;
}

/** What became of a body's text. */
export interface BodyText {
  text: string;
  entities: BodyParts["entities"];
  unclosed: boolean;
  /** Characters that nobody sees were taken off its ends. */
  stripped?: boolean;
}

const finish = (body: BodyParts): BodyText => {
  const { parts, entities, unclosed } = decode(body);
  return { text: parts.length === 1 ? (parts[0] as string) : parts.join(""), entities, unclosed };
};

const unseenEdges = new RegExp(`^[${invisible}]+|[${invisible}]+$`, "g");

/** Returns a text, if it is not in CDATA, without characters at its ends that nobody sees. */
export function visibleText(body: BodyText, raw: string): BodyText {
  const { text: all } = body;
  // What nobody sees is no ASCII.
  const mayBeUnseen = all.charCodeAt(0) > 127 || all.charCodeAt(all.length - 1) > 127;
  if (!mayBeUnseen || raw.includes(cdataStart)) return body;
  const text = all.replace(unseenEdges, "");
  return { ...body, text, stripped: text !== all };
}

/** Returns a body to the last blank. */
export function literalText(raw: string): BodyText {
  const body = bodyParts(raw);
  dropLayout(body);
  return finish(body);
}

/** Returns a body but for one line break after the opening and one before the closing tag, with blanks that stand behind it. */
export function exactText(raw: string): BodyText {
  const body = bodyParts(raw);
  if (!dropLayout(body)) {
    const { parts } = body;
    const last = parts.length - 1;
    const first = parts[0] as string;
    // Length of the line break that a text begins with.
    parts[0] = first.slice(first.startsWith("\n") ? 1 : first.startsWith("\r\n") ? 2 : 0);
    parts[last] = (parts[last] as string).slice(0, trailingBreak(parts[last] as string));
  }
  return finish(body);
}

/**
 * Returns the text of a custom tool's parameter. At most one line break behind the opening and one before the closing tag is layout,
 * with the blanks in front of that tag, whether the text stands as it is or in CDATA. White space around CDATA is layout too; other text
 * behind it, as after a `]]>` of the text's own, is kept with a doubt.
 */
export function fieldText(raw: string): BodyText {
  const start = raw.length - raw.trimStart().length;
  if (!raw.startsWith(cdataStart, start)) return exactText(raw);
  const parts = [""];
  let unclosed = false;
  for (let at = start; at >= 0; ) {
    const from = at + cdataStart.length;
    const end = raw.indexOf(cdataEnd, from);
    unclosed ||= end < 0;
    parts.push(end < 0 ? raw.slice(from) : raw.slice(from, end));
    at = end < 0 ? end : raw.indexOf(cdataStart, end);
    const behind = end < 0 ? "" : raw.slice(end + cdataEnd.length, at < 0 ? raw.length : at);
    unclosed ||= behind.includes(cdataEnd);
    parts.push(blank.test(behind) ? "" : behind);
  }
  const made = finish({ parts, entities: undefined, unclosed });
  return { ...made, text: withoutBreaks(made.text) };
}

/** Returns a text less one line break at its beginning and one at its end. */
function withoutBreaks(text: string): string {
  const inner = text.slice(text.startsWith("\n") ? 1 : text.startsWith("\r\n") ? 2 : 0);
  return inner.slice(0, trailingBreak(inner));
}

/** Returns the index of the line break after which only blanks follow; the text's length when there is none. */
function trailingBreak(text: string): number {
  let at = text.length - 1;
  while (at >= 0 && isBlank(text.charCodeAt(at))) at -= 1;
  if (text.charCodeAt(at) !== 10) return text.length;
  return text.charCodeAt(at - 1) === 13 ? at - 1 : at;
}

/**
 * Returns a script: outer white space and common indentation taken off, CDATA kept as it is. `indent` is the white space that the line
 * with its tag begins with.
 */
export function scriptText(raw: string, indent = ""): BodyText {
  const body = bodyParts(raw);
  if (!dropLayout(body)) {
    const { parts } = body;
    if (parts.length === 1) parts[0] = dedent(withEmptyLines(parts[0] as string), indent);
    else {
      // CDATA is no place to take indentation off: something that stands nowhere in the text holds its place.
      let mark = "\0";
      while (parts.some((part) => part.includes(mark))) mark += "\0";
      const texts = parts.filter((_, index) => index % 2 === 0);
      dedent(texts.join(mark), indent)
        .split(mark)
        .forEach((text, index) => {
          parts[index * 2] = text;
        });
    }
  }
  return visibleText(finish(body), raw);
}

const unseenLine = new RegExp(`^(?:[^\\S\\n]|[${invisible}])+$`, "gm");

/** Returns a text whose lines of nothing but white space and characters that nobody sees are empty. */
const withEmptyLines = (text: string): string => (/[^\0-\x7f]/.test(text) ? text.replace(unseenLine, "") : text);

const lineStart = /\n([ \t]*)(?=[^ \t\n])/g;

/** Whether a script begins on the line of its tag. */
const besideTag = /^[ \t\v\f\r]*[^ \t\n\v\f\r]/;

/**
 * Takes off what all lines begin with, blank ones apart. A script that begins on the line of its tag loses at most that line's
 * own indentation: more of it may mean something to the script, whose first line shows none.
 */
function dedent(body: string, indent: string): string {
  const text = body.includes("\r\n") ? body.replaceAll("\r\n", "\n") : body;
  let common = besideTag.test(text) ? indent : undefined;
  lineStart.lastIndex = 0;
  for (let match = lineStart.exec(text); match; match = lineStart.exec(text)) {
    const blank = match[1] as string;
    common ??= blank;
    if (common === "") break;
    if (blank.startsWith(common)) continue;
    let length = 0;
    while (length < blank.length && blank[length] === common[length]) length += 1;
    common = common.slice(0, length);
  }
  const flat = common ? text.replaceAll(`\n${common}`, "\n") : text;
  let from = 0;
  let to = flat.length;
  while (from < to && isSpace(flat.charCodeAt(from))) from += 1;
  while (to > from && isSpace(flat.charCodeAt(to - 1))) to -= 1;
  return flat.slice(from, to);
}
