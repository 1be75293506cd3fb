import { type Fence, sentIn } from "./code.ts";

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
