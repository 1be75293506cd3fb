import { parseJson } from "@toolglot/internal";

/** A piece of a call's arguments: of a text as it is, of any other value all of it, as JSON. */
export type OnArgument = (param: string, text: string) => void;

type Place = "before" | "between" | "key" | "colon" | "value" | "text" | "other" | "over";

/** The escapes that are longer than two characters. */
const escapeLength = (begun: string): number => (begun[1] === "u" ? 6 : 2);

/**
 * Reads the JSON text of a call's arguments while it comes, in pieces of any size, and emits each argument's value as text protocols do. Anything but
 * a JSON object ends it: the whole decides what runs, elsewhere.
 */
export class ArgumentStream {
  readonly #onArgument: OnArgument;
  #place: Place = "before";
  /** The name of the argument, or what has come of it, as JSON. */
  #param = "";
  /** Received parts of a value that is no text, or of an escape. */
  #raw: string[] = [];
  #escape = "";
  #depth = 0;
  #inText = false;
  /** Of the text under way: what this chunk has of it. */
  #piece = "";

  constructor(onArgument: OnArgument) {
    this.#onArgument = onArgument;
  }

  feed(chunk: string): void {
    for (let at = 0; at < chunk.length && this.#place !== "over"; ) at = this.#step(chunk, at);
    this.#emit(/[\ud800-\udbff]$/.test(this.#piece) ? this.#piece.length - 1 : this.#piece.length);
  }

  #step(chunk: string, at: number): number {
    const char = chunk[at] as string;
    if (this.#place === "text" || this.#place === "key") return this.#string(chunk, at);
    if (this.#place === "other") return this.#other(chunk, at);
    if (/\s/.test(char) || (char === "," && this.#place === "between")) return at + 1;
    if (this.#place === "value" && char !== '"') {
      this.#place = "other";
      return at;
    }
    const next: Partial<Record<Place, Record<string, Place>>> = {
      before: { "{": "between" },
      between: { '"': "key" },
      colon: { ":": "value" },
      value: { '"': "text" },
    };
    this.#place = next[this.#place]?.[char] ?? "over";
    if (this.#place === "key") this.#param = "";
    return at + 1;
  }

  /** Reads a name, or a value that is a text. */
  #string(chunk: string, at: number): number {
    if (this.#escape !== "" || chunk[at] === "\\") {
      this.#escape += chunk[at];
      if (this.#escape.length < 2 || this.#escape.length < escapeLength(this.#escape)) return at + 1;
      const read = parseJson(`"${this.#escape}"`);
      this.#escape = "";
      if (typeof read === "string") this.#add(read);
      else this.#place = "over";
      return at + 1;
    }
    if (chunk[at] === '"') {
      this.#emit(this.#piece.length);
      this.#place = this.#place === "key" ? "colon" : "between";
      return at + 1;
    }
    let end = at;
    while (end < chunk.length && chunk[end] !== '"' && chunk[end] !== "\\") end += 1;
    this.#add(chunk.slice(at, end));
    return end;
  }

  #add(text: string): void {
    if (this.#place === "key") this.#param += text;
    else this.#piece += text;
  }

  /** Reads a value that is no text: it ends with the comma or the brace behind it. */
  #other(chunk: string, at: number): number {
    let end = at;
    for (; end < chunk.length; end += 1) {
      const char = chunk[end] as string;
      if (this.#escape !== "") this.#escape = "";
      else if (this.#inText && char === "\\") this.#escape = char;
      else if (char === '"') this.#inText = !this.#inText;
      else if (this.#inText) continue;
      else if (char === "{" || char === "[") this.#depth += 1;
      else if (this.#depth === 0 && (char === "," || char === "}")) break;
      else if (char === "}" || char === "]") this.#depth -= 1;
    }
    this.#raw.push(chunk.slice(at, end));
    if (end === chunk.length) return end;
    this.#onArgument(this.#param, this.#raw.join("").trim());
    this.#raw = [];
    this.#place = chunk[end] === "," ? "between" : "over";
    return end + 1;
  }

  #emit(length: number): void {
    if (length === 0 || this.#piece === "") return;
    this.#onArgument(this.#param, this.#piece.slice(0, length));
    this.#piece = this.#piece.slice(length);
  }
}
