import { lineEnd, matchAt } from "@toolglot/internal";
import type { Span } from "../span.ts";
import { callFormats, followsToken, toolsXmlTags } from "./call-formats.ts";
import { type FenceRange, InlineCode } from "./code.ts";

/** A pattern for an opener of the table. */
const source = (open: string): string =>
  open
    .replace(/[\^$\\.*+?()[\]{}|]/g, "\\$&")
    .replaceAll(" ", "[ \\t]{0,9}")
    .replaceAll("｜", "[｜‖|]{1,2}")
    .replaceAll("▁", "[▁_]");

const rows = callFormats.map(({ open, next = followsToken, ...row }) => ({
  ...row,
  pattern: new RegExp(`(?:${open.map(source).join("|")})${next}`, "iy"),
}));
const openers = new RegExp([...new Set(callFormats.flatMap(({ open }) => open.map(source)))].join("|"), "gi");

const key = (names: string): string => `["'](?:${names})["']\\s{0,9}:`;
const names = "tool|tool_name|name|function|action|recipient_name";
const inputs = "arguments|parameters|args|input|action_input|tool_input";
const jsonCall = new RegExp(
  `[[{]{1,2}\\s{0,40}(?:${key("tool_calls|tool_uses|function_call")}` +
    `|${key(`id|type|${names}`)}[\\s\\S]{0,300}?${key(inputs)}` +
    `|${key(inputs)}[\\s\\S]{0,300}?${key(names)}` +
    `|${key(names)}\\s{0,9}["'][^"'\\n]{1,100}["']\\s{0,9}\\})`,
  "gi",
);

const toolName = "([\\w.:-]{1,100})";
const literal = `(?:[)"'[{\\d-]|[rbfu]{1,2}["']|(?:true|false|none|null)\\b|\\w{1,100}\\s{0,9}=(?!=))`;
const prefixes = "(?:\\w{1,100}[ \\t]{0,9}=[ \\t]{0,9})?(?:await[ \\t]{1,9}|print\\(|call:|\\[[ \\t]{0,9}){0,3}";
/** A line that begins with a call in Python, or with what is left of one when a server strips its special tokens. */
const bareCall = new RegExp(
  `^[ \\t]*(?:${prefixes}${toolName}\\(\\s{0,40}${literal}|(?:call:|functions\\.|action:[ \\t]{0,9})?${toolName}` +
    `(?:\\{\\s{0,9}["'\\w}]|\\[(?:ARGS|CALL_ID)\\]|[ \\t\\r]{0,9}\\n\\s{0,9}action input:))`,
  "gim",
);

/** Tags at the start of a line that lack a bracket, or have one of another script; and more of them behind those. */
function bareTags(tags: string): { first: RegExp; more: RegExp } {
  const close = "(?:>|&gt;|[＞〉》›])";
  const attributes = `(?:[ \\t]{1,9}[\\w-]{1,100}[ \\t]{0,9}=[ \\t]{0,9}(?:"[^"\\n]{0,300}"|'[^'\\n]{0,300}')){0,9}[ \\t]{0,9}/?`;
  const first =
    `^[ \\t]*(?:(?:&lt;|[＜〈《‹])?[ \\t]?/?(?:${tags})${attributes}${close}` +
    `|<[ \\t]?/?(?:${tags})(?:[＞〉》›]|[ \\t\\r]{0,9}(?=\\n|$|<))|/tools[ \\t\\r]{0,9}$|\\[/(?:${tags})\\]|\\[tools\\])`;
  return { first: new RegExp(first, "gim"), more: new RegExp(`(?:${tags})${close}`, "gi") };
}

/** The patterns that were made last: most texts that a program reads are read with the same tools. */
let made: { key: string; tags: ReturnType<typeof bareTags> } | undefined;

/** Patterns for ToolsXML's tags, and for tags named after tools. */
function tagPatterns(tools: readonly string[]): ReturnType<typeof bareTags> {
  const names = tools.filter((name) => /^[A-Za-z_][\w.-]{0,99}$/.test(name));
  const key = [toolsXmlTags, ...names.map(source)].join("|");
  if (made?.key !== key) made = { key, tags: bareTags(key) };
  return made.tags;
}

/** Names are compared as models mix them up: without case and separators. */
const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/**
 * Looks for calls in other formats through the text segments of one message, in order. What stands in inline code is a mention;
 * what stands in a fence that begins with something else is documentation.
 */
export class ForeignFinder {
  readonly #own: string;
  readonly #tools: ReadonlySet<string>;
  readonly #fences: readonly FenceRange[];
  /** What is known of fences: whether they hold calls. */
  readonly #holdCalls = new Map<FenceRange, boolean>();
  readonly #tags: ReturnType<typeof bareTags>;
  /** The first place of each format. */
  readonly #found = new Map<string, Span>();
  #native = false;
  #tag: Span | undefined;
  #tagCount = 0;

  /** `own`: the reader's own protocol. `tools`: those that may be called. `fences`: in order. */
  constructor(own: string, tools: readonly { name: string }[], fences: readonly FenceRange[]) {
    const names = tools.map(({ name }) => name);
    this.#own = own;
    this.#tools = new Set(names.map(plain));
    // One that is never closed may be the closing line of a fence that something else opened.
    this.#fences = fences.filter(({ end }) => end < Number.POSITIVE_INFINITY);
    this.#tags = tagPatterns(names);
  }

  /** Looks through a text segment that begins at an offset. */
  find(text: string, offset: number): void {
    this.#findOpeners(text, offset);
    // Within a line, and where it is no more than a name, JSON is a call when there is such a tool.
    this.#findCall(text, offset, jsonCall, ({ 0: found, index }) =>
      (!found.endsWith("}") && startsLine(text, index)) || this.#namesTool(found) ? "a JSON tool call" : undefined,
    );
    if (this.#tools.size > 0)
      this.#findCall(text, offset, bareCall, ({ 1: python, 2: name = python }, start) => {
        if (!this.#namesTool(name ?? "")) return undefined;
        if (!python) return "a call without its markers";
        // A sentence that speaks of a call goes on behind it.
        return /[)\]},;([{]$/.test(restOfLine(text, start).trimEnd()) ? "a call in Python" : undefined;
      });
    this.#findTags(text, offset);
  }

  /** What was found, the first place of each format. */
  end(): [string, Span][] {
    if (this.#tag && this.#tagCount > 1 && !this.#found.has("a ToolsXML block"))
      this.#found.set("a ToolsXML block without its brackets", this.#tag);
    return [...this.#found];
  }

  #findOpeners(text: string, offset: number): void {
    const counts = this.#places(text, offset);
    for (const { 0: opener, index } of text.matchAll(openers)) {
      for (const { name, protocol, pattern, lineStart } of rows) {
        if (protocol === this.#own || (lineStart && !startsLine(text, index))) continue;
        const match = matchAt(pattern, text, index);
        if (!match) continue;
        // One call has several marks, and some formats share theirs.
        if (!(protocol ? this.#found.has(name) : this.#native) && counts(index)) {
          this.#native ||= protocol === undefined;
          this.#add(name, offset + index, Math.max(opener.length, match[0].trimEnd().length));
        }
        break;
      }
    }
  }

  /** The first place of a pattern that is a call, unless there was one before: `nameOf` judges, and names its format. */
  #findCall(
    text: string,
    offset: number,
    pattern: RegExp,
    nameOf: (match: RegExpExecArray, start: number) => string | undefined,
  ): void {
    if (this.#native) return;
    const counts = this.#places(text, offset);
    for (const match of text.matchAll(pattern)) {
      const start = match.index + match[0].search(/\S/);
      const name = nameOf(match, start);
      if (!name || !counts(start)) continue;
      this.#native = true;
      this.#add(name, offset + start, match[0].trim().length);
      return;
    }
  }

  #findTags(text: string, offset: number): void {
    const counts = this.#places(text, offset);
    for (const { 0: found, index } of text.matchAll(this.#tags.first)) {
      const end = index + found.length;
      const start = end - found.trimStart().length;
      if (!counts(start)) continue;
      this.#tag ??= { start: offset + start, end: offset + end };
      this.#tagCount += 1 + (restOfLine(text, end).match(this.#tags.more)?.length ?? 0);
    }
  }

  /** Tells of places, asked for in order, whether a call may stand there: outside of inline code and of documentation. */
  #places(text: string, offset: number): (index: number) => boolean {
    const code = new InlineCode();
    let end = -1;
    let next = 0;
    return (index) => {
      const at = offset + index;
      while ((this.#fences[next]?.end ?? at) < at) next += 1;
      const fence = this.#fences[next];
      if (fence && fence.body <= at && at < fence.end) return this.#holdsCall(fence, text, offset, index);
      if (index > end) {
        code.startLine(text.lastIndexOf("\n", index - 1) + 1);
        end = lineEnd(text, index);
      }
      return code.covers(text, 0, index, true) !== true;
    };
  }

  /** Whether a fence begins with the call at an index, and does more than show it. */
  #holdsCall(fence: FenceRange, text: string, offset: number, index: number): boolean {
    const known = this.#holdCalls.get(fence);
    if (known !== undefined) return known;
    const begin = Math.max(0, fence.body - offset);
    const end = fence.end - offset;
    // Other tags of the call, and one word, may stand before its mark.
    const before = text.slice(begin, Math.min(index, begin + 1000)).replace(/<[^<>\n]{0,100}>/g, "");
    const begins = fence.body < offset || (index - begin < 1000 && /^\s*[\w.:-]{0,100}\s*$/.test(before));
    // Where the tools are known, an example calls another one, and a sentence follows it.
    const shows = /^.*\n\s*[\p{L}\p{N}]/u.test(text.slice(end, end + 400));
    const holds = begins && (!shows || this.#tools.size === 0 || this.#namesTool(text.slice(begin, end)));
    this.#holdCalls.set(fence, holds);
    return holds;
  }

  #namesTool(text: string): boolean {
    for (const [name] of text.matchAll(/[\p{L}\p{N}_.:-]+/gu))
      if (this.#tools.has(plain(name)) || this.#tools.has(plain(name.replace(/^\w+\.|:\d+$/g, "")))) return true;
    return false;
  }

  #add(format: string, start: number, length: number): void {
    if (!this.#found.has(format)) this.#found.set(format, { start, end: start + length });
  }
}

function startsLine(text: string, index: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, index - 100), index));
}

function restOfLine(text: string, from: number): string {
  return text.slice(from, lineEnd(text, from));
}
