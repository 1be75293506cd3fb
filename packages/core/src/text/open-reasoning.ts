import type { TextScannerOptions } from "./block-grammar.ts";
import { NextMark } from "./source.ts";
import { type ReasoningMark, type ReasoningMarks, reasoningMarks } from "./text-marks.ts";

/** The marks of reasoning in a text that is scanned: those that open some, or close what is open. */
export class OpenReasoning {
  readonly #marks: ReasoningMarks;
  /** Lookahead for what closes the reasoning that is open, where it doesn't begin with `<`. */
  #heads: readonly NextMark[] = [];
  /** What closes the reasoning that is open; unknown where the prompt opened it. */
  #kind: string | undefined;

  constructor({
    reasoningTags,
    startsInReasoning,
  }: Pick<TextScannerOptions<never>, "reasoningTags" | "startsInReasoning">) {
    this.#marks = reasoningMarks(reasoningTags);
    if (startsInReasoning) this.open(undefined);
  }

  open(kind: string | undefined): void {
    this.#kind = kind;
    this.#heads = this.#marks.closerHeads(kind).map((head) => new NextMark(head));
  }

  close(): void {
    this.#heads = [];
  }

  /** Whether a mark that may stand at the start of a line begins with a unit. */
  mayBegin(unit: string | undefined): boolean {
    return unit !== undefined && this.#marks.firsts.includes(unit);
  }

  /**
   * Returns the mark at an index that opens or closes something: within reasoning only marks of its kind do. Else as {@link
   * ReasoningMarks.at}.
   */
  at(text: string, at: number, ended: boolean, begins: boolean, depth: number): ReasoningMark | "more" | undefined {
    const mark = this.#marks.at(text, at, ended, begins);
    if (!mark || mark === "more") return mark;
    const counts =
      depth === 0 ? mark.opens || !mark.needsPartner : this.#kind === undefined || mark.kind === this.#kind;
    return counts ? mark : undefined;
  }

  /** Returns the place of the next closer that doesn't begin with `<`, if it comes before another place. */
  nextBefore(other: number, text: string, at: number): number {
    let next = other;
    for (const head of this.#heads) next = Math.min(next, head.find(text, at));
    return next;
  }
}
