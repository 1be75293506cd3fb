import type { ToolDefinition } from "@toolglot/core";
import type { Source } from "@toolglot/core/text";
import { matchAt } from "@toolglot/internal";
import { propertyNamed, rawProperty, schemaOf, takesAnyText } from "../calls/schema.ts";
import { decodeEntities } from "./tag.ts";

const opening = /\s*([^\s=<>"'/]+)\s*=\s*(["'])/y;
const partialOpening = /^\s*(?:[^\s=<>"'/]+\s*(?:=\s*)?)?$/;
const partialEntity = /&[#\w]{0,32}$/;

/** Emits texts in the attributes of a custom call's tag while they come, as far as each attribute has a value in quotes. */
export class AttributeStream {
  readonly #tool: ToolDefinition;
  readonly #emit: (field: string, text: string, param: string) => void;
  readonly #given = new Set<string>();
  /** Text before this offset was read. */
  #at: number;
  /** The quote of the value that is being read. */
  #quote = "";
  /** Its parameter, if it is a text. */
  #param: string | undefined;
  #done = false;

  constructor(tool: ToolDefinition, start: number, emit: (field: string, text: string, param: string) => void) {
    this.#tool = tool;
    this.#at = start;
    this.#emit = emit;
  }

  /** Reads the tag up to an offset. */
  advance(source: Source, end: number): void {
    while (!this.#done && this.#at < end) {
      const text = source.slice(this.#at, end);
      if (this.#quote === "") {
        const match = matchAt(opening, text, 0);
        if (!match) {
          this.#done = text.length > 400 || !partialOpening.test(text);
          return;
        }
        this.#open(match[1] as string);
        this.#quote = match[2] as string;
        this.#at += match[0].length;
        continue;
      }
      const close = text.indexOf(this.#quote);
      const piece = close < 0 ? text.replace(partialEntity, "") : text.slice(0, close);
      if (piece !== "" && this.#param !== undefined)
        this.#emit(`input.${this.#param}`, piece.includes("&") ? decodeEntities(piece) : piece, this.#param);
      this.#at += piece.length + (close < 0 ? 0 : 1);
      if (close < 0) return;
      this.#quote = "";
    }
  }

  /** Begins an attribute's value; the first one of a parameter counts. */
  #open(name: string): void {
    const { inputSchema } = this.#tool;
    const key = propertyNamed(inputSchema, name);
    const isText =
      key !== undefined &&
      !this.#given.has(key) &&
      key !== rawProperty(this.#tool) &&
      takesAnyText(schemaOf(inputSchema, key), inputSchema);
    this.#param = isText ? key : undefined;
    if (key !== undefined) this.#given.add(key);
  }
}
