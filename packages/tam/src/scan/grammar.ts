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
