import type { Segment, Span } from "@toolglot/core";
import type { TamBlock } from "../types.ts";

/** What is left of calls outside of all blocks. */
export interface LostCalls {
  /** Calls that no block was made of. `certain` is false for a start marker that may be part of a sentence. */
  lost: (Span & { certain: boolean })[];
  /** Stretches whose blocks may be text of a value: an end marker behind them is one too many. */
  doubts: Span[];
}

const gap = "[ \\t]{0,9}";
const marker = (name: string): string => `<${gap}\\|${gap}\\[${gap}${name}_tool${gap}\\]${gap}\\|${gap}>`;
const opener = "[:：=][ \\t]{0,9}[»》>]{2}";
/** A start marker with text behind it; the field of a command; an end marker, alone or after a closer. */
const trace = new RegExp(
  `^([^\`\\n]{0,200}?)${marker("request")}[ \\t]*([^\\s][^\\n]*)` +
    `|^[ \\t*-]{0,9}command[ _-]?\\d{0,9}[ *]{0,9}${opener}[^\\n]*` +
    `|(?:^|[«《<]{2})[ \\t]{0,9}(${marker("end")})(?=[ \\t\\r]*(?:\\n|$))`,
  "gim",
);
/** What a field begins with, or a line ends with that a value ends with. */
const edge = new RegExp(`(${opener})|[«《<]{2}[ \\t\\r]*$`, "im");

/** Looks for calls whose start markers are missing, misspelt, or not alone on their lines. */
export function findLostCalls(segments: readonly Segment<TamBlock>[]): LostCalls {
  const found: LostCalls = { lost: [], doubts: [] };
  let unclosed: number | undefined;
  let block: TamBlock | undefined;
  for (const segment of segments) {
    if (segment.type === "block") {
      block = segment.block;
      if (block.warnings.includes("unclosed_block")) unclosed ??= block.span.start;
    }
    if (segment.type !== "text") continue;
    const { text, span } = segment;
    let open: LostCalls["lost"][number] | undefined;
    for (const { 0: all, 1: before, 2: behind, 3: isEnd, index } of text.matchAll(trace)) {
      const start = span.start + index;
      const end = start + all.length;
      if (isEnd === undefined) {
        const certain = behind === undefined || edge.test(behind);
        if (!certain && before?.trim() !== "") continue;
        if (!open) {
          open = { start, end, certain };
          found.lost.push(open);
        }
        open.certain ||= certain;
        open.end = end;
        continue;
      }
      const rest = block && !open ? text.slice(0, index) : "x:»»";
      // Right after a block it is that block's end marker, written twice.
      if (rest.trim() === "" && unclosed === undefined) continue;
      if (open) Object.assign(open, { end, certain: true });
      else found.lost.push({ start, end, certain: true });
      // Without a field of its own, it ends what the text before was cut from.
      const from = unclosed ?? (edge.exec(rest)?.[1] === undefined ? block?.span.start : undefined);
      if (from !== undefined) found.doubts.push({ start: from, end });
      open = block = unclosed = undefined;
    }
    block = undefined;
  }
  return found;
}
