import type { EndOptions } from "@toolglot/core";
import type { BlockEnd, BlockReader, SegmentsEnd, Source } from "@toolglot/core/text";
import type { DialectBlock } from "../types.ts";
import { BlockDraft } from "./block-draft.ts";
import type { CallHost } from "./call-draft.ts";
import { Cursor, type Reading } from "./cursor.ts";
import { beginsAt } from "./detect.ts";
import { callAt } from "./head.ts";
import { behindSpace, type Mark, more } from "./marks.ts";
import { readCall, skipCall } from "./read-call.ts";
import { bodyOf, isMarkless, type RowMarks } from "./row-marks.ts";

/**
 * Reads a run of calls: those in one wrapper, and all that follow with nothing but white space between them.
 *
 * ```text
 * <tool_call>                    a wrapper
 * {"name": "a", "arguments": {}} a call
 * </tool_call>
 * <tool_call>…                   another one: the same run
 * Done.                          text: the run has ended
 * ```
 */
export class RunReader implements BlockReader<DialectBlock> {
  readonly start: number;
  readonly waitsForLine = false;
  readonly event: { readonly dialect: string };
  /** A call without marks may turn out to be text. */
  readonly holds?: true;
  readonly #cursor = new Cursor();
  readonly #reading: Reading<RunEnd>;

  constructor(start: number, marks: RowMarks, host: CallHost, place: Place, bare?: MarklessRuns) {
    this.start = start;
    this.event = { dialect: marks.row.id };
    if (place.isBare) this.holds = true;
    this.#reading = bare
      ? bare.read(start, host, this.#cursor, marks, place)
      : readRun(new BlockDraft(marks.row, host, start, place.inReasoning), this.#cursor, marks, place);
  }

  read(source: Source, end?: EndOptions): RunEnd | undefined {
    const cursor = this.#cursor;
    cursor.source = source;
    cursor.ending = end;
    if (!end && cursor.skim && !cursor.skim()) return undefined;
    cursor.skim = undefined;
    const step = this.#reading.next();
    return step.done ? step.value : undefined;
  }
}

/** Reads runs that have no marks. */
export interface MarklessRuns {
  read(start: number, host: CallHost, cursor: Cursor, marks: RowMarks, place: Place): Reading<RunEnd>;
}

/** What a run turns out to be: a block, or text all the same. */
export type RunEnd = BlockEnd<DialectBlock> | SegmentsEnd<DialectBlock>;

/** Where a run stands. */
export interface Place {
  inReasoning: boolean;
  /** It has no marks. */
  isBare?: boolean;
  /** Whether a name is a tool's: a run without marks that has another one is none, and is not read on. */
  knows?: (name: string | undefined) => boolean;
  /** The fence around it is its wrapper. */
  isInFence?: boolean;
  /** Whether a run without marks may mean something else. */
  isDoubtful?: (written: string) => boolean;
}

/** Reads all wrappers of a run, and what may stand behind them. */
export function* readRun(
  block: BlockDraft,
  cursor: Cursor,
  marks: RowMarks,
  place: Place,
): Reading<BlockEnd<DialectBlock>> {
  const { isBare = false } = place;
  let end = cursor.offset;
  let begin = -1;
  do {
    begin = cursor.offset;
    yield* readWrapper(block, cursor, marks, place);
    end = cursor.offset;
    // A stutter of what closes it.
    while (!isBare && (cursor.tryAny(marks.closers) ?? (yield* cursor.takeAny(marks.closers)))) {
      block.slip("stray-closer", { start: end, end: cursor.offset });
      end = cursor.offset;
    }
  } while (end > begin && (yield* goesOn(cursor, marks, isBare)));
  while (cursor.tryAny(marks.stops) ?? (yield* cursor.takeAny(marks.stops))) end = cursor.offset;
  cursor.source.seek(end);
  yield* cursor.lineBreak();
  const [odd] = cursor.lookAlikes;
  if (odd) block.slip("look-alike", odd);
  if (place.isDoubtful?.(cursor.slice(block.start, end)))
    block.slip("stripped-tokens", { start: block.start, end }, { affects: "value" });
  const made = block.finish(end);
  // The closing line of a fence that is the wrapper was read with it.
  const closedFence = place.isInFence === true && cursor.slice(end - 3, end) === "```";
  return { block: made, diagnostics: block.findings, end: cursor.offset, closedFence };
}

/** Whether another wrapper or call of the same dialect follows, with nothing but white space and separators before it. */
function* goesOn(cursor: Cursor, marks: RowMarks, isBare: boolean): Reading<boolean> {
  const separator = marks.row.separator?.trim();
  for (;;) {
    const { source, ended } = cursor;
    const { text } = source;
    let at = behindSpace(text, source.at);
    if (separator && text.startsWith(separator, at)) at = behindSpace(text, at + separator.length);
    else if (separator && !ended && at < text.length && separator.startsWith(text.slice(at))) {
      yield;
      continue;
    }
    if (at >= text.length) {
      if (yield* cursor.wait()) continue;
      return false;
    }
    const begins = isBare && marks.openers.length === 0 ? 0 : beginsAt(text, at, marks, ended, true);
    if (begins === more) {
      yield;
      continue;
    }
    if (begins > 0) source.at = at;
    return begins > 0;
  }
}

/** Reads the calls of one wrapper, or a call without one. */
function* readWrapper(block: BlockDraft, cursor: Cursor, marks: RowMarks, place: Place): Reading<void> {
  const { row, close } = marks;
  const start = cursor.offset;
  const behind = marks.header && (yield* cursor.decide(marks.header.endAt));
  if (behind) cursor.source.at = behind;
  const isWrapped = place.isInFence || (cursor.tryAny(marks.open) ?? (yield* cursor.takeAny(marks.open)));
  if (place.isBare && !isMarkless(marks)) block.slip("stripped-tokens", { start, end: start });
  else if (!place.isBare && !isWrapped && marks.open.length > 0 && bodyOf(marks) === "tags")
    block.slip("unwrapped", { start, end: start });
  let count = 0;
  let inList = false;
  let isUnclosed = false;
  /** A comma stands behind the last call; undefined: nobody knows. */
  let comma: boolean | undefined;
  for (;;) {
    const end = cursor.offset;
    if (!(yield* cursor.space())) {
      const lacks = inList || (isWrapped && isWritten(close[0]));
      if (count === 0) rejectOpener(block, cursor, start);
      else if (lacks && !block.isTruncated && !isUnclosed) block.slip("unclosed", { start, end });
      return;
    }
    if ((isWrapped || count > 0) && (cursor.tryAny(close) ?? (yield* cursor.takeAny(close)))) {
      if (inList) block.slip("unclosed", { start, end });
      if (count === 0) rejectOpener(block, cursor, start, "missing-name");
      return;
    }
    const { source } = cursor;
    const unit = source.text.charAt(source.at);
    const takesList = row.list || row.engine === "json" || row.engine === "python";
    if (unit === "[" && !inList && takesList && count === 0 && !(yield* cursor.sees([marks.callOpen]))) {
      inList = true;
      // A dialect that writes none reads the strings in it otherwise than the one that does.
      if (row.engine === "python" && !row.list)
        block.slip("look-alike", { start: cursor.offset, end: cursor.offset + 1 });
      source.at += 1;
      continue;
    }
    if (unit === "]" && inList) {
      inList = false;
      if (comma && row.values !== "python") repair(block, cursor);
      source.at += 1;
      if (count === 0) rejectOpener(block, cursor, start, "missing-name");
      count = Math.max(count, 1);
      if (close.length === 0) return;
      continue;
    }
    const isNext = (unit === "," || unit === ";") && count > 0;
    const mayEnd = count > 0 && !inList && (!isWrapped || close.length === 0);
    if (mayEnd && !isNext && !(yield* cursor.sees([marks.callOpen]))) return;
    const back = cursor.offset;
    if (isNext) {
      if (comma && inList) repair(block, cursor);
      comma = true;
      source.at += 1;
      yield* cursor.space();
    }
    if (!(place.isBare && count === 0) && (yield* callHere(cursor, marks)) === 0) {
      if (mayEnd) {
        cursor.source.seek(back);
        return;
      }
      if (isNext) continue;
      if (count > 0) {
        if (!isUnclosed && (inList || isWritten(close[0]))) block.slip("unclosed", { start, end });
        return;
      }
      rejectOpener(block, cursor, start, "invalid-json");
      yield* skipTo(block, cursor, marks);
      return;
    }
    if (inList && comma === false) repair(block, cursor);
    comma = false;
    count += 1;
    const call = yield* readCall(block, cursor, marks, place.isBare);
    const { failure } = call;
    isUnclosed = call.isUnclosed;
    if (failure === "invalid") {
      block.failedAt ??= cursor.offset;
      yield* marks.body.skip?.(cursor, place.isBare === true) ?? skipCall(call, cursor, marks, place.isBare);
      // What was skipped may hold the list's end.
      comma = undefined;
      inList &&= !/\]\s*$/.test(cursor.slice(Math.max(call.start, cursor.offset - 64), cursor.offset));
    }
    call.end(cursor.offset, cursor);
    for (const take of call.others) {
      const other = block.begin(call.start);
      take(other, { start: call.start, end: cursor.offset });
      other.end(cursor.offset, cursor);
    }
    if (failure === "truncated") {
      block.isTruncated = true;
      return;
    }
    if (place.knows?.(call.name) === false) return;
    if (!isWrapped && !inList && marks.callOpen) {
      // Its opener was lost.
      yield* cursor.takeAny(close);
      return;
    }
  }
}

/** Whether a call can begin here: 0, or a higher number. */
function* callHere(cursor: Cursor, marks: RowMarks): Reading<number> {
  for (;;) {
    const { source, ended } = cursor;
    const found = callAt(source.text, source.at, marks, ended);
    if (found !== more) return found;
    yield;
  }
}

const repair = (block: BlockDraft, { offset }: Cursor): void =>
  block.slip("json-repaired", { start: offset, end: offset });

/** Whether what closes a wrapper is always written. */
const isWritten = (mark: Mark | undefined): boolean => mark !== undefined && !mark.unwritten;

/** Adds a call of which there is nothing but its opener. */
function rejectOpener(block: BlockDraft, cursor: Cursor, start: number, code?: "missing-name" | "invalid-json"): void {
  const call = block.begin(start);
  call.fail(code ?? "truncated", { start, end: cursor.offset });
  call.end(cursor.offset, cursor);
  block.isTruncated ||= code === undefined;
}

function* skipTo(block: BlockDraft, cursor: Cursor, marks: RowMarks): Reading<void> {
  const call = block.begin(cursor.offset);
  call.failure = "invalid";
  yield* skipCall(call, cursor, marks);
}
