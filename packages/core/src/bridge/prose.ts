import type { BridgeEvent } from "./types.ts";

/** Emits text and reasoning: without the white space that stands next to blocks, and never empty. */
export class Prose {
  readonly #emit: (event: BridgeEvent) => void;
  /** White space at the end of the text, which may stand before a block. */
  #space = "";
  /** Text of the present stretch, which ends at blocks and reasoning, was given out. */
  #begun = false;
  #afterBlock = false;
  /** The last thing that was given out is text. */
  #open = false;

  constructor(emit: (event: BridgeEvent) => void) {
    this.#emit = emit;
  }

  add(type: "text" | "reasoning", text: string): void {
    if (type === "reasoning") {
      this.#rest();
      this.#afterBlock = false;
      this.#give(type, text);
      return;
    }
    const solid = text.trimEnd();
    if (solid === "") {
      this.#space += text;
      return;
    }
    let given = this.#space + solid;
    this.#space = text.slice(solid.length);
    // What stood between two texts was a block, and is a paragraph's end.
    if (!this.#begun && this.#afterBlock) given = (this.#open ? "\n\n" : "") + given.trimStart();
    this.#begun = true;
    this.#give(type, given);
  }

  /** Notes that a block stands here. */
  block(): void {
    this.#space = "";
    this.#begun = false;
    this.#afterBlock = true;
  }

  /** Something else than text is given out. */
  interrupt(): void {
    this.#open = false;
  }

  /** Ends the answer. */
  end(): void {
    this.#rest();
  }

  #rest(): void {
    if (this.#begun && this.#space !== "") this.#give("text", this.#space);
    this.#space = "";
    this.#begun = false;
  }

  #give(type: "text" | "reasoning", text: string): void {
    if (text === "") return;
    this.#open = type === "text";
    this.#emit({ type, text });
  }
}
