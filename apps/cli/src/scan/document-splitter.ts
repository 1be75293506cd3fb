import { joinBytes } from "@toolglot/internal";
import { isJsonSpace, ValueEnd } from "./json-value.ts";

/** Receiver of a document's parts. */
export interface PartTaker {
  /** A part, and the steps to it: an element of a list, or a member of the document itself. */
  part(steps: readonly (string | number)[], bytes: Uint8Array): void;
  /** A part with more bytes than are taken. */
  tooLong(steps: readonly (string | number)[]): void;
  /** A document is over. */
  end?(): void;
}

/** Where the splitter is. */
type State = "start" | "value" | "key" | "colon" | "next" | "in-key" | "in-value" | "broken";

const colon = 0x3a;
const comma = 0x2c;
const quote = 0x22;

/**
 * Splits one JSON document, or several behind one another, into the elements of its lists, wherever its chunks are cut: of a list its elements,
 * of an object its members, of which lists with a given name are split once more. It keeps no more than one part.
 */
export class DocumentSplitter {
  readonly #maxBytes: number;
  readonly #lists: ReadonlySet<string>;
  readonly #take: PartTaker;
  readonly #end = new ValueEnd();
  #state: State = "start";
  /** The containers that are open: what closes each, and where in it we are. */
  readonly #open: { closer: number; step: string | number }[] = [];
  #pieces: Uint8Array[] = [];
  #size = 0;

  /** @param lists Names of the members that are split. */
  constructor(maxBytes: number, lists: ReadonlySet<string>, take: PartTaker) {
    this.#maxBytes = maxBytes;
    this.#lists = lists;
    this.#take = take;
  }

  /** Whether nothing is open: the document is whole. */
  get isWhole(): boolean {
    return this.#state === "start";
  }

  /** Takes a chunk. False when it can't be JSON: nothing is taken from then on. */
  push(chunk: Buffer): boolean {
    let at = 0;
    while (at < chunk.length && this.#state !== "broken") {
      if (this.#state === "in-key" || this.#state === "in-value") at = this.#inside(chunk, at);
      else {
        const byte = chunk[at] as number;
        if (isJsonSpace(byte)) at += 1;
        else at = this.#between(at, byte);
      }
    }
    return this.#state !== "broken";
  }

  /** Goes on in a key or a value. */
  #inside(chunk: Buffer, at: number): number {
    const end = this.#end.find(chunk, at);
    this.#keep(chunk.subarray(at, end === -1 ? chunk.length : end));
    if (end === -1) return chunk.length;
    const bytes = this.#pieces.length === 1 ? (this.#pieces[0] as Uint8Array) : joinBytes(this.#pieces);
    const isTooLong = this.#size > this.#maxBytes;
    this.#pieces = [];
    this.#size = 0;
    const top = this.#open.at(-1) as { step: string | number };
    if (this.#state === "in-key") {
      top.step = keyOf(bytes);
      this.#state = "colon";
      return end;
    }
    this.#state = "next";
    const steps = this.#open.map(({ step }) => step);
    if (isTooLong) this.#take.tooLong(steps);
    else this.#take.part(steps, bytes);
    return end;
  }

  #between(at: number, byte: number): number {
    const top = this.#open.at(-1);
    if (top && byte === top.closer && this.#state !== "colon") {
      this.#open.pop();
      this.#state = this.#open.length === 0 ? "start" : "next";
      if (this.#state === "start") this.#take.end?.();
      return at + 1;
    }
    switch (this.#state) {
      case "start":
        if (byte !== 0x7b && byte !== 0x5b) return this.#break(at);
        return this.#enter(at, byte);
      case "key":
        if (byte !== quote) return this.#break(at);
        this.#end.begin(byte);
        this.#state = "in-key";
        return at;
      case "colon":
        if (byte !== colon) return this.#break(at);
        this.#state = "value";
        return at + 1;
      case "next":
        if (byte !== comma || !top) return this.#break(at);
        if (typeof top.step === "number") top.step += 1;
        this.#state = typeof top.step === "number" ? "value" : "key";
        return at + 1;
      default: {
        const isList = byte === 0x5b && this.#open.length === 1 && this.#lists.has(String(top?.step));
        if (isList) return this.#enter(at, byte);
        if (byte === comma || byte === colon || byte === 0x7d || byte === 0x5d) return this.#break(at);
        this.#end.begin(byte);
        this.#state = "in-value";
        return at;
      }
    }
  }

  #enter(at: number, byte: number): number {
    const isObject = byte === 0x7b;
    this.#open.push({ closer: isObject ? 0x7d : 0x5d, step: isObject ? "" : 0 });
    this.#state = isObject ? "key" : "value";
    return at + 1;
  }

  #break(at: number): number {
    this.#state = "broken";
    return at;
  }

  #keep(piece: Uint8Array): void {
    this.#size += piece.length;
    if (this.#size > this.#maxBytes) this.#pieces = [];
    else this.#pieces.push(piece);
  }
}

function keyOf(bytes: Uint8Array): string {
  try {
    return String(JSON.parse(Buffer.from(bytes).toString()));
  } catch {
    return "";
  }
}
