import { type Diagnostic, nearest, type Span } from "@toolglot/core";
import { foreignCloser } from "@toolglot/core/text";
import type { DiagnosticChange } from "@toolglot/internal";
import { diagnostic, type ToolsXmlDiagnosticCode, type ToolsXmlRepairCode } from "../diagnostics.ts";
import { type BodyText, cdataEnd, cdataStart } from "../scan/body-text.ts";
import { type Attribute, isQuoted, type Tag } from "../scan/tag.ts";
import type { ToolsXmlBlock, ToolsXmlComment } from "../types.ts";
import type { CallContext, Element, Reporter } from "./types.ts";

/** Attributes of built-in tags that are names, not prose. */
const names: ReadonlySet<string> = new Set(["src", "cwd", "glob", "key", "server", "tool", "encoding"]);

/** Reports what is wrong with a tag as it is written. */
export function checkTag({ fault, curly, attributes, start, end }: Tag, reporter: Reporter): void {
  if (fault !== undefined) reporter.report("toolsxml/malformed-tag", start, end);
  if (curly) reporter.repair("toolsxml/curly-quotes", start, end);
  for (const { name, value, lined = false, closes, dressed, start, end } of attributes) {
    if (closes) reporter.repair("toolsxml/foreign-closer", start, end);
    const broken = names.has(name) && lined;
    if (!broken && !isQuoted(value)) {
      // Asterisks are a pattern's own.
      if (dressed && names.has(name) && (name !== "glob" || value !== value.trim()))
        reporter.report("toolsxml/dressed-value", start, end);
      continue;
    }
    reporter.report("toolsxml/curly-quotes", start, end, {
      affects: names.has(name) ? "value" : "none",
      message: broken ? `${name} holds a line break.` : `The value of ${name} has quotes of its own around it.`,
    });
  }
}

/** Returns the attributes of a tag by name; what is given twice or not known is reported. */
export function attributesOf(tag: Tag, known: readonly string[], reporter: Reporter): Map<string, Attribute> {
  const given = new Map<string, Attribute>();
  for (const attribute of tag.attributes) {
    const { name, start, end } = attribute;
    if (given.has(name)) reporter.repair("toolsxml/duplicate-attribute", start, end);
    else if (!known.includes(name)) {
      if (attribute.doubtful) {
        reporter.report("toolsxml/malformed-tag", tag.start, tag.end);
        break;
      }
      const hint = known.length > 0 ? `<${tag.name}> takes ${known.join(", ")}.` : `<${tag.name}> takes none.`;
      reporter.report("toolsxml/unknown-attribute", start, end, { hint });
    } else given.set(name, attribute);
  }
  return given;
}

/** Returns the value of an attribute that must be there; undefined when it is missing or empty, which is reported. */
export function required(
  tag: Tag,
  given: Map<string, Attribute>,
  name: string,
  reporter: Reporter,
): string | undefined {
  const value = given.get(name)?.value;
  if (value) return value;
  reporter.report("toolsxml/missing-attribute", tag.start, tag.end, {
    message: `<${tag.name}> needs the attribute ${name}.`,
  });
  return undefined;
}

/** Reads an attribute's value; one that can't be used is an error. */
export function optional<Value>(
  given: Map<string, Attribute>,
  name: string,
  read: (text: string) => Value | undefined,
  expected: string,
  reporter: Reporter,
): Value | undefined {
  const attribute = given.get(name);
  if (!attribute) return undefined;
  const value = read(attribute.value);
  if (value === undefined)
    reporter.report("toolsxml/invalid-attribute", attribute.start, attribute.end, {
      message: `${name} has to be ${expected}.`,
    });
  return value;
}

/** So many different names of a block get a hint: ten teach as much as a thousand. So many names are listed in one. */
const hintsAtMost = 10;
const listed = 20;

/** Collects what is found in one block: diagnostics, comments, and whether it may run. */
export class Findings implements CallContext {
  readonly diagnostics: Diagnostic[] = [];
  readonly comments: ToolsXmlComment[] = [];
  /** Errors so far. */
  errors = 0;
  #recovered = false;
  readonly #hints = new Map<string, string>();
  readonly #allows: (code: ToolsXmlRepairCode) => boolean;

  constructor(allows: (code: ToolsXmlRepairCode) => boolean) {
    this.#allows = allows;
  }

  hint(written: string, names: readonly string[], tags = false): string | undefined {
    const known = this.#hints.get(written);
    if (known !== undefined || this.#hints.size >= hintsAtMost) return known;
    const shown = (some: readonly string[]): string[] => (tags ? some.map((name) => `<${name}>`) : [...some]);
    const near = shown(nearest(written, names)).join(" or ");
    const more = names.length > listed ? ` and ${names.length - listed} more` : "";
    const all = shown(names.slice(0, listed)).join(tags ? " " : ", ") + more;
    const hint = [
      ...(near ? [`Did you mean ${near}?`] : []),
      ...(tags ? [`Known: ${all}.`] : near ? [] : [`Declared: ${all}.`]),
    ].join(" ");
    this.#hints.set(written, hint);
    return hint;
  }

  doubts({ tag, raw, bodyStart }: Pick<Element, "tag" | "raw" | "bodyStart">, isOwn: (name: string) => boolean): void {
    const { cdata, closer } = bodyDoubts(raw, tag.name, isOwn);
    if (cdata) this.repair("toolsxml/doubtful-close", bodyStart + cdata.start, bodyStart + cdata.end);
    if (closer) this.repair("toolsxml/foreign-closer", bodyStart + closer.start, bodyStart + closer.end);
  }

  report(code: ToolsXmlDiagnosticCode, start: number, end: number, change?: DiagnosticChange): void {
    const made = diagnostic(code, start, end, change);
    if (made.severity === "error") this.errors += 1;
    this.diagnostics.push(made);
  }

  repair(code: ToolsXmlRepairCode, start: number, end: number, change?: DiagnosticChange): void {
    const allowed = this.#allows(code);
    if (allowed) this.#recovered = true;
    this.report(code, start, end, allowed ? change : { ...change, severity: "error" });
  }

  bodyText(
    { text, entities, unclosed, stripped }: BodyText,
    { bodyStart, raw }: Pick<Element, "bodyStart" | "raw">,
  ): string {
    const end = bodyStart + raw.length;
    if (entities)
      this.report(`toolsxml/${entities === "decoded" ? "entities-decoded" : "literal-entities"}`, bodyStart, end);
    if (unclosed) this.repair("toolsxml/unclosed-cdata", bodyStart, end);
    if (stripped) this.repair("toolsxml/invisible-characters", bodyStart, end);
    return text;
  }

  comment(text: string, start: number, end: number): void {
    this.comments.push({ text, span: { start, end } });
  }

  delta(_field: string, _text: string): void {}

  attributes(_field: string, _tag: Tag): void {}

  /** The status of a block that was read to its end. */
  get status(): ToolsXmlBlock["status"] {
    return this.errors > 0 ? "invalid" : this.#recovered ? "recovered" : "complete";
  }
}

/** What in a body, as it was written, shows that its text may not be what was meant: indices. */
interface BodyDoubts {
  /** CDATA that was begun twice: it holds the tag of an element of the block with CDATA, or an opener of its own element. */
  cdata?: Span | undefined;
  /** It ends with closers of another call format. */
  closer?: Span | undefined;
}

const begunAgain = /<([^\s<>/]{1,64})(?:\s[^<>]{0,300})?>\s{0,99}<!\[CDATA\[/g;

/**
 * Returns the doubts about a body. `name`: the element's own, lower-cased. `isOwn`: whether an element of the block has a lower-cased name.
 */
export function bodyDoubts(raw: string, name: string, isOwn: (name: string) => boolean): BodyDoubts {
  const end = raw.trimEnd().length;
  const text = raw.endsWith(cdataEnd, end) ? raw.slice(0, end - cdataEnd.length) : raw;
  return {
    cdata: raw.includes(cdataStart) ? begunTwice(raw, name, isOwn) : undefined,
    closer: foreignCloser(text, "toolsxml"),
  };
}

function begunTwice(raw: string, name: string, isOwn: (name: string) => boolean): Span | undefined {
  for (let at = raw.indexOf(cdataStart); at >= 0; ) {
    const start = at + cdataStart.length;
    const end = raw.indexOf(cdataEnd, start);
    if (end < 0) return undefined;
    const text = raw.slice(start, end);
    for (const { 0: found, 1: tag = "", index } of text.matchAll(begunAgain))
      if (isOwn(tag.toLowerCase())) return { start: start + index, end: start + index + found.length };
    const lone = loneOpener(text, name);
    if (lone !== undefined) return { start: start + lone, end: start + lone + name.length + 1 };
    at = raw.indexOf(cdataStart, end);
  }
  return undefined;
}

/** Returns the index of an opening tag of a name that begins a line, when more of them open in a text than close. */
function loneOpener(text: string, name: string): number | undefined {
  const lower = text.toLowerCase();
  if (!lower.includes(`<${name}`)) return undefined;
  let first: number | undefined;
  let open = 0;
  for (let at = lower.indexOf("<"); at >= 0; at = lower.indexOf("<", at + 1)) {
    const closes = lower.charCodeAt(at + 1) === 47;
    const from = at + (closes ? 2 : 1);
    if (!lower.startsWith(name, from) || !/[\s>]/.test(lower.charAt(from + name.length))) continue;
    open += closes ? -1 : 1;
    if (!closes) first ??= at;
  }
  return open > 0 ? first : undefined;
}
