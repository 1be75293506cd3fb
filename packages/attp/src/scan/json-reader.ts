import type { EndOptions } from "@toolglot/core";
import { type BlockEnd, type BlockReader, closesFence, type Fence, isCutOff, type Source } from "@toolglot/core/text";
import { lineEnd } from "@toolglot/internal";
import type { AttpDocument } from "../types.ts";
import type { ReadDocument, Scan } from "./entry.ts";

/** Reads a document written as JSON: follows braces and strings to its end, and takes a closing fence after it. */
export class JsonReader implements BlockReader<AttpDocument> {
  readonly start: number;
  waitsForLine = false;
  readonly #fence: Fence | undefined;
  readonly #finish: (scan: Scan) => ReadDocument;
  #depth = 0;
  #inString = false;
  /** Offset after the object; -1 while it is open. */
  #end = -1;

  constructor(start: number, fence: Fence | undefined, finish: (scan: Scan) => ReadDocument) {
    this.start = start;
    this.#fence = fence;
    this.#finish = finish;
  }

  read(source: Source, end?: EndOptions): BlockEnd<AttpDocument> | undefined {
    if (this.#end < 0 && !this.#object(source)) return end ? this.#done(source, source.length, false, true) : undefined;
    return this.#after(source, end);
  }

  #object(source: Source): boolean {
    const { text } = source;
    const token = /["\\{}[\]]/g;
    token.lastIndex = source.at;
    for (let match = token.exec(text); match; match = token.exec(text)) {
      const [mark] = match;
      if (mark === "\\") {
        if (match.index + 1 === text.length) {
          source.at = match.index;
          return false;
        }
        token.lastIndex = match.index + 2;
      } else if (mark === '"') this.#inString = !this.#inString;
      else if (!this.#inString) this.#depth += mark === "{" || mark === "[" ? 1 : -1;
      if (this.#depth === 0 && !this.#inString) {
        source.at = token.lastIndex;
        this.#end = source.offset;
        return true;
      }
    }
    source.at = text.length;
    return false;
  }

  /** Reads the rest of the line, blank lines, and the closing fence if there is one. */
  #after(source: Source, end: EndOptions | undefined): BlockEnd<AttpDocument> | undefined {
    for (;;) {
      const { text } = source;
      const to = lineEnd(text, source.at);
      const isLast = to === text.length;
      if (isLast && !end) {
        this.waitsForLine = true;
        return undefined;
      }
      const line = text.slice(source.at, to);
      const next = source.base + Math.min(to + 1, text.length);
      const fence = this.#fence;
      if (fence && closesFence(line, fence)) return this.#done(source, next, true, false);
      const isBlank = line.trim() === "";
      if (!isBlank || !fence || isLast) {
        const stopped =
          isLast && fence !== undefined && end?.stopSequence?.trim().startsWith(fence.mark.repeat(3)) === true;
        const truncated = isBlank && fence !== undefined && isCutOff(end) && !stopped;
        return this.#done(source, isBlank ? next : source.offset, stopped, truncated);
      }
      source.seek(next);
    }
  }

  #done(source: Source, segmentEnd: number, closedFence: boolean, truncated: boolean): BlockEnd<AttpDocument> {
    const { block, diagnostics } = this.#finish({
      source,
      start: this.start,
      end: this.#end < 0 ? source.length : this.#end,
      entries: [],
      headers: [],
      notes: [],
      fence: this.#fence,
      closedFence,
      indent: 0,
      truncated,
      doubt: undefined,
    });
    return { block, diagnostics, end: segmentEnd, closedFence: closedFence && this.#fence !== undefined };
  }
}
