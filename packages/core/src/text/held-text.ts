/**
 * Text that may belong to a block which begins further on: it is held back until a line decides.
 *
 * ````text
 * ```toml        from here: the fence's opening line belongs to the block that it encloses
 *                blank lines decide nothing
 * target = "a"   "hold": may stand above a document, or be any line of TOML
 * [tool_call]    a block begins at the held line; its segment begins at the fence
 * ````
 *
 * A line that begins no block releases it, and it is given out as text.
 */
export class HeldText {
  /** Nothing from this offset on is given out. */
  start: number | undefined;
  /** The first line that the grammar answered `hold` about. */
  line: number | undefined;
  /** Only blank and held lines stand behind a fence's opening line. */
  inFence = false;

  /** A fence opens at an offset. */
  holdFence(offset: number): void {
    this.start = offset;
    this.line = undefined;
    this.inFence = true;
  }

  /** The grammar wants a line to be held. */
  holdLine(offset: number): void {
    this.start ??= offset;
    this.line ??= offset;
  }

  /** A blank line: it ends what was held, except right behind a fence's opening line. */
  blankLine(): void {
    if (!this.inFence) this.release();
  }

  release(): void {
    this.start = this.line = undefined;
    this.inFence = false;
  }
}
