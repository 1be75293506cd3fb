import type { BlockGrammar, BlockReader, LineProbe, ProbeAnswer } from "@toolglot/core/text";
import { isBlank } from "@toolglot/internal";
import type { TamBlock } from "../types.ts";
import { TamReader } from "./block-reader.ts";
import { markerAt, markerPattern } from "./marks.ts";
import type { ReaderHost, Shared } from "./scan.ts";

const begins = new RegExp(`^\\s*${markerPattern("request")}\\s*$`, "i");

/** Where TAM blocks begin: at a start marker on a line of its own. */
export class TamGrammar implements BlockGrammar<TamBlock> {
  readonly protocol = "tam";
  readonly begins: RegExp = begins;
  readonly #shared: Shared = { flat: new Set(), inner: false };
  readonly #makeHost: () => ReaderHost;

  constructor(makeHost: () => ReaderHost) {
    this.#makeHost = makeHost;
  }

  line({ text, at, offset, fence }: LineProbe, ended: boolean): ProbeAnswer<TamBlock> {
    let first = at;
    while (isBlank(text.charCodeAt(first))) first += 1;
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
