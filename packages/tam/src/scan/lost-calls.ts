import type { Segment, Span } from "@toolglot/core";
import type { TamBlock } from "../types.ts";
import { markerPattern } from "./marks.ts";

const opener = "[:：=][ \\t]{0,9}[»》>]{2}";
/** A start marker with text behind it; the field of a command; an end marker, alone or after a closer. */
const trace = new RegExp(
  `^[ \\t]*(?:${markerPattern("request")}[ \\t]*[^\\s]` +
    `|[ \\t*-]{0,9}command[ _-]?\\d{0,9}[ *]{0,9}${opener})[^\\n]*` +
    `|(?:^|[«《<]{2})[ \\t]*(${markerPattern("end")})(?=[ \\t\\r]*(?:\\n|$))`,
  "gim",
);
/** What a field begins with, or a line ends with that a value ends with. */
const edge = new RegExp(`(${opener})|[«《<]{2}[ \\t\\r]*$`, "im");

/**
 * Reports calls that no block was made of, since their start markers are missing, misspelt or not alone on their lines;
 * and of blocks that may be text of a value, since an end marker behind them is one too many.
 */
export function findLostCalls(
  segments: readonly Segment<TamBlock>[],
  report: (span: Span, inDoubt?: readonly TamBlock[]) => void,
): void {
  /** The block before, or all since the first one that has no end marker. */
  let blocks: TamBlock[] = [];
  let unclosed = false;
  for (const segment of segments) {
    if (segment.type === "block") {
      if (!unclosed) blocks = [];
      blocks.push(segment.block);
      unclosed ||= segment.block.warnings.includes("unclosed_block");
    }
    // Most text has none of what every trace holds.
    if (segment.type !== "text" || !/[|»》>]/.test(segment.text)) continue;
    const { text, span } = segment;
    let lost: Span | undefined;
    for (const { 0: found, 1: marker, index } of text.matchAll(trace)) {
      const start = span.start + index;
      const end = start + found.length;
      const [first] = blocks;
      const before = !first || lost ? undefined : text.slice(0, index);
      // Right after a block it is that block's end marker, written twice.
      if (marker && !unclosed && before?.trim() === "") continue;
      lost ??= { start, end };
      lost.end = end;
      if (!marker) continue;
      report(lost);
      // Without a field of its own, it ends what the text before was cut from.
      if (first && (unclosed || (before && !edge.exec(before)?.[1]))) report({ start: first.span.start, end }, blocks);
      blocks = [];
      unclosed = false;
      lost = undefined;
    }
    if (lost) report(lost);
    if (!unclosed) blocks = [];
  }
}
