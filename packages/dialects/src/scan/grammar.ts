import type { Diagnostic, Span } from "@toolglot/core";
import {
  asKey,
  asTag,
  type BlockGrammar,
  type BlockReader,
  type CallSearch,
  everyCall,
  type InlineProbe,
  type LineProbe,
  type ProbeAnswer,
  type Trace,
} from "@toolglot/core/text";
import type { DialectBlock } from "../types.ts";
import type { BareCalls, DoubtText, FindForm } from "./bare.ts";
import type { CallHost } from "./call-draft.ts";
import type { ReadingPlan } from "./plan.ts";
import type { RowMarks } from "./row-marks.ts";
import { RunReader } from "./run-reader.ts";

const opens = "(?:tool_?|function_?)calls?|invoke";
/** How calls look whose marks are damaged, so that nothing opens them. */
const traces: readonly Trace[] = [
  [asTag(opens), 4],
  [asTag("function|param(?:eter)?|arg_(?:key|value)"), 3],
  [asKey("arguments|parameters|args"), 3],
];

/** Where calls begin: at what opens them, anywhere in the text; without it, where a line names a tool. */
export class DialectGrammar implements BlockGrammar<DialectBlock> {
  readonly protocol = "dialects";
  readonly blockName = "calls";
  readonly sendsInLine = true;
  readonly breaksBefore = 2;
  readonly traces: readonly Trace[] = traces;
  readonly marks: RegExp = /call|invoke|arg/i;
  readonly search: CallSearch = everyCall;
  readonly heads: string;
  readonly #plan: ReadingPlan;
  readonly #bare: BareCalls | undefined;
  readonly #host: CallHost;
  whole?: BlockReader<DialectBlock>;
  /** Makes the finding of a call that is not read. */
  readonly foreign: (format: string, span: Span, text: string) => Diagnostic;

  /** @param bare Finds and reads calls without marks. None: no dialect of the plan is found without. */
  constructor(
    plan: ReadingPlan,
    host: CallHost,
    foreign: DialectGrammar["foreign"],
    bare?: typeof BareCalls,
    findForm?: FindForm,
    doubts?: DoubtText,
  ) {
    this.#plan = plan;
    this.#bare = bare && new bare(plan.bare, host.tools, plan.isMarkless, findForm, doubts);
    this.#host = host;
    this.foreign = foreign;
    this.heads = plan.detector.heads;
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
    const inFence = fenced && this.#plan.fenced.find(({ open }) => open.some(({ texts }) => texts.includes(fenced)));
    if (inFence) return this.#reader(here, inFence, { isInFence: true });
    const found = this.#at(here, ended, true);
    if (found !== "no") return found;
    const calls = this.#bare;
    if (!calls || here.offset < calls.textUntil) return "no";
    const bare = calls.find(text, first, ended, offset === 0);
    if (bare === "more") return "more";
    return bare ? this.#reader(here, bare, { isBare: true }, calls) : "no";
  }

  inline(probe: InlineProbe, ended: boolean): Exclude<ProbeAnswer<DialectBlock>, "hold"> {
    return this.#at(probe, ended, false);
  }

  #at(probe: InlineProbe, ended: boolean, isLineStart: boolean): Exclude<ProbeAnswer<DialectBlock>, "hold"> {
    const { text, at } = probe;
    const marks = this.#plan.detector.find(text, at, ended, isLineStart);
    if (marks === "more") return "more";
    if (marks) return this.#reader(probe, marks, {});
    return this.#plan.prose?.find(probe, ended, isLineStart) ?? "no";
  }

  #reader(
    { offset, inReasoning }: InlineProbe,
    marks: RowMarks,
    how: { isBare?: boolean; isInFence?: boolean },
    bare?: BareCalls,
  ): RunReader {
    return new RunReader(offset, marks, this.#host, { inReasoning, ...how }, bare);
  }
}
