import { asPattern, lineEnd, matchAt, matchesOf } from "@toolglot/internal";
import type { Segment } from "../protocol.ts";
import type { Span } from "../span.ts";
import type { BlockGrammar } from "./block-grammar.ts";
import { callFormats, followsToken, type TextProtocol, toolsXmlTags, word } from "./call-formats.ts";
import type { CallSearch } from "./call-search.ts";
import { closedFences, type Fence, inlineCodeIn } from "./code.ts";
import type { MarkedCall } from "./joined-calls.ts";
import type { NamedTool } from "./named-calls.ts";

/** Returns a pattern for a text of the table. None begins with what may be nothing, or a search would be three times as slow. */
const source = (open: string): string =>
  open.startsWith(" ")
    ? `(?:[ \\t]{1,9}|)${source(open.slice(1))}`
    : asPattern(open).replaceAll(" ", "[ \\t]{0,9}").replaceAll("｜", "[｜‖|]{1,2}").replaceAll("▁", "[▁_]");

const rows = callFormats.flatMap(({ name, protocol, marks }) =>
  marks.map(({ open, next = followsToken, lineStart }) => {
    const begin = open.map(source).join("|");
    return { name, protocol, lineStart, begin, pattern: new RegExp(`(?:${begin})${next}`, "iy") };
  }),
);
const anyOpener = rows.map(({ begin }) => begin).join("|");
const openers = new RegExp(anyOpener, "gi");

/** Text that begins with a call of any format. */
export const callOpener: RegExp = new RegExp(`^(?:${anyOpener})`, "i");

const key = (names: string): string => `["'](?:${names})["']\\s{0,9}:`;
const names = "(?:tool_|recipient_)?name|tool|function|action";
const inputs = "(?:tool_|action_)?input|arg(?:ument)?s|parameters";
const jsonCall = new RegExp(
  `(?:\\[\\s{0,40})?[[{]{1,2}\\s{0,40}(?:${key("tool_(?:calls|uses)|function_call")}` +
    `|${key(`id|type|${names}`)}[\\s\\S]{0,300}?${key(inputs)}` +
    `|${key(inputs)}[\\s\\S]{0,300}?${key(names)}` +
    `|${key(names)}\\s{0,9}["'][^"'\\n]{1,100}["']\\s{0,9}\\})`,
  "gi",
);

/** What a tool's declaration has in place of arguments. */
const declaration = /\s*\{\s*["'](?:type["']\s*:\s*["']object|properties|\$schema)["']/y;

const literal = `(?:[)"'[{\\d-]|[rbfu]{1,2}["']|(?:true|false|none|null)\\b|\\w{1,100}\\s{0,9}=(?!=))`;
const prefixes = "(?:\\w{1,100}[ \\t]{0,9}=[ \\t]{0,9})?(?:await[ \\t]{1,9}|print\\(|call:|\\[[ \\t]{0,9}){0,3}";
/** A line that begins with a call in Python, or with what is left of one when a server strips its special tokens. */
const bareCall = new RegExp(
  `^[ \\t]*(?:${prefixes}(${word})\\(\\s{0,40}${literal}|(?:call:|functions\\.|action:[ \\t]{0,9})?(${word})` +
    `(?:\\{\\s{0,9}["'\\w}]|\\[(?:ARGS|CALL_ID)\\]|[ \\t\\r]{0,9}\\n\\s{0,9}action input:))`,
  "gim",
);

/** Names are compared as models mix them up: without case and separators. */
const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "");

/** Every call holds one of these, in any format and however it is escaped. */
const callSign = /[<[{(>`~:=＞＜〈《‹⟨«»「『：＝&\\]|--\w/;

/** Returns the text segments that may hold calls. */
export function callTexts<Block>(segments: readonly Segment<Block>[]): TextSegment[] {
  return segments.filter((one): one is TextSegment => one.type === "text" && callSign.test(one.text));
}

/** A reader's own format. */
export type OwnFormat = Pick<BlockGrammar<unknown>, "protocol" | "builtIns" | "search">;

/** A stretch of plain text. */
export type TextSegment = Segment<unknown> & { type: "text" };

/** A fence that begins with a call: what stands in it, and from its last line on; whether the call is a block of a text protocol. */
export interface ShownFence extends Pick<Fence, "info"> {
  text: string;
  rest: string;
  isBlock: boolean;
}

/** Looks for calls in other formats. Those who inherit from it say which ones they want. */
export abstract class CallFinder {
  /** Of the tools that may be called. */
  protected readonly names: readonly string[];
  readonly #own: string;
  readonly #declared: ReadonlySet<string>;
  /** Those, and the ones that need no definition. */
  readonly #tools: ReadonlySet<string>;
  readonly #fenceAt: (offset: number) => Fence | undefined;
  readonly #namedIn: ReturnType<CallSearch["named"]> | undefined;

  constructor({ protocol, builtIns = [], search }: OwnFormat, tools: readonly NamedTool[], fences: readonly Fence[]) {
    this.names = tools.map(({ name }) => name);
    this.#own = protocol;
    this.#declared = new Set(this.names.map(plain));
    this.#tools = new Set([...this.#declared, ...builtIns.map(plain)]);
    this.#fenceAt = closedFences(fences);
    this.#namedIn = search?.named(tools);
  }

  /** Whether a call of a text protocol, or of none, is wanted. */
  protected abstract wants(protocol: TextProtocol | undefined): boolean;

  /** Takes a call in a text that begins at an offset. */
  protected abstract take(call: MarkedCall, offset: number): void;

  /** Whether a fence with a call at its beginning shows it, and asks for nothing. */
  protected abstract shows(fence: ShownFence): boolean;

  /** Looks through a text segment that begins at an offset. */
  find(text: string, offset: number): void {
    this.#calls(text, offset, openers, ({ 0: opener, index: start }) => {
      for (const { name, protocol, pattern, lineStart } of rows) {
        if (protocol === this.#own || (lineStart && !startsLine(text, start))) continue;
        const whole = matchAt(pattern, text, start)?.[0].trimEnd();
        if (whole !== undefined) return { name, protocol, start, end: start + Math.max(opener.length, whole.length) };
      }
      return undefined;
    });
    // Within a line, and where it is no more than a name, JSON is a call when there is such a tool.
    this.#calls(text, offset, jsonCall, ({ 0: found, index }) =>
      !matchAt(declaration, text, index + found.length) &&
      ((!found.endsWith("}") && startsLine(text, index)) || this.namesTool(found))
        ? { name: "a JSON tool call", start: index, end: index + found.length }
        : undefined,
    );
    if (this.#declared.size > 0)
      this.#calls(text, offset, bareCall, ({ 0: found, 1: python, 2: bare = python ?? "", index }) => {
        const start = index + found.search(/\S/);
        // A sentence that mentions a call continues behind it.
        const isCall =
          this.namesTool(bare, this.#declared) && (!python || /[)\]},;([{]$/.test(restOfLine(text, start).trimEnd()));
        const name = python ? "a call in Python" : "a call without its markers";
        return isCall ? { name, start, end: index + found.trimEnd().length } : undefined;
      });
    if (!this.#namedIn || !this.wants(undefined)) return;
    const counts = this.places(text, offset);
    for (const span of this.#namedIn(text))
      if (counts(span.start)) this.take({ name: "a call without its markers", ...span }, offset);
  }

  /** Finds the calls at the places of a pattern. */
  #calls(
    text: string,
    offset: number,
    pattern: RegExp,
    callAt: (match: RegExpExecArray) => MarkedCall | undefined,
  ): void {
    const counts = this.places(text, offset);
    for (const match of matchesOf(pattern, text)) {
      // Only openers may be those of another text protocol, too.
      if (pattern !== openers && !this.wants(undefined)) return;
      const call = callAt(match);
      // One call has several marks, and some formats share theirs.
      if (call && this.wants(call.protocol) && counts(call.start, call.protocol !== undefined)) this.take(call, offset);
    }
  }

  /** Returns a function: whether a call may stand at a place, outside of inline code and documentation. Places come in order. */
  protected places(text: string, offset: number): (index: number, isBlock?: boolean) => boolean {
    const isCode = inlineCodeIn(text);
    return (index, isBlock = false) => {
      const fence = this.#fenceAt(offset + index);
      if (!fence) return !isCode(index);
      fence.holdsCall ??= this.#holdsCall(fence, text, offset, index, isBlock);
      return fence.holdsCall;
    };
  }

  /** Whether a fence begins with the call at an index, and does more than show it: the first call in it decides. */
  #holdsCall(fence: Fence, text: string, offset: number, index: number, isBlock: boolean): boolean {
    const begin = Math.max(0, fence.body - offset);
    const end = fence.end - offset;
    // Other tags of the call, and one word, may stand before its mark.
    const before = text.slice(begin, Math.min(index, begin + 1000)).replace(/<[^<>\n]{0,100}>/g, "");
    const begins = fence.body < offset || (index - begin < 1000 && /^\s*[\w.:-]{0,100}\s*$/.test(before));
    const { info } = fence;
    return begins && !this.shows({ info, text: text.slice(begin, end), rest: text.slice(end, end + 400), isBlock });
  }

  /** Whether a tool that may be called is named in a text. */
  protected namesTool(text: string, tools: ReadonlySet<string> = this.#tools): boolean {
    for (const [name] of matchesOf(/[\p{L}\p{N}_.:-]+/gu, text))
      if (tools.has(plain(name)) || tools.has(plain(name.replace(/^\w+\.|:\d+$/g, "")))) return true;
    return false;
  }
}

function startsLine(text: string, index: number): boolean {
  return /(?:^|\n)[ \t]*$/.test(text.slice(Math.max(0, index - 100), index));
}

/** Returns the rest of a line. */
function restOfLine(text: string, from: number): string {
  return text.slice(from, lineEnd(text, from));
}

/** Tags at the start of a line that lack a bracket, or have one of another script; and more of them behind those. */
function bareTags(tags: string): { first: RegExp; more: RegExp } {
  const wide = "[＞〉》›]";
  const close = `(?:>|&gt;|${wide})`;
  const attributes = `(?:[ \\t]{1,9}[\\w-]{1,100}[ \\t]{0,9}=[ \\t]{0,9}(?:"[^"\\n]{0,300}"|'[^'\\n]{0,300}')){0,9}[ \\t]{0,9}/?`;
  const first =
    `^[ \\t]*(?:(?:&lt;|[＜〈《‹])?[ \\t]?/?(?:${tags})${attributes}${close}` +
    `|<[ \\t]?/?(?:${tags})(?:${wide}|[ \\t\\r]{0,9}(?=\\n|$|<))|/tools[ \\t\\r]{0,9}$|\\[/(?:${tags})\\]|\\[tools\\])`;
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

/**
 * Looks for calls in other formats, in the texts of a whole message: the name of each format, and its place.
 * What stands in inline code is a mention; what stands in a fence that begins with something else is documentation.
 *
 * @param own The reader's own protocol, and the tools that need no definition.
 * @param tools Those that may be called.
 * @param fences In order.
 */
export function findForeign(
  own: OwnFormat,
  tools: readonly NamedTool[],
  fences: readonly Fence[],
  texts: readonly TextSegment[],
): Iterable<readonly [format: string, Span]> {
  if (texts.length === 0) return [];
  const finder = new FirstCalls(own, tools, fences);
  for (const { text, span } of texts) finder.find(text, span.start);
  return finder.end();
}

const findingsAtMost = 1000;

/** Keeps the first place of each format; and each call of no text protocol, for those who read all of them. */
class FirstCalls extends CallFinder {
  readonly #tags = tagPatterns(this.names);
  /** By text protocol; there is one finding for all formats of none. */
  readonly #found = new Map<TextProtocol | undefined, readonly [format: string, Span]>();
  /** Of those who read all of them: the marks in the text at hand, and the calls in those before. */
  readonly #marks: MarkedCall[] = [];
  readonly #calls: (readonly [format: string, Span])[] = [];
  readonly #search: CallSearch | undefined;

  constructor(own: OwnFormat, tools: readonly NamedTool[], fences: readonly Fence[]) {
    super(own, tools, fences);
    this.#search = own.search;
  }
  #tag: Span | undefined;
  #tagCount = 0;

  protected wants(protocol: TextProtocol | undefined): boolean {
    return !this.#found.has(protocol);
  }

  protected take(call: MarkedCall, offset: number): void {
    const { name, protocol, start, end } = call;
    if (this.#search && !protocol) this.#marks.push(call);
    else this.#found.set(protocol, [name, { start: offset + start, end: offset + end }]);
  }

  /** Where the tools are known, an example calls another one, and a sentence follows it. The blocks of text protocols name none. */
  protected shows({ text, rest, isBlock }: ShownFence): boolean {
    return /^.*\n\s*[\p{L}\p{N}]/u.test(rest) && !isBlock && this.names.length > 0 && !this.namesTool(text);
  }

  override find(text: string, offset: number): void {
    super.find(text, offset);
    for (const { format, span } of this.#search?.join(text, this.#marks.splice(0)) ?? [])
      this.#add(format, { start: offset + span.start, end: offset + span.end });
    const counts = this.places(text, offset);
    for (const { 0: found, index } of matchesOf(this.#tags.first, text)) {
      const end = index + found.length;
      const start = index + found.search(/\S/);
      if (!counts(start)) continue;
      this.#tag ??= { start: offset + start, end: offset + end };
      this.#tagCount += 1 + (restOfLine(text, end).match(this.#tags.more)?.length ?? 0);
    }
  }

  /** Of very many calls, the last finding is about all that are left. */
  #add(format: string, span: Span): void {
    const last = this.#calls.at(-1);
    if (last && this.#calls.length >= findingsAtMost) last[1].end = span.end;
    else this.#calls.push([format, span]);
  }

  /** Returns what was found. */
  end(): Iterable<readonly [format: string, Span]> {
    if (this.#tag && this.#tagCount > 1)
      this.#found.set("toolsxml", this.#found.get("toolsxml") ?? ["a ToolsXML block without its brackets", this.#tag]);
    return [...this.#calls, ...this.#found.values()];
  }
}
