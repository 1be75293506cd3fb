import type { Source } from "@toolglot/core/text";

/**
 * A value as a parameter has it: without outer white space, with `\n` line ends, and each further line less at most the
 * indentation of the field's own line.
 */
export function readValue(raw: string, indent: number): string {
  return unindent(raw.trim(), indent);
}

function unindent(text: string, indent: number): string {
  if (text.includes("\r")) text = text.replaceAll("\r\n", "\n");
  return indent > 0 && text.includes("\n") ? text.replace(new RegExp(`\n[ \t]{1,${indent}}`, "g"), "\n") : text;
}

/** Whether lines of a value lose different amounts of white space, so that they are indented otherwise than written. */
export function isUneven(raw: string, indent: number): boolean {
  const gaps = indent > 0 ? raw.match(/\n[ \t]*(?=\S)/g) : undefined;
  return new Set(gaps?.map(({ length }) => Math.min(length - 1, indent))).size > 1;
}

/** Gives out a value while it comes in: all of it, joined, is what {@link readValue} makes of the whole. */
export class ValueStream {
  readonly #indent: number;
  readonly #emit: (text: string) => void;
  /** What stands before is given out, or leading white space. */
  #taken: number;
  /** From `#taken` to here it is white space, which waits for what follows. */
  #looked: number;
  #begun = false;

  constructor(start: number, indent: number, emit: (text: string) => void) {
    this.#taken = this.#looked = start;
    this.#indent = indent;
    this.#emit = emit;
  }

  /** Gives out the text up to an offset. */
  pass(source: Source, end: number): void {
    if (end <= this.#looked) return;
    const fresh = source.slice(this.#looked, end).trimEnd();
    const length = fresh.length;
    if (length > 0) {
      const last = this.#looked + length;
      const text = !this.#begun
        ? fresh.trimStart()
        : this.#taken === this.#looked
          ? fresh
          : source.slice(this.#taken, last);
      this.#begun = true;
      this.#taken = last;
      this.#emit(unindent(text, this.#indent));
    }
    this.#looked = end;
  }
}
