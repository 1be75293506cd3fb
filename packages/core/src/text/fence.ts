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
  /** Offset of the opening line. */
  start: number;
}

const opener = /^([ \t]*)(`{3,}|~{3,})[ \t]*([^\n]*?)[ \t\r]*$/;
const closer = /^[ \t]*(`{3,}|~{3,})[ \t\r]*$/;

/** The fence a line opens, if it does. A line with further backticks after the run is inline code, not a fence. */
export function openFence(line: string, start: number): Fence | undefined {
  const match = opener.exec(line);
  if (!match) return undefined;
  const [, indent = "", run = "", info = ""] = match;
  const mark = run.charAt(0);
  if (mark === "`" && info.includes("`")) return undefined;
  return { mark, length: run.length, indent, info: info.toLowerCase(), start };
}

/** Whether a line closes a fence: the same mark, at least as many, and nothing else, whatever the indentation. */
export function closesFence(line: string, fence: Pick<Fence, "mark" | "length">): boolean {
  const run = closer.exec(line)?.[1];
  return run !== undefined && run.charAt(0) === fence.mark && run.length >= fence.length;
}

/** Where an outermost fence stands; offsets are those of the whole text. */
export interface FenceRange {
  /** After its opening line. */
  body: number;
  /** Start of its closing line; infinite while it is open. */
  end: number;
}

/** The fences that are open, one inside the other. */
export class FenceStack {
  /** All outermost fences so far, closed ones included. */
  readonly ranges: FenceRange[] = [];
  readonly #open: Fence[] = [];

  /** The innermost one. */
  get top(): Fence | undefined {
    return this.#open.at(-1);
  }

  /** Reads a line that begins at an offset, and the next one at another: undefined when it is no fence. */
  read(line: string, start: number, next: number): "opens" | "closes" | undefined {
    const { top } = this;
    if (top && closesFence(line, top)) {
      this.pop(start);
      return "closes";
    }
    const fence = openFence(line, start);
    if (!fence) return undefined;
    if (this.#open.push(fence) === 1) this.ranges.push({ body: next, end: Number.POSITIVE_INFINITY });
    return "opens";
  }

  /** Closes the innermost one at an offset; false when none is open. */
  pop(offset: number): boolean {
    if (!this.#open.pop()) return false;
    const range = this.ranges.at(-1);
    if (range && this.#open.length === 0) range.end = offset;
    return true;
  }
}
