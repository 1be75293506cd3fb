import type { EndOptions } from "@toolglot/core";
import { type Fence, foreignCloser, type Source } from "@toolglot/core/text";
import { isDressed, isSpace, matchAt } from "@toolglot/internal";
import type { BodyContext } from "./body-context.ts";

/** An attribute; `start` and `end` are offsets in the whole text. */
export interface Attribute {
  /** Lower-cased. */
  name: string;
  /** As written. */
  rawName: string;
  /** Entities decoded. */
  value: string;
  /** It ends, as written, with closers of another call format. */
  closes?: boolean;
  /** It is dressed, as written: in quotes or emphasis, or with what nobody sees at an end. */
  dressed?: boolean;
  start: number;
  end: number;
  /** It has no value, or one without quotes behind a line break: when its name means nothing, it was none. */
  doubtful?: boolean;
  /** A line ends in it. */
  lined?: boolean;
}

/** A tag, less its marks. */
export interface Tag {
  /** Lower-cased. */
  name: string;
  /** As written. */
  rawName: string;
  closes: boolean;
  selfClosing: boolean;
  attributes: Attribute[];
  start: number;
  end: number;
  /** Offset of what can't be read in it. */
  fault: number | undefined;
  /** Values in quotes of print. */
  curly?: boolean;
}

/** `<name`, `</name`: white space inside the tag is let pass. */
const tagHead = /<[ \t]{0,8}(\/?)[ \t]{0,8}([^\s<>/="'!?&;(){}[\],|`$]+)/y;
/** What may still become a head. */
const partialHead = /^<[ \t]{0,8}\/?[ \t]{0,8}$/;

/** Returns the head of a tag at an index: `"more"` when later text decides, `undefined` when there is none. */
export function readHead(
  text: string,
  at: number,
  ended: boolean,
): { closes: boolean; name: string; end: number } | "more" | undefined {
  tagHead.lastIndex = at;
  const match = tagHead.exec(text);
  if (!match) return !ended && text.length - at < 20 && partialHead.test(text.slice(at)) ? "more" : undefined;
  const end = tagHead.lastIndex;
  if (end === text.length && !ended) return end - at < 300 ? "more" : undefined;
  return { closes: match[1] !== "", name: match[2] as string, end };
}

/** Follows a tag to its `>`, over any number of chunks. */
export class TagEnd {
  #quote = "";
  /** The last unit that is no white space was `=`: a quote opens here. */
  #value = false;

  /** Begins another tag. */
  begin(): void {
    this.#quote = "";
    this.#value = false;
  }

  /** Returns the index after `>`; -1 when more text is needed; `-2 - index` of a `<` that stands where none may. */
  find(text: string, at: number): number {
    for (; ; at += 1) {
      if (this.#quote) {
        at = text.indexOf(this.#quote, at);
        if (at < 0) return -1;
        this.#quote = "";
        continue;
      }
      if (at >= text.length) return -1;
      const code = text.charCodeAt(at);
      if (code === 62) return at + 1;
      if (code === 60) return -2 - at;
      if (this.#value && (code === 34 || code === 39)) this.#quote = text.charAt(at);
      // White space between `=` and its quote changes nothing.
      if (code > 32) this.#value = code === 61;
    }
  }
}

/** Quotes of print and of other scripts, and what closes each. */
const pairs = [
  "“”„ “”",
  "‘’‚ ‘’",
  "「 」",
  "『 』",
  "﹁ ﹂",
  "﹃ ﹄",
  "《 》",
  "〈 〉",
  "« »",
  "» «",
  "‹ ›",
  "› ‹",
  "〝 〞〟",
  "＂ ＂",
  "＇ ＇",
  "` `",
  "´ ´",
].map((pair) => pair.split(" ") as [string, string]);
const printed = pairs.map(([open, close]) => `[${open}][^${open}${close}"<>]*[${close}]`).join("|");
const openers = pairs.map(([open]) => open).join("");
const attribute = new RegExp(
  `\\s*([^\\s=<>"'/]+)(?:\\s*=\\s*(?:"([^"]*)"|'([^']*)'|(${printed})|([^\\s"'<>${openers}][^\\s"'<>]*)))?`,
  "y",
);
const quotedValue = new RegExp(`^(?:"[^]*"|'[^]*'|${printed})$`);

/** Whether a value begins and ends with a pair of quotes, of whatever script. */
export const isQuoted = (value: string): boolean => value.length > 1 && quotedValue.test(value.trim());
const space = /[\s/]*$/y;

/** Reads the attributes of a tag. `text` is the whole tag with its marks, `from` the index after its name. */
export function readTag(text: string, from: number, start: number, head: { closes: boolean; name: string }): Tag {
  const selfClosing = text.charCodeAt(text.length - 2) === 47;
  const inner = text.length - (selfClosing ? 2 : 1);
  const tag: Tag = {
    name: head.name.toLowerCase(),
    rawName: head.name,
    closes: head.closes,
    selfClosing,
    attributes: [],
    start,
    end: start + text.length,
    fault: undefined,
  };
  if (from >= inner) return tag;
  const body = text.slice(0, inner);
  let lined = false;
  for (let at = from; ; ) {
    attribute.lastIndex = at;
    const match = attribute.exec(body);
    if (!match) {
      space.lastIndex = at;
      if (!space.test(body)) tag.fault = start + at;
      return tag;
    }
    const [all, rawName = "", double, single, print, bare] = match;
    const quoted = double ?? single ?? print?.slice(1, -1);
    lined ||= /^\s*\n/.test(all);
    at += all.length;
    const value = quoted ?? bare ?? "";
    tag.curly ||= quoted !== (double ?? single);
    tag.attributes.push({
      name: rawName.toLowerCase(),
      rawName,
      value: value.includes("&") ? decodeEntities(value) : value,
      start: start + at - all.trimStart().length,
      end: start + at,
      lined: value.includes("\n"),
      dressed: isDressed(value),
      closes: /[>\]]\s*$/.test(value.slice(-40)) && foreignCloser(value, "toolsxml") !== undefined,
      doubtful: quoted === undefined && (lined || bare === undefined),
    });
  }
}

/** The entities that every XML parser knows. */
export const entity: RegExp = /&(?:(lt|gt|amp|quot|apos)|#0{0,24}(\d{1,7})|#x0{0,24}([\da-fA-F]{1,6}));/g;
const named: Record<string, string> = { lt: "<", gt: ">", amp: "&", quot: '"', apos: "'" };

/** Returns what an entity stands for; undefined when it stands for no character. */
export function entityText(
  name: string | undefined,
  decimal: string | undefined,
  hex: string | undefined,
): string | undefined {
  if (name) return named[name];
  const code = decimal ? Number(decimal) : Number.parseInt(hex as string, 16);
  if (code === 0 || code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) return undefined;
  return String.fromCodePoint(code);
}

/** Decodes each entity; what is none stays. */
export function decodeEntities(text: string): string {
  return text.replace(entity, (all, name, decimal, hex) => entityText(name, decimal, hex) ?? all);
}

/** A closing tag that may be the body's own, as offsets. */
export interface Candidate {
  start: number;
  end: number;
}

/** Returns the index after the closing tag of a name (in lower case) at an index; 0 when there is none, -1 when more text decides. */
export function closingTagEnd(text: string, at: number, name: string, ended: boolean): number {
  let end = at + 2 + name.length;
  const written = text.slice(at + 2, end);
  if (written !== name && written.toLowerCase() !== name)
    return !ended && end > text.length && name.startsWith(written.toLowerCase()) ? -1 : 0;
  const limit = Math.min(text.length, end + 64);
  while (end < limit && isSpace(text.charCodeAt(end))) end += 1;
  if (end === text.length) return ended ? 0 : -1;
  return text.charCodeAt(end) === 62 ? end + 1 : 0;
}

const behindTag = /<[ \t]{0,8}(?:(\/)[ \t]{0,8})?([^\s<>/]{1,300})(?=[\s/>])/y;

/** Lookahead behind a closing tag: does a tag that fits the grammar follow, comments apart? Then the body may end there. */
export class Lookahead {
  /** Line breaks between the closing tag and what follows it. */
  breaks = 0;
  readonly #context: BodyContext;
  readonly #fence: Fence | undefined;
  #inComment = false;

  constructor(context: BodyContext, fence: Fence | undefined) {
    this.#context = context;
    this.#fence = fence;
  }

  /** Begins again, with another closing tag. */
  reset(): void {
    this.breaks = 0;
    this.#inComment = false;
  }

  /** Whether the text fits; undefined: only more text decides. The end of the text fits. */
  fits(source: Source, ended: boolean): boolean | undefined {
    const { text } = source;
    const { following, longest } = this.#context;
    for (let at = source.at; ; ) {
      if (this.#inComment) {
        const close = text.indexOf("-->", at);
        if (close < 0) {
          source.at = Math.max(at, text.length - 2);
          return ended || undefined;
        }
        at = close + 3;
        this.#inComment = false;
      }
      for (; at < text.length; at += 1) {
        const code = text.charCodeAt(at);
        if (!isSpace(code)) break;
        if (code === 10) this.breaks += 1;
      }
      source.at = at;
      if (at >= text.length) return ended || undefined;
      if (text.charCodeAt(at) !== 60) return this.#closesFence(text, at, ended);
      if (text.startsWith("<!--", at)) {
        this.#inComment = true;
        at += 4;
        continue;
      }
      const [, slash = "", name = ""] = matchAt(behindTag, text, at) ?? [];
      if (following.has(slash + name.toLowerCase())) return true;
      if (text.length - at > longest) return false;
      const rest = text
        .slice(at + 1)
        .toLowerCase()
        .replace(/^[ \t]*(\/?)[ \t]*/, "$1");
      const partial = "!--".startsWith(rest) || [...following].some((name) => name.startsWith(rest));
      return partial ? ended || undefined : false;
    }
  }

  #closesFence(text: string, at: number, ended: boolean): boolean | undefined {
    const { mark = "", length = 0 } = this.#fence ?? {};
    if (this.breaks === 0 || text.charAt(at) !== mark) return false;
    const run = text.slice(at, at + length);
    if (run !== mark.repeat(run.length)) return false;
    return run.length === length || ended || undefined;
  }
}

/** Whether the stop sequence that the provider took away was the block's closing tag. */
export function isStop({ stopSequence }: EndOptions): boolean {
  return stopSequence !== undefined && /^\s*<\/tools\s*>?/i.test(stopSequence);
}
