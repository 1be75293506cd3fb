import { type Diagnostic, isRunnable, type ParseResult, type Segment } from "@toolglot/core";
import { diagnostic } from "./diagnostics.ts";
import { behindSpace, type Mark, markAt } from "./scan/marks.ts";
import { bodyOf, type RowMarks } from "./scan/row-marks.ts";
import type { DialectBlock, DialectParseOptions } from "./types.ts";

type TextSegment = Segment<DialectBlock> & { type: "text" | "reasoning" };

/** Judges what only the whole message shows: some findings change a block that has ended. */
export function* lateFindings(
  result: ParseResult<DialectBlock>,
  marksOf: (id: string) => RowMarks | undefined,
  callsInReasoning: DialectParseOptions["callsInReasoning"],
  allows: (code: string) => boolean,
): Generator<Diagnostic> {
  const { segments, blocks, diagnostics } = result;
  if (callsInReasoning !== undefined && callsInReasoning !== "mark")
    takeFromReasoning(result, callsInReasoning === "accept");
  for (const block of blocks)
    if (block.inReasoning) yield diagnostic("call-in-reasoning", block.span.start, block.span.end);
  const torn = diagnostics
    .filter(({ code }) => isTorn.has(code))
    .sort((one, other) => one.span.start - other.span.start);
  let seen = 0;
  for (const [at, segment] of segments.entries()) {
    if (segment.type !== "block") continue;
    while ((torn[seen]?.span.start ?? Infinity) < segment.span.start) seen += 1;
    const marks = marksOf(segment.block.dialect);
    const next = segments[at + 1];
    const before = segments[at - 1];
    if (before?.type === "text" && escapedMark.test(before.text.slice(-100)))
      yield diagnostic("look-alike", segment.span.start, segment.span.end, {
        affects: "value",
        message: "The mark before these calls is escaped, and so may be their values.",
      });
    if (marks && next?.type === "text")
      yield* strayClosers(
        segment.block,
        marks,
        next as TextSegment,
        allows("dialects/stray-closer"),
        (torn[seen]?.span.start ?? Infinity) < segment.span.end,
      );
  }
  const last = segments.findLastIndex((one) => one.type === "block" && isRunnable(one.block));
  const block = segments[last];
  if (block?.type !== "block" || marksOf(block.block.dialect)?.row.suffix !== "none") return;
  const behind = segments
    .slice(last + 1)
    .find((one): one is TextSegment => one.type === "text" && one.text.trim() !== "");
  if (behind && !diagnostics.some(({ code }) => code === "dialects/foreign-call"))
    yield diagnostic("text-after-call", behind.span.start, behind.span.end);
}

/** Lets calls in reasoning run: those behind an opener that nothing closes, or all. The first one ends an open reasoning. */
function takeFromReasoning({ segments, blocks, diagnostics }: ParseResult<DialectBlock>, all: boolean): void {
  const unclosed = diagnostics.find(({ code }) => code === "core/reasoning-unclosed")?.span.start ?? Infinity;
  for (const block of blocks) if (all || block.span.start > unclosed) delete block.inReasoning;
  const first = blocks.find(({ span }) => span.start > unclosed);
  if (!first) return;
  for (const segment of segments)
    if (segment.type === "reasoning" && segment.span.start >= first.span.end) (segment as TextSegment).type = "text";
}

/** A mark in which something escaped the signs of HTML. */
const escapedMark = /&lt;[^\s&;]{1,60}&gt;\s*$/;

/** What a block has whose calls may have ended too early. */
const isTorn: ReadonlySet<string> = new Set(["dialects/unclosed", "dialects/json-repaired", "dialects/invalid-json"]);

/** What goes on with a body of JSON or Python that has ended: one of its closing marks was one too many. */
const goesOn = /^[ \t]*,?\s{0,9}["']?[\w-]{1,100}(?:["']\s{0,9}:|\s{0,9}=[^=])/;

/** Looks behind a block for what closes its arguments and calls: it may have ended too early. */
function* strayClosers(
  block: DialectBlock,
  marks: RowMarks,
  { text, span }: TextSegment,
  isAllowed: boolean,
  mayBeTorn: boolean,
): Generator<Diagnostic> {
  const isTagged = bodyOf(marks) === "tags";
  // Elsewhere a string with a quote in it may have ended a call too early.
  if (isTagged || mayBeTorn) {
    const found = findCloser(block, marks, { text, span }, isAllowed);
    if (found) {
      yield found;
      return;
    }
  }
  const length = isTagged || span.start > block.span.end ? undefined : goesOn.exec(text)?.[0].length;
  if (length === undefined) return;
  block.status = "invalid";
  yield diagnostic("doubtful-close", block.span.start, span.start + length);
}

/** Returns the finding of the first closing mark in a text that nothing in it opens. */
function findCloser(
  block: DialectBlock,
  marks: RowMarks,
  { text, span }: Pick<TextSegment, "text" | "span">,
  isAllowed: boolean,
): Diagnostic | undefined {
  const isTagged = bodyOf(marks) === "tags";
  const opener = isTagged ? [marks.argOpen] : marks.openers;
  const closers = [marks.argClose, ...marks.closers].filter((mark): mark is Mark => mark !== undefined);
  const head = closers[0]?.texts[0]?.charAt(0);
  let opened = 0;
  for (let at = head ? text.indexOf(head) : -1; at >= 0; at = text.indexOf(head as string, at + 1)) {
    const closer = closers.find((mark) => markAt(text, at, mark, true) > 0);
    if (!closer && opener.some((mark) => mark && markAt(text, at, mark, true) > 0)) opened += 1;
    if (!closer) continue;
    if ((closer === marks.argClose || !isTagged) && opened > 0) {
      opened -= 1;
      continue;
    }
    const start = span.start + at;
    let end = markAt(text, at, closer, true);
    // A mention in code.
    if (text.charAt(at - 1) === "`" && text.charAt(end) === "`") continue;
    for (let next: Mark | undefined = closer; next; ) {
      const from = behindSpace(text, end);
      next = closers.find((mark) => markAt(text, from, mark, true) > 0);
      if (next) end = markAt(text, from, next, true);
    }
    const isDoubtful = closer === marks.argClose || !isTagged;
    if (isDoubtful || !isAllowed) block.status = "invalid";
    const found = isDoubtful
      ? diagnostic("doubtful-close", block.span.start, span.start + end)
      : diagnostic("stray-closer", start, span.start + end);
    if (!isAllowed) found.severity = "error";
    return found;
  }
  return undefined;
}
