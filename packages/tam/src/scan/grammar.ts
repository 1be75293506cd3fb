import type { Segment, Span } from "@toolglot/core";
import {
  asKey,
  asTag,
  type BlockGrammar,
  type BlockReader,
  type LineProbe,
  type ProbeAnswer,
  type Trace,
} from "@toolglot/core/text";
import { isLineSpace } from "@toolglot/internal";
import type { TamBlock } from "../types.ts";
import { TamReader } from "./block-reader.ts";
import { markerAt, markerPattern } from "./marks.ts";
import type { ReaderHost, Shared } from "./scan.ts";

const begins = new RegExp(`^\\s*${markerPattern("request")}\\s*$`, "i");

const request = "request[_ -]?tools?|tool[_ -]?request";
const end = "end[_ -]?tools?(?:[_ -]?request)?";
const marker = (names: string): RegExp =>
  new RegExp(`^[^\\p{L}\\n]{0,20}[[【({<|［]\\s{0,4}(${names})\\s{0,4}[\\])}>|】］]`, "giu");
const opens = "\\s{0,4}(?:[»》>]{2}|[「『《«“])";
const traces: readonly Trace[] = [
  [marker(request), 6],
  [asTag(request), 6],
  [marker(end), 3],
  [asTag(end), 3],
  [asKey("(?:[\\w-]{1,20}_)?command(?:_?\\d{1,3})?", opens), 4],
  [asKey("[\\p{L}_]{1,40}(?:_?\\d{1,3})?", opens), 2],
  [/^[^\p{L}\p{N}\n«]{0,6}(«««)\s*$/gu, 6],
];

/** Where TAM blocks begin: at a start marker on a line of its own. */
export class TamGrammar implements BlockGrammar<TamBlock> {
  readonly protocol = "tam";
  readonly begins: RegExp = begins;
  readonly traces: readonly Trace[] = traces;
  readonly marks: RegExp = /»»|««|REQUEST/;
  readonly #shared: Shared = { flat: new Set(), inner: false };
  readonly #makeHost: () => ReaderHost;

  constructor(makeHost: () => ReaderHost) {
    this.#makeHost = makeHost;
  }

  lastCall({ steps }: TamBlock): number | undefined {
    return steps.length > 0 ? Math.max(...steps.map(({ span }) => span.start)) : undefined;
  }

  line({ text, at, offset, fence }: LineProbe, ended: boolean): ProbeAnswer<TamBlock> {
    let first = at;
    while (isLineSpace(text.charCodeAt(first))) first += 1;
    if (text.charCodeAt(first) !== 60) return "no";
    const marker = markerAt(text, first, ended);
    if (marker === "more") return "more";
    if (!marker?.isStart) return "no";
    const base = offset - at;
    const head = { ...marker, end: base + marker.end, next: base + marker.next };
    const reader: BlockReader<TamBlock> = new TamReader(base + first, head, fence, this.#shared, this.#makeHost());
    return reader;
  }
}

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
