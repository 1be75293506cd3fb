import { decodeAll } from "./codecs.ts";
import type { TextForm } from "./encodings.ts";

/** A place between two characters: in the bytes, and in the text, by its UTF-16 units. */
export interface BytePlace {
  byte: number;
  unit: number;
}

/** Characters that are looked at together. */
interface Block {
  start: BytePlace;
  end: BytePlace;
  /** The places between its characters, both ends included; made when they are asked for. */
  places: BytePlace[] | undefined;
  /** Each of its characters is one unit. */
  isPlain: boolean;
}

/** Bytes of a block. */
const blockBytes = 4096;

/** Where units of a text lie in its bytes. */
export class BytePlaces {
  readonly #bytes: Buffer;
  readonly #form: TextForm;
  #block: Block;

  constructor(bytes: Buffer, form: TextForm) {
    this.#bytes = bytes;
    this.#form = form;
    this.#block = this.#blockFrom({ byte: form.mark, unit: 0 });
  }

  /**
   * Returns the place of a unit; units are asked for in rising order. One within a character has the place before it, or the one after it.
   */
  at(unit: number, side: "before" | "after"): BytePlace {
    const { width } = this.#form.encoding;
    if (typeof width === "number") return { byte: this.#form.mark + unit * width, unit };
    while (unit >= this.#block.end.unit && this.#block.end.byte < this.#bytes.length) {
      this.#block = this.#blockFrom(this.#block.end);
    }
    const block = this.#block;
    block.places ??= this.#placesOf(block);
    const { places, start, isPlain } = block;
    const index = isPlain ? unit - start.unit : places.findLastIndex((place) => place.unit <= unit);
    const place = places[index] as BytePlace;
    return side === "before" || place.unit === unit ? place : (places[index + 1] ?? place);
  }

  #length(at: number): number {
    const { width } = this.#form.encoding;
    return typeof width === "function" ? Math.min(width(this.#bytes, at), this.#bytes.length - at) : 1;
  }

  #units(from: number, to: number): number {
    return decodeAll(this.#bytes.subarray(from, to), this.#form.encoding)?.length ?? 1;
  }

  #blockFrom(start: BytePlace): Block {
    let byte = start.byte;
    let count = 0;
    const most = Math.min(this.#bytes.length, byte + blockBytes);
    for (; byte < most; count++) byte += this.#length(byte);
    const units = byte === start.byte ? 0 : this.#units(start.byte, byte);
    return { start, end: { byte, unit: start.unit + units }, places: undefined, isPlain: units === count };
  }

  #placesOf({ start, end, isPlain }: Block): BytePlace[] {
    const places: BytePlace[] = [];
    let { byte, unit } = start;
    while (byte < end.byte) {
      places.push({ byte, unit });
      const length = this.#length(byte);
      unit += isPlain ? 1 : this.#units(byte, byte + length);
      byte += length;
    }
    return [...places, end];
  }
}
