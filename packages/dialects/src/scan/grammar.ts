import type { Diagnostic, Span } from "@toolglot/core";
import type { BlockGrammar, BlockReader, InlineProbe, LineProbe, ProbeAnswer } from "@toolglot/core/text";
import type { DialectBlock } from "../types.ts";
import { BareCalls } from "./bare.ts";
import type { ReadingHost } from "./block-draft.ts";
import { Detector } from "./detect.ts";
import { type ProseMarks, ProseReader } from "./prose.ts";
import type { RowMarks } from "./row-marks.ts";
import { RunReader } from "./run-reader.ts";

/** Where calls begin: at what opens them, anywhere in the text; without it, where a line names a tool. */
export class DialectGrammar implements BlockGrammar<DialectBlock> {
  readonly protocol = "dialects";
  readonly blockName = "calls";
  readonly sendsInLine = true;
  readonly breaksBefore = 2;
  readonly heads: string;
  readonly #detector: Detector;
  readonly #bare: BareCalls;
  readonly #prose: ProseMarks;
  readonly #fenced: readonly RowMarks[];
  readonly #host: ReadingHost;
  whole?: BlockReader<DialectBlock>;
  /** Makes the finding of a call that is not read. */
  readonly foreign: (format: string, span: Span, text: string) => Diagnostic;

  constructor(
    rows: readonly RowMarks[],
    prose: ProseMarks,
    host: ReadingHost,
    isFixed: boolean,
    foreign: DialectGrammar["foreign"],
  ) {
    this.#detector = new Detector(rows);
    this.#bare = new BareCalls(rows, host.tools, isFixed);
    this.#prose = prose;
    this.#fenced = rows.filter(({ open }) =>
      open.some(({ texts, optional }) => !optional && texts[0]?.startsWith("```")),
    );
    this.#host = host;
    this.foreign = foreign;
    this.heads = this.#detector.heads;
  }

  lastCall({ calls, span }: DialectBlock): number {
    return calls.at(-1)?.span.start ?? span.start;
  }

  line(probe: LineProbe, ended: boolean): ProbeAnswer<DialectBlock> {
    const { text, at, offset, fence, firstInFence } = probe;
    let first = at;
    while (text.charCodeAt(first) === 32 || text.charCodeAt(first) === 9) first += 1;
    const here = { ...probe, at: first, offset: offset + first - at };
    const fenced = fence && firstInFence ? `\`\`\`${fence.info}` : undefined;
    const inFence = fenced && this.#fenced.find(({ open }) => open.some(({ texts }) => texts.includes(fenced)));
    if (inFence) return this.#reader(here, inFence, { isInFence: true });
    const found = this.#at(here, ended, true);
    if (found !== "no") return found;
    const bare = this.#bare.find(text, first, ended);
    if (bare === "more") return "more";
    return bare ? this.#reader(here, bare, { isBare: true }) : "no";
  }

  inline(probe: InlineProbe, ended: boolean): Exclude<ProbeAnswer<DialectBlock>, "hold"> {
    return this.#at(probe, ended, false);
  }

  #at(probe: InlineProbe, ended: boolean, isLineStart: boolean): Exclude<ProbeAnswer<DialectBlock>, "hold"> {
    const { text, at } = probe;
    const marks = this.#detector.find(text, at, ended, isLineStart);
    if (marks === "more") return "more";
    if (marks) return this.#reader(probe, marks, {});
    const length = this.#prose.at(text, at, ended, isLineStart);
    if (length === "more") return "more";
    return length > 0 ? new ProseReader(probe.offset, length) : "no";
  }

  #reader(
    { offset, inReasoning }: InlineProbe,
    marks: RowMarks,
    how: { isBare?: boolean; isInFence?: boolean },
  ): RunReader {
    return new RunReader(offset, marks, this.#host, { inReasoning, ...how }, this.#bare);
  }
}
