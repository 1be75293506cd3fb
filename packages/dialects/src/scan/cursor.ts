import type { EndOptions, Span } from "@toolglot/core";
import type { Source } from "@toolglot/core/text";
import { anyAt, behindSpace, last, type Mark, markAt, more, type Variable } from "./marks.ts";

/** A reading that is resumed when more text has come. Behind each `yield` the window of its source may be another one. */
export type Reading<Result> = Generator<undefined, Result, undefined>;

/** Where a reading stands in its text. Indices of the window hold until the next `yield` only; offsets always do. */
export class Cursor {
  source!: Source;
  /** Given when no more text comes. */
  ending: EndOptions | undefined;
  /** Marks that were written with other characters. */
  readonly lookAlikes: Span[] = [];
  readonly variable: Variable = {};
  /** Takes the text of a long value, without the whole reading being resumed for each chunk; true once it has to be. */
  skim: (() => boolean) | undefined;

  get offset(): number {
    return this.source.offset;
  }

  get ended(): boolean {
    return this.ending !== undefined;
  }

  /** The text ended where more of it was needed. */
  isCut = false;

  /** Where the literal that failed last stopped: the number of containers that were open, and the quote of a string. */
  failedIn: { depth: number; quote: string } = { depth: 0, quote: "" };

  /** From this offset on nothing closes a call: the end of the text has shown it, and is not read for again from each line. */
  unclosedFrom: number = Infinity;

  /** Waits for more text; false when none comes. */
  *wait(): Reading<boolean> {
    if (this.ended) this.isCut = true;
    else yield;
    return !this.isCut;
  }

  /** Goes behind white space, as far as there is any; true when text follows. */
  *space(): Reading<boolean> {
    for (;;) {
      const { source } = this;
      source.at = behindSpace(source.text, source.at);
      if (source.at < source.text.length) return true;
      if (this.ended) return false;
      yield;
    }
  }

  /** Looks at the text here until that decides: an index, or 0. */
  *decide(look: (text: string, at: number, ended: boolean) => number): Reading<number> {
    for (;;) {
      const { source, ended } = this;
      const found = look(source.text, source.at, ended);
      if (found !== more) return found;
      yield;
    }
  }

  /** Goes behind a mark, if it stands here. Moves behind white space before it only with the mark. */
  *take(mark: Mark | undefined): Reading<boolean> {
    let found = this.tryTake(mark);
    for (; found === undefined; found = this.tryTake(mark)) yield;
    return found;
  }

  /** Goes behind the first of several marks that stands here. */
  *takeAny(marks: readonly Mark[]): Reading<boolean> {
    let found = this.tryAny(marks);
    for (; found === undefined; found = this.tryAny(marks)) yield;
    return found;
  }

  /** As {@link takeAny}; undefined when only more text decides. */
  tryAny(marks: readonly Mark[]): boolean | undefined {
    for (const mark of marks) {
      const found = this.tryTake(mark);
      if (found !== false) return found;
    }
    return false;
  }

  /** As {@link take}; undefined when only more text decides. Most marks are looked at in vain, and cost no generator. */
  tryTake(mark: Mark | undefined): boolean | undefined {
    if (!mark) return false;
    const { source } = this;
    const start = behindSpace(source.text, source.at);
    const end = markAt(source.text, start, mark, this.ended, this.variable);
    if (end <= 0) return end === more ? undefined : false;
    if (last.looksAlike) this.lookAlikes.push({ start: source.base + start, end: source.base + end });
    source.at = end;
    return true;
  }

  /** Whether one of several marks stands here, white space apart. */
  *sees(marks: readonly (Mark | undefined)[]): Reading<boolean> {
    for (;;) {
      const found = anyAt(this.source.text, this.source.at, marks, this.ended, this.variable);
      if (found !== more) return found > 0;
      yield;
    }
  }

  /** Goes behind one line break. */
  *lineBreak(): Reading<void> {
    for (;;) {
      const { source } = this;
      const unit = source.text.charAt(source.at);
      if (unit === "" || (unit === "\r" && source.at + 1 >= source.text.length)) {
        if (yield* this.wait()) continue;
      } else if (unit === "\n") source.at += 1;
      else if (unit === "\r" && source.text.charAt(source.at + 1) === "\n") source.at += 2;
      return;
    }
  }

  /** Returns text by offsets. */
  slice(start: number, end: number): string {
    return this.source.slice(start, end);
  }
}
