import type { ToolDefinition } from "@toolglot/core";
import {
  asKey,
  asTag,
  type BlockGrammar,
  type BlockReader,
  type Fence,
  type InlineProbe,
  type LineProbe,
  type ProbeAnswer,
  type Trace,
} from "@toolglot/core/text";
import { asPattern, isLineSpace } from "@toolglot/internal";
import type { ToolsXmlBlock } from "../types.ts";
import { type BodyContext, bodyContext } from "./body-context.ts";
import { LooseTags } from "./loose-tags.ts";

export const builtIns = ["command", "edit", "read", "get_value", "input", "ctrl", "mcp"] as const;

/** The tags that are known to a parser. */
export class Names {
  /** Declared tools by lower-cased name; built-in names are not among them. */
  readonly tools: Map<string, ToolDefinition> = new Map();
  readonly known: readonly string[];
  /** At the beginning of a text: the tag of a call. */
  readonly callTag: RegExp;
  /** A line that begins with the tag of a call, or with that of an element around it. */
  readonly callLine: RegExp;
  readonly call: BodyContext;
  readonly find: BodyContext;
  readonly replace: BodyContext;
  readonly #loose = new Map<string, LooseTags>();

  constructor(tools: readonly ToolDefinition[] = []) {
    for (const tool of tools) {
      const name = tool.name.toLowerCase();
      if (!(builtIns as readonly string[]).includes(name) && !this.tools.has(name)) this.tools.set(name, tool);
    }
    this.known = [...builtIns, ...this.tools.keys()];
    const any = this.known.map(asPattern).join("|");
    this.callTag = new RegExp(`^<(?:${any})(?=[\\s/>])`, "i");
    this.callLine = new RegExp(`^[ \\t]{0,200}(?:<[^<>]{0,80}>[ \\t]{0,80})?<[ \\t]{0,8}(${any})(?=[\\s/>]|$)`, "i");
    this.call = bodyContext(["tools"], [...this.known, "tools", "results"]);
    const around = ["file", "edit", "tools"];
    this.find = bodyContext(around, ["find", "replace"]);
    this.replace = bodyContext(around, ["find", "replace", "file"]);
  }

  /** Returns what shows that a body of an element took in its neighbour. */
  loose(name: string): LooseTags {
    let made = this.#loose.get(name);
    if (!made) {
      made = looseTags(name, this.known);
      this.#loose.set(name, made);
    }
    return made;
  }

  /** Whether an element of this name belongs to a block. */
  isElement(name: string): boolean {
    return this.isCall(name) || /^(?:tools|file|find|replace|search)$/.test(name);
  }

  isCall(name: string): boolean {
    return this.tools.has(name) || (builtIns as readonly string[]).includes(name);
  }
}

/** Returns what shows that the body of an element took in its neighbour. `known`: the names of all calls, lower-cased. */
export function looseTags(name: string, known: readonly string[]): LooseTags {
  const inEdit = ["find", "replace", "file"];
  if (name === "find" || name === "replace") return new LooseTags(["find", "replace"], ["file", "edit", "tools"]);
  // A script has no tags outside its quotes, so that those of all elements count.
  if (name === "command") return new LooseTags([name], ["tools", ...known, ...inEdit], [...known, ...inEdit]);
  return new LooseTags([name], ["tools"], known);
}

/** Makes the readers that the grammar answers with. */
export interface GrammarOptions {
  block(start: number, fence: Fence | undefined): BlockReader<ToolsXmlBlock>;
  /** Undefined where a message is no envelope. */
  envelope: ((start: number, late: boolean) => BlockReader<ToolsXmlBlock> | false) | undefined;
  names: Names;
}

const opener = /<[ \t]{0,8}tools(?:[ \t\r\n](?:[^<>"']|"[^"]{0,300}"|'[^']{0,300}'){0,300})?>/iy;
const openerLine = /^\s*<[ \t]{0,8}tools[ \t\r]*>/i;
const partialOpener = /^<[ \t]{0,8}(?:t(?:o(?:o(?:l(?:s(?:[ \t\r\n][^<]{0,300})?)?)?)?)?)?$/i;
/** What follows an opener that does not stand alone on its line: a tag, a comment, the closing tag. */
const follower = /<(?:[ \t]{0,8}[A-Za-z_\u0080-\uffff]|!--|[ \t]{0,8}\/[ \t]{0,8}tools[\s>])/iy;
const partialFollower = /^<(?:[ \t]{0,8}(?:\/[ \t]{0,8}(?:t(?:o(?:o(?:ls?)?)?)?)?)?|!-?)$/i;
const prolog = /^[ \t]*<(?:\?xml\b[^>]*\?|!--[^\n]*--)>[ \t\r]*$/i;

const envelope = /\{\s*"(?:reply|tools)"\s*:/y;
const partialEnvelope = /^\{\s*(?:"[a-z]{0,5}(?:"\s*)?)?$/;

/** Lookahead behind an opener: so much white space at most, and so much text. */
const reach = 200;
const textReach = 300;

/** `command` and its like are words of many formats: two of them, or one with its closing tag, are a block. */
const traces: readonly Trace[] = [
  [asTag("tools|command|edit|read|get_value|ctrl|mcp"), 3],
  [asTag("file|find|replace|search|input"), 2],
  [asKey("tools|command|edit|get_value|ctrl|mcp"), 3],
];

/** Where ToolsXML blocks begin. */
export class ToolsXmlGrammar implements BlockGrammar<ToolsXmlBlock> {
  readonly protocol = "toolsxml";
  readonly blockName = "tools";
  readonly begins: RegExp = openerLine;
  readonly traces: readonly Trace[] = traces;
  readonly marks: RegExp = /tools(?:>|\\|&)/i;
  readonly builtIns: readonly string[] = builtIns;
  readonly #options: GrammarOptions;

  constructor(options: GrammarOptions) {
    this.#options = options;
  }

  line(probe: LineProbe, ended: boolean): ProbeAnswer<ToolsXmlBlock> {
    const { text, at, end, offset, fence, firstInFence } = probe;
    let first = at;
    while (isLineSpace(text.charCodeAt(first))) first += 1;
    const code = text.charCodeAt(first);
    if (code === 123) return this.#envelope(text, first, offset + first - at, ended, !probe.isFirst);
    if (code !== 60) return "no";
    const answer = this.#opener(text, first, true, ended);
    if (answer !== "no") return answer === "more" ? "more" : this.#options.block(offset + first - at, fence);
    if (!firstInFence) return "no";
    if (end < 0 && !ended) return /^[ \t]*<(?:[!?][^\n]*)?$/.test(text.slice(at)) ? "more" : "no";
    return prolog.test(end < 0 ? text.slice(at) : text.slice(at, end)) ? "hold" : "no";
  }

  inline({ text, at, offset, fence }: InlineProbe, ended: boolean): "no" | "more" | BlockReader<ToolsXmlBlock> {
    const answer = this.#opener(text, at, false, ended);
    return answer === "yes" ? this.#options.block(offset, fence) : answer;
  }

  lastCall({ calls }: ToolsXmlBlock): number | undefined {
    return calls.at(-1)?.span.start;
  }

  isOwnTag(name: string): boolean {
    return this.#options.names.isElement(name);
  }

  /** Whether `<tools>` at an index begins a block: a bare mention in prose does not. */
  #opener(text: string, at: number, beginsLine: boolean, ended: boolean): "no" | "more" | "yes" {
    const next = text.charCodeAt(at + 1) | 32;
    // "t", or white space, which `| 32` leaves at 32 or 41.
    if (next !== 116 && next !== 32 && next !== 41 && at + 1 < text.length) return "no";
    opener.lastIndex = at;
    if (!opener.test(text))
      return !ended && text.length - at < 320 && partialOpener.test(text.slice(at)) ? "more" : "no";
    const limit = opener.lastIndex + reach;
    let behind = opener.lastIndex;
    for (; behind < text.length && behind < limit; behind += 1) {
      const code = text.charCodeAt(behind);
      if (code === 10 && beginsLine) return "yes";
      if (!isLineSpace(code) && code !== 10) break;
    }
    if (behind >= limit) return "no";
    if (behind >= text.length) return !ended ? "more" : beginsLine ? "yes" : "no";
    follower.lastIndex = behind;
    if (follower.test(text)) return "yes";
    if (text.charCodeAt(behind) !== 60) return this.#afterText(text, behind, beginsLine, ended);
    if (text.length - behind > 30 || !partialFollower.test(text.slice(behind))) return "no";
    return !ended ? "more" : beginsLine ? "yes" : "no";
  }

  /** Reads text behind the opener: a block when the tag of a call comes next, and `</tools>` or a line of its own shows it. */
  #afterText(text: string, from: number, beginsLine: boolean, ended: boolean): "no" | "more" | "yes" {
    const window = text.slice(from, from + textReach);
    const undecided = ended || window.length === textReach ? "no" : "more";
    const tag = window.indexOf("<");
    const prose = tag < 0 ? window : window.slice(0, tag);
    if (!beginsLine && prose.includes("\n")) return "no";
    if (tag < 0) return undecided;
    const rest = window.slice(tag);
    if (!this.#options.names.callTag.test(rest)) return /^<[^\s<>/]*$/.test(rest) ? undecided : "no";
    if (prose.includes("\n")) return /\n[ \t]*$/.test(prose) ? "yes" : "no";
    const end = rest.search(/<\/[ \t]*tools[ \t]*>|\n/i);
    return end < 0 ? undecided : rest.charAt(end) === "<" ? "yes" : "no";
  }

  #envelope(text: string, at: number, offset: number, ended: boolean, late: boolean): ProbeAnswer<ToolsXmlBlock> {
    const { envelope: read } = this.#options;
    if (!read) return "no";
    envelope.lastIndex = at;
    if (envelope.test(text)) return read(offset, late) || "no";
    return !ended && text.length - at < reach && partialEnvelope.test(text.slice(at)) ? "more" : "no";
  }
}
