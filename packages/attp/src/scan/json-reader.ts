import type { EndOptions } from "@toolglot/core";
import { type BlockEnd, type BlockReader, closesFence, type Fence, isCutOff, type Source } from "@toolglot/core/text";
import type { AttpDocument } from "../types.ts";
import type { ReadDocument } from "./entry.ts";

/** A JSON object in the text, as its reader found it. */
export interface JsonScan {
  start: number;
  end: number;
  text: string;
  fence: Fence | undefined;
  closedFence: boolean;
  truncated: boolean;
}

/** Reads a document written as JSON: follows braces and strings to its end, and takes a closing fence after it. */
export class JsonReader implements BlockReader<AttpDocument> {
  readonly start: number;
  waitsForLine = false;
  readonly #fence: Fence | undefined;
  readonly #finish: (scan: JsonScan) => ReadDocument;
  #depth = 0;
  #inString = false;
  /** Offset after the object; -1 while it is open. */
  #end = -1;

  constructor(start: number, fence: Fence | undefined, finish: (scan: JsonScan) => ReadDocument) {
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

  /** The rest of the line, blank lines, and the closing fence if there is one. */
  #after(source: Source, end: EndOptions | undefined): BlockEnd<AttpDocument> | undefined {
    for (;;) {
      const lineBreak = source.text.indexOf("\n", source.at);
      if (lineBreak < 0 && !end) {
        this.waitsForLine = true;
        return undefined;
      }
      const line = source.text.slice(source.at, lineBreak < 0 ? source.text.length : lineBreak);
      const next = source.base + (lineBreak < 0 ? source.text.length : lineBreak + 1);
      if (this.#fence && closesFence(line, this.#fence)) return this.#done(source, next, true, false);
      if (line.trim() !== "" || !this.#fence || lineBreak < 0) {
        const stopped =
          lineBreak < 0 && end?.stopSequence?.trim().startsWith(this.#fence?.mark.repeat(3) ?? "\0") === true;
        const blank = line.trim() === "";
        return this.#done(
          source,
          blank ? next : source.offset,
          stopped,
          blank && this.#fence !== undefined && isCutOff(end) && !stopped,
        );
      }
      source.seek(next);
    }
  }

  #done(source: Source, segmentEnd: number, closedFence: boolean, truncated: boolean): BlockEnd<AttpDocument> {
    const end = this.#end < 0 ? source.length : this.#end;
    const text = source.slice(this.start, end);
    const { block, diagnostics } = this.#finish({
      start: this.start,
      end,
      text,
      fence: this.#fence,
      closedFence,
      truncated,
    });
    return { block, diagnostics, end: segmentEnd, closedFence: closedFence && this.#fence !== undefined };
  }
}
