import { matchesOf } from "@toolglot/internal";
import type { Span } from "../span.ts";
import { type TextProtocol, toolsXmlTags } from "./call-formats.ts";
import type { CallSearch } from "./call-search.ts";
import type { Fence } from "./code.ts";
import {
  CallFinder,
  type MarkedCall,
  type OwnFormat,
  restOfLine,
  type ShownFence,
  source,
  type TextSegment,
} from "./find-foreign.ts";
import type { NamedTool } from "./named-calls.ts";

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
