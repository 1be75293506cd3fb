import { isLineSpace, lineEnd } from "@toolglot/internal";
import { NextMark, none, type Source } from "./source.ts";

type Window = Pick<Source, "text" | "base">;

/** A code fence that is open. */
export interface Fence {
  /** "`" or "~". */
  mark: string;
  /** Length of the opening run; the closing one is at least as long. */
  length: number;
  /** White space before the opening run. */
  indent: string;
  /** What stands after it, lower-cased: `toml`, `python`, or nothing. */
  info: string;
  /** Offsets of the opening line, behind it, and of the closing line; the last is {@link none} while it is open. */
  start: number;
  body: number;
  end: number;
  /** What is known of it: whether it holds a call. */
  holdsCall?: boolean | undefined;
}

const opener = /^([^\S\n]*)(`{3,}|~{3,})[ \t]*([^\n]*?)[ \t\r]*$/;
/** By itself: this is asked of every line of a document in a fence. */
const closer = /^[^\S\n]*(`{3,}|~{3,})[^\S\n]*$/;

/** Returns the fence a line opens, if it does. A line with further backticks after the run is inline code, not a fence. */
export function openFence(line: string, start: number): Fence | undefined {
  const match = opener.exec(line);
  if (!match) return undefined;
  const [, indent = "", run = "", info = ""] = match;
  const mark = run.charAt(0);
  if (mark === "`" && info.includes("`")) return undefined;
  return {
    mark,
    length: run.length,
    indent,
    info: info.toLowerCase(),
    start,
    body: start + line.length + 1,
    end: none,
  };
}

/** Whether a line closes a fence: the same mark, at least as many, and nothing else, whatever the indentation. */
export function closesFence(line: string, { mark, length }: Pick<Fence, "mark" | "length">): boolean {
  let at = 0;
  while (isLineSpace(line.charCodeAt(at))) at += 1;
  if (line.charAt(at) !== mark) return false;
  return (closer.exec(line)?.[1]?.length ?? 0) >= length;
}

/**
 * Info strings of fences in which blocks are sent: none, a format of data or text, a name for tools. A program's language is none of
 * them: what stands in such a fence is shown. Of the protocols none has more of them than another, since models mix them up.
 */
export const sentIn: RegExp =
  /^(?:|attp|tam|tool[\w-]*|(?:xml|toml)\b.*|html?|te?xt|plain\w*|markdown|md|json[c5]?|ya?ml|ini|conf|code|output|response)$/;

/** The fences that are open, one inside the other. */
export class FenceStack {
  /** All outermost fences so far, closed ones included. */
  readonly ranges: Fence[] = [];
  readonly #open: Fence[] = [];

  /** The innermost one. */
  get top(): Fence | undefined {
    return this.#open.at(-1);
  }

  /** Reads a line that begins at an offset: whether it opens a fence, undefined when it is none. */
  read(line: string, start: number): boolean | undefined {
    const { top } = this;
    if (top && closesFence(line, top)) {
      this.pop(start);
      return false;
    }
    const fence = openFence(line, start);
    if (!fence) return undefined;
    if (this.#open.push(fence) === 1) this.ranges.push(fence);
    return true;
  }

  /** Leaves all that are open, as they are. */
  forget(): void {
    this.#open.length = 0;
  }

  /** Closes the innermost one at an offset, and returns it; undefined when none is open. */
  pop(offset: number): Fence | undefined {
    const range = this.#open.pop();
    if (range) range.end = offset;
    return range;
  }
}

/**
 * Inline code of one line: what stands between two runs of backticks of the same length. Runs are counted as the line
 * comes in; a partner is searched for only when a marker stands after an opening run. A run without a partner on its line
 * is text.
 */
export class InlineCode {
  /** Offset up to which runs were counted, and the length of a run that ends there. */
  #done = 0;
  #run = 0;
  /** Length of the run that is open; 0 outside. */
  #open = 0;
  /** The open run has its partner at or after this offset; before it, everything is code. */
  #partner = 0;
  readonly #ticks = new NextMark("`");

  /** Forgets the line before. */
  startLine(offset: number): void {
    this.#done = offset;
    this.#run = this.#open = this.#partner = 0;
  }

  /** Counts runs up to an offset; the text before it may leave the window afterwards. */
  advance({ text, base }: Window, offset: number): void {
    const limit = offset - base;
    for (let at = this.#done - base; at < limit; ) {
      const next = this.#ticks.find(text, at);
      if (next > at) this.#endRun();
      else this.#run += 1;
      at = Math.max(at + 1, next);
    }
    if (offset > this.#done) this.#done = offset;
  }

  #endRun(): void {
    if (this.#run === 0) return;
    if (this.#open === 0) this.#open = this.#run;
    else if (this.#open === this.#run) this.#open = 0;
    this.#run = 0;
  }

  /** Whether the marker at an index stands in inline code; `"more"` when the rest of the line decides. */
  covers(window: Window, at: number, lineComplete: boolean): boolean | "more" {
    const { text, base } = window;
    this.advance(window, base + at);
    this.#endRun();
    if (this.#open === 0) return false;
    if (this.#partner > base + at) return true;
    const rest = text.slice(at, lineEnd(text, at));
    for (const { 0: run, index } of rest.matchAll(/`+/g)) {
      // More text may extend a run at the end of what has come.
      if (run.length !== this.#open || !(lineComplete || index + run.length < rest.length)) continue;
      this.#partner = base + at + index;
      return true;
    }
    if (!lineComplete) return "more";
    this.#open = 0;
    return false;
  }
}

/** Returns a function: whether a place in a text stands in inline code. Places must be asked for in order. */
export function inlineCodeIn(text: string): (index: number) => boolean {
  const code = new InlineCode();
  let end = -1;
  return (index) => {
    if (index > end) {
      code.startLine(text.lastIndexOf("\n", index - 1) + 1);
      end = lineEnd(text, index);
    }
    return code.covers({ text, base: 0 }, index, true) === true;
  };
}

/**
 * Returns a function: which of some fences, in order, holds an offset. One that is never closed is none: it may be the
 * closing line of a fence that something else opened.
 */
export function closedFences(fences: readonly Fence[]): (offset: number) => Fence | undefined {
  const closed = fences.filter(({ end }) => end < none);
  return (offset) => {
    let low = 0;
    for (let high = closed.length; low < high; ) {
      const middle = (low + high) >> 1;
      if ((closed[middle] as Fence).end <= offset) low = middle + 1;
      else high = middle;
    }
    const fence = closed[low];
    return fence && fence.body <= offset ? fence : undefined;
  };
}

/**
 * Fences of languages that no block is sent in: they hide what looks like one. The first line that begins a block is remembered, and
 * text from it on held back until its fence ends: if it never does, the model forgot to close it, and the block is read.
 */
export class ForeignFence {
  readonly #begins: RegExp | undefined;
  #fence: Fence | undefined;
  /** Fences hide no block any more: the last one was never closed. */
  #seesThrough = false;
  /** The line at hand stands in such a fence. */
  inside = false;
  /** Offset of the line that is remembered. */
  suspect: number | undefined;

  /** @param begins A line that begins a block for sure. */
  constructor(begins: RegExp | undefined) {
    this.#begins = begins;
  }

  /** Comes to a line within a fence; `isFirst`: nothing but blank lines stands before it there. */
  enter(fence: Fence | undefined, isFirst: boolean): boolean {
    this.inside = fence !== undefined && !isFirst && !this.#seesThrough && !sentIn.test(fence.info);
    return this.inside;
  }

  /** Reads what there is of the line at an offset; true when it is `undecided`, and only more of it decides. */
  look(line: string, undecided: boolean, offset: number, fence: Fence | undefined): boolean {
    if (!this.#begins || this.suspect !== undefined) return false;
    if (undecided && /^\s*[<[［t]/i.test(line)) return true;
    if (this.#begins.test(line)) [this.suspect, this.#fence] = [offset, fence];
    return false;
  }

  /** Notes that a fence was closed. */
  left(fence: Fence | undefined): void {
    if (fence === this.#fence) this.suspect = undefined;
  }

  /** Ends the text: returns where the line stands that is to be read after all. */
  reopen(): number | undefined {
    const { suspect } = this;
    this.suspect = undefined;
    this.#seesThrough ||= suspect !== undefined;
    return suspect;
  }
}
