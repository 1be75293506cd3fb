import type { BlockReader, InlineProbe, SegmentsEnd } from "@toolglot/core/text";
import type { DialectBlock } from "../types.ts";
import { type Mark, markAt, markOf, more } from "./marks.ts";
import type { ProseFinder, ProseHead, RowMarks } from "./parts.ts";

/** Special tokens that plain text stands between: they vanish. */
export class ProseMarks implements ProseFinder {
  readonly #marks: readonly Mark[];
  /** What stands before an element of reasoning, and belongs to it. */
  readonly #prefixes: readonly (readonly [prefix: string, mark: Mark])[];
  readonly #others: readonly ProseHead[];

  /** @param heads Further ones, which are more than a text. */
  constructor(rows: readonly RowMarks[], heads: readonly ProseHead[] = []) {
    const texts = new Set(
      rows.flatMap(({ row }) => [
        // Its first word may stand in the prompt.
        ...(row.prose ?? []).flatMap(({ open, close }) => [open, open.slice(open.lastIndexOf(" ") + 1), close]),
        ...(row.engine === "messages" ? row.stops : []),
      ]),
    );
    this.#marks = [...texts]
      .filter((text) => /^(?:<\||>>>|to=)/.test(text))
      .sort((one, other) => other.length - one.length)
      .map((text) => markOf(text.startsWith("<") ? { text } : { text, lineStart: true }));
    this.#others = heads;
    this.#prefixes = rows.flatMap(({ row }) =>
      row.reasoning
        .flatMap(({ open, close }) => [open, close])
        .filter((text) => /.<\/?think>$/.test(text))
        .map((text): [string, Mark] => [text.slice(0, text.lastIndexOf("<")), markOf({ text })]),
    );
  }

  /** Returns what emits a mark that vanishes at an index, `"no"` for none, `"more"` when only more text decides. */
  find({ text, at, offset }: InlineProbe, ended: boolean, isLineStart: boolean): ProseReader | "more" | "no" {
    const length = this.#lengthAt(text, at, ended, isLineStart);
    return length === more ? "more" : length > 0 ? new ProseReader(offset, length) : "no";
  }

  #lengthAt(text: string, at: number, ended: boolean, isLineStart: boolean): number {
    const unit = text.charCodeAt(at);
    // All of them begin with `<|`, at the start of a line with `>>>` or `to=`, and the prefixes with `]`.
    if (
      !(isLineStart && (unit === 62 || unit === 116)) &&
      unit !== 93 &&
      (unit !== 60 || (at + 1 < text.length && text.charCodeAt(at + 1) !== 124))
    )
      return 0;
    let undecided = false;
    for (const head of this.#others) {
      const end = head(text, at, ended);
      if (end > 0) return end - at;
      undecided ||= end === more;
    }
    for (const [prefix, mark] of this.#prefixes) {
      const end = markAt(text, at, mark, ended);
      if (end > 0) return prefix.length;
      undecided ||= end === more;
    }
    for (const mark of this.#marks) {
      if (mark.lineStart && !isLineStart) continue;
      let end = markAt(text, at, mark, ended);
      // The line break of such a mark belongs to it.
      if (end > 0 && unit === 62) {
        if (text.charAt(end) === "\n") end += 1;
        else if (end >= text.length && !ended) end = more;
      }
      if (end > 0) return undecided ? more : end - at;
      undecided ||= end === more;
    }
    return undecided ? more : 0;
  }
}

/** Emits a mark as text that is empty. */
class ProseReader implements BlockReader<DialectBlock> {
  readonly start: number;
  readonly waitsForLine = false;
  readonly holds = true;
  readonly #end: number;

  constructor(start: number, length: number) {
    this.start = start;
    this.#end = start + length;
  }

  read(): SegmentsEnd<DialectBlock> {
    const { start } = this;
    const end = this.#end;
    return { segments: [{ type: "text", text: "", span: { start, end } }], end };
  }
}
