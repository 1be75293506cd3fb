import { matchesOf } from "@toolglot/internal";
import type { BlockBase, Segment } from "../protocol.ts";
import type { Span } from "../span.ts";
import type { BlockGrammar } from "./block-grammar.ts";
import { type Fence, inlineCodeIn, sentIn } from "./code.ts";
import { callOpener } from "./find-foreign.ts";
import { isContinued, PairedLines } from "./paired-lines.ts";
import { none, type Source } from "./source.ts";
import { resultMarker } from "./text-marks.ts";

/** Inline code that ends on its line. */
const wholeCode = /(?<!`)(`{1,9})(?!`)[^\n]{1,400}?(?<!`)\1(?!`)/g;
/** What may stand before a block on its line: the sign of a list, and a bracket written twice. */
const listSign = /^\s*(?:(?:[-*+•‣◦▪·–—]|\(?\w{1,3}[.)）])\s+|\(?\d{1,3}[、．]\s*){0,3}<{0,2}$/u;
/** Tags, comments, and special tokens of chat templates, which are no text. */
const tags =
  /<!--|-->|\/\*|\*\/|"""|<\?[^<>\n]{0,200}>|<(\/?)([a-z][\w:.-]{0,60})(?:\s[^<>]{0,300})?\/?>|<[|｜][^<>\n]{1,60}>(?:assistant|final|commentary)?/gi;
/** Elements of HTML that never hold anything. */
const holdsNothing = /^(?:area|base|br|col|embed|hr|img|input|link|meta|source|track|wbr)$/;

const reach = 200;
/** Texts without one of these open and close nothing. */
const mayOpen = ["<", "/*", "*/", '"""'];
const endsLine = /^[ \t\r]*(?:\n|$)/;

/** Whether a tag leaves a block on a line of its own: a declaration, a special token or a wrapper of calls. Whole comments do so too. */
const isNothing = (tag: string): boolean => /^<[|｜?]/.test(tag) || callOpener.test(tag);
const nothing = /<!--[^\n]*?-->|[\u180e\u200b-\u200d\u2060]/g;

/** A grammar's rules about the places where its blocks stand. */
export type PlaceRules = Pick<BlockGrammar<unknown>, "isOwnTag" | "midLine" | "sendsInLine">;

/** An element that is open. */
interface Open {
  /** Blocks before it. */
  count: number;
  offset: number;
  /** It has its line for itself: it counts even if nothing closes it. */
  isAlone: boolean;
  /** It may wrap calls. */
  wraps: boolean;
}

/**
 * Judges whether blocks are sent, or shown. A block is sent on lines of its own, or as all that a fence holds. It is shown
 *
 * - where something else than white space or the sign of a list stands before it on its line: a sentence, a quotation, a string;
 * - in a fence that holds more than blocks, or has a language that no block is sent in;
 * - in an element, a comment or signs of quotation around it. A wrapper for calls of other formats is none when it holds blocks only.
 *
 * All judgement is made once, when the text has ended: what closes decides as much as what opens.
 */
export class ShownBlocks<Block extends BlockBase> {
  /** By number of the block. */
  readonly #shown: boolean[] = [];
  /** At a block's number: how many more things are around it than around the one before it. */
  readonly #around: number[] = [0];
  /** At a block's number: the offset behind the last text before it that is no tag. */
  readonly #textBefore: number[] = [0];
  readonly #elements = new Map<string, Open[]>();
  /** Lines that may open or end something without tags, and how many blocks stand before them. */
  readonly #lines: { text: string; offset: number; number: number }[] = [];
  readonly #fenceHoldsMore = new Map<Fence, boolean>();
  readonly #segments: readonly Segment<Block>[];
  readonly #source: Pick<Source, "slice">;
  readonly #fences: readonly Fence[];
  readonly #grammar: PlaceRules;
  /** The next fence, for the tags of a text and for its lines, which are read one after the other. */
  readonly #next = { tags: 0, lines: 0 };
  #comment: number | undefined;
  /** The line at hand began with a block that is shown. */
  #lineIsShown = false;
  /** Fences that are never closed, and hold other text before a block. */
  readonly unclosed: Set<Fence> = new Set();

  /** @param fences The outermost ones, in order. */
  constructor(
    segments: readonly Segment<Block>[],
    source: Pick<Source, "slice">,
    fences: readonly Fence[],
    grammar: PlaceRules,
  ) {
    this.#segments = segments;
    this.#source = source;
    this.#fences = fences;
    this.#grammar = grammar;
  }

  /** Returns the shown ones among blocks, which are in order. */
  find(blocks: ReadonlySet<Block>): Set<Block> {
    const judged: Block[] = [];
    for (const [at, segment] of this.#segments.entries()) {
      if (segment.type === "text") this.#read(segment.text, segment.span.start);
      else if (segment.type === "block" && blocks.has(segment.block)) {
        judged.push(segment.block);
        // A tag of reasoning that belongs to no segment may stand between.
        const isNext = (this.#segments[at - 1]?.span.end ?? 0) === segment.span.start;
        this.#lineIsShown = isNext && (this.#lineIsShown || this.#isInLine(at));
        const { start, end } = segment.span;
        const edges = this.#edges(segment.span);
        this.#keepLines(edges[0], start);
        const isShown =
          this.#isInFence(at, segment.block.span.start) || this.#lineIsShown || this.#isContinued(at, edges[0]);
        this.#shown.push(isShown);
        this.#around.push(0);
        this.#keepLines(edges[1], end - edges[1].length);
        this.#textBefore.push(segment.span.end);
      }
      this.#lineIsShown &&= this.#source.slice(segment.span.end - 1, segment.span.end) !== "\n";
    }
    const all = judged.length;
    this.#pairLines();
    if (this.#comment !== undefined) this.#hold(this.#comment, all);
    for (const open of this.#elements.values())
      for (const { count, isAlone } of open) if (isAlone) this.#hold(count, all);
    let around = 0;
    return new Set(
      judged.filter((_, index) => {
        around += this.#around[index] as number;
        return around > 0 || this.#shown[index];
      }),
    );
  }

  #hold(from: number, to: number): void {
    if (from === to) return;
    (this.#around[from] as number) += 1;
    (this.#around[to] as number) -= 1;
  }

  /** Whether more than white space and the sign of a list stands before a block on its line. */
  #isInLine(at: number): boolean {
    const before = this.#segments[at - 1];
    if (before?.type !== "text") return false;
    const { text } = before;
    const line = text.slice(text.lastIndexOf("\n") + 1);
    // Code that is not closed, or not before the line ends.
    if (this.#grammar.sendsInLine) return line.includes("`") && line.replace(wholeCode, "").includes("`");
    if (line.trim() === "") return this.#grammar.midLine?.test(text.slice(-reach)) === true;
    return !listSign.test(line.replace(nothing, "").replace(tags, (tag) => (isNothing(tag) ? "" : tag)));
  }

  /** Whether a block stands in what ends by its layout. */
  #isContinued(at: number, lead: string): boolean {
    const before = this.#segments[at - 1];
    const start = this.#segments[at]?.span.start ?? 0;
    // Of the source: a text may have no line break before the block.
    const text = before?.type === "text" ? this.#source.slice(Math.max(before.span.start, start - reach), start) : "";
    return isContinued((text + lead).slice(-reach));
  }

  /** The first and the last lines of a block that are comments of its own, or empty strings: what stands around it may look like them. */
  #edges({ start, end }: Span): [lead: string, tail: string] {
    const first = this.#source.slice(start, Math.min(end, start + reach));
    const last = this.#source.slice(Math.max(start, end - reach), end);
    return [
      /^\s*(?:(?:#[^\n]*|[\w.-]+[ \t]*=[ \t]*(?:''|""))\n\s*)*/.exec(first)?.[0] ?? "",
      /(?:\n[ \t]*#[^\n]*)+\s*$/.exec(last)?.[0] ?? "",
    ];
  }

  /** Whether a block stands in a fence that holds more than blocks, or is one of a language that none is sent in. */
  #isInFence(at: number, start: number): boolean {
    const fence = this.#fenceAt(start);
    if (!fence) return false;
    let holdsMore = this.#fenceHoldsMore.get(fence);
    if (holdsMore === undefined) {
      holdsMore = this.#holdsText(at, -1, fence) || (fence.end < none && this.#holdsText(at, 1, fence));
      this.#fenceHoldsMore.set(fence, holdsMore);
    }
    if (fence.end < none) return holdsMore || !sentIn.test(fence.info);
    if (holdsMore) this.unclosed.add(fence);
    return false;
  }

  /** Whether text stands in a fence before or behind a block. */
  #holdsText(at: number, step: 1 | -1, fence: Fence): boolean {
    for (let next = at + step; ; next += step) {
      const segment = this.#segments[next];
      if (!segment || segment.span.end <= fence.body || segment.span.start >= fence.end) return false;
      if (segment.type !== "text") continue;
      const { start } = segment.span;
      if (segment.text.slice(Math.max(0, fence.body - start), Math.max(0, fence.end - start)).trim() !== "")
        return true;
    }
  }

  /** Returns the fence at an offset; offsets are asked for in order. */
  #fenceAt(offset: number, of: "tags" | "lines" = "tags"): Fence | undefined {
    while ((this.#fences[this.#next[of]]?.end ?? offset) < offset) this.#next[of] += 1;
    const fence = this.#fences[this.#next[of]];
    return fence && fence.start <= offset ? fence : undefined;
  }

  #keepLines(text: string, offset: number): void {
    if (text !== "") this.#lines.push({ text, offset, number: this.#shown.length });
  }

  /** Pairs lines that open something with those that end it: a block is between them, or they change nothing. */
  #pairLines(): void {
    const isText = ({ text }: { text: string }): boolean => text.trim() !== "";
    if (this.#lines.find(isText)?.number === this.#lines.findLast(isText)?.number) return;
    const paired = new PairedLines();
    let isBehindBlock = false;
    let before = 0;
    for (const { text, offset, number } of this.#lines) {
      if (number !== before) isBehindBlock = true;
      before = number;
      for (let start = 0; start < text.length; ) {
        const found = text.indexOf("\n", start);
        const end = found < 0 ? text.length : found;
        const line = text.slice(start, end);
        const fence = this.#fenceAt(offset + start, "lines");
        const isNone = (fence && fence.end < none) || (/^\s*\[/.test(line) && callOpener.test(line.trimStart()));
        // The rest of the block's own line is none.
        const above = isBehindBlock && start === 0 ? this.#source.slice(Math.max(0, offset - 2), offset) : "\n";
        const isRest = line.trim() === "" && !above.endsWith("\n");
        const open = isNone || isRest ? undefined : paired.read(line, number, isBehindBlock && above !== "\n\n");
        if (!isRest) isBehindBlock = false;
        if (open !== undefined) this.#hold(open, number);
        start = end + 1;
      }
    }
  }

  /** Reads a text segment: elements and comments begin and end in it. */
  #read(text: string, offset: number): void {
    this.#lineIsShown &&= !text.includes("\n");
    this.#keepLines(text, offset);
    if (!mayOpen.some((sign) => text.includes(sign)) && this.#comment === undefined) {
      this.#textBefore[this.#shown.length] = offset + text.length;
      return;
    }
    const isCode = inlineCodeIn(text);
    const number = this.#shown.length;
    let lineStart = 0;
    let done = 0;
    let isBlank = true;
    const pass = (to: number, from = done): void => {
      done = to;
      if (text.slice(from, to).trim() === "") return;
      isBlank = false;
      this.#textBefore[number] = offset + to;
    };
    for (const { 0: tag, 1: slash, 2: written = "", index } of matchesOf(tags, text)) {
      const lineBreak = text.slice(done, index).lastIndexOf("\n");
      if (lineBreak >= 0) lineStart = done + lineBreak + 1;
      pass(index);
      done = index + tag.length;
      const fence = this.#fenceAt(offset + index);
      if ((fence && fence.end < none) || typeof resultMarker(tag, true) === "number" || isCode(index)) {
        pass(done, index);
        continue;
      }
      // A string or comment of a program counts when it closes behind a block.
      const isSign = tag === '"""' || tag === "/*" || tag === "*/";
      const name = tag === "*/" ? "/*" : (written || tag).toLowerCase();
      const list = this.#elements.get(name) ?? [];
      const open = slash || isSign ? list.pop() : undefined;
      if (tag === "<!--") this.#comment ??= number;
      else if (tag === "-->") {
        if (this.#comment !== undefined) this.#hold(this.#comment, number);
        this.#comment = undefined;
      } else if (open) {
        const isWrapper = open.wraps && isBlank && open.offset >= (this.#textBefore[open.count] as number);
        if (!isWrapper) this.#hold(open.count, number);
      } else if (
        (written || isSign) &&
        !/^(?:<\/|\*)|\/>$/.test(tag) &&
        !holdsNothing.test(name) &&
        !this.#grammar.isOwnTag?.(name)
      ) {
        const wraps = callOpener.test(tag);
        const isAlone =
          !wraps &&
          !isSign &&
          text.slice(lineStart, index).trim() === "" &&
          endsLine.test(text.slice(done, done + reach));
        list.push({ count: number, offset: offset + index, isAlone, wraps });
        this.#elements.set(name, list);
      }
    }
    pass(text.length);
  }
}
