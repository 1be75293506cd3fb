import type { EndOptions, Segment, Span } from "@toolglot/core";
import type { BlockReader, SegmentsEnd, Source } from "@toolglot/core/text";
import { isObject } from "@toolglot/internal";
import type { ToolsXmlBlock } from "../types.ts";
import type { BodyMemory } from "./body-context.ts";

/** What stands in an envelope. Spans are those of the strings, without their quotes. */
export interface Envelope {
  /** The whole object. */
  span: Span;
  reply: { text: string; span: Span } | undefined;
  /** `place`: the offset in the source of an index in the text. */
  tools: { text: string; span: Span; place(index: number): number } | undefined;
  /** It was not valid JSON as it stood, or not at the beginning of the message. */
  repaired: boolean;
  /** The text ended inside it: how. */
  end: EndOptions | undefined;
}

const stringPart = /["\\]/g;
const structure = /["{}[\],]/g;

/** Holds a message that may be `{"reply": …, "tools": …}` until the object is closed. */
export class EnvelopeReader implements BlockReader<ToolsXmlBlock> {
  readonly holds = true;
  readonly waitsForLine = false;
  readonly start: number;
  readonly #read: (envelope: Envelope) => Segment<ToolsXmlBlock>[];
  readonly #late: boolean;
  readonly #memory: BodyMemory;
  /** What closes the brackets that are open. */
  readonly #closers: string[] = [];
  /** Offset of the last comma between members of the object. */
  #comma = -1;
  #inString = false;

  /** `late`: text stands before it. */
  constructor(
    start: number,
    late: boolean,
    memory: BodyMemory,
    read: (envelope: Envelope) => Segment<ToolsXmlBlock>[],
  ) {
    this.start = start;
    this.#late = late;
    this.#memory = memory;
    this.#read = read;
  }

  read(source: Source, end?: EndOptions): SegmentsEnd<ToolsXmlBlock> | undefined {
    const { text } = source;
    for (let at = source.at; ; ) {
      const pattern = this.#inString ? stringPart : structure;
      pattern.lastIndex = at;
      const found = pattern.exec(text);
      if (!found) break;
      const mark = found[0];
      at = found.index + 1;
      if (mark === "\\") {
        // The escaped unit may come later.
        if (at >= text.length) {
          source.at = at - 1;
          return end && this.#finish(source, source.length, end);
        }
        at += 1;
      } else if (mark === '"') this.#inString = !this.#inString;
      else if (mark === ",") {
        if (this.#closers.length === 1) this.#comma = source.base + at - 1;
      } else if (mark === "{" || mark === "[") this.#closers.push(mark === "{" ? "}" : "]");
      else {
        this.#closers.pop();
        if (this.#closers.length === 0) return this.#finish(source, source.base + at, undefined);
      }
      source.at = at;
    }
    source.at = text.length;
    return end && this.#finish(source, source.length, end);
  }

  #finish(source: Source, stop: number, end: EndOptions | undefined): SegmentsEnd<ToolsXmlBlock> {
    const text = source.slice(this.start, stop);
    const found = this.#parse(text, end);
    if (!found) this.#memory.reread += stop - this.start;
    const segments = found ? this.#read({ ...found, span: { start: this.start, end: stop }, end }) : [];
    return { segments, end: stop };
  }

  #parse(text: string, end: EndOptions | undefined): Omit<Envelope, "span" | "end"> | undefined {
    let value = object(text);
    let repaired = this.#late;
    if (!value) {
      repaired = true;
      // Raw line breaks in strings; and, when the text ends inside, what is missing, or without the last member.
      const read = (json: string) => object(json.replace(/"(?:[^"\\]|\\[\s\S])*"/g, escapeControls));
      value = read(end ? closeString(text, this.#inString) + this.#closers.reverse().join("") : text);
      if (!value && end && this.#comma >= 0) value = read(`${text.slice(0, this.#comma - this.start)}}`);
    }
    if (!value) return undefined;
    const { reply = null, tools = null } = value;
    const fits = (one: unknown): boolean => one === null || typeof one === "string";
    if (!fits(reply) || !fits(tools) || (reply === null && tools === null)) return undefined;
    if (this.#late && !/<[ \t]*tools/i.test(String(tools))) return undefined;
    const spans = strings(text, this.start);
    const whole = { start: this.start, end: this.start + text.length };
    const take = (key: string, one: unknown) =>
      typeof one === "string" ? { text: one, span: spans.get(key) ?? whole } : undefined;
    const found = take("tools", tools);
    const { start = 0, end: stop = 0 } = found?.span ?? {};
    const place = places(text.slice(start - this.start, stop - this.start), start);
    return { reply: take("reply", reply), tools: found && { ...found, place }, repaired };
  }
}

function object(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function escapeControls(string: string): string {
  return string.replace(/\p{Cc}/gu, (unit) => JSON.stringify(unit).slice(1, -1));
}

/** Closes the string that a text ends in, less an escape that is not complete. */
function closeString(text: string, inString: boolean): string {
  if (!inString) return text;
  return `${text.replace(/\\(?:u[\da-fA-F]{0,3})?$/, (cut, at: number) => (odd(text, at) ? "" : cut))}"`;
}

/** Whether the backslash at an index begins an escape. */
function odd(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === 92) from -= 1;
  return (at - from) % 2 === 0;
}

/** Returns a function: the offset of a JSON string's units, in rising order: `string` is how it is written, from an offset on. */
function places(string: string, offset: number): (index: number) => number {
  let at = 0;
  let unit = 0;
  return (index) => {
    for (; unit < index && at < string.length; unit += 1)
      at += string.charCodeAt(at) !== 92 ? 1 : string.charCodeAt(at + 1) === 117 ? 6 : 2;
    return offset + Math.min(at, string.length);
  };
}

/** Returns the spans of an object's own strings, without quotes, by key. */
function strings(text: string, offset: number): Map<string, Span> {
  const spans = new Map<string, Span>();
  const token = /"((?:[^"\\]|\\[\s\S])*)(?:"|\\?$)|[{}[\]:,]/g;
  let depth = 0;
  let key: string | undefined;
  let value = false;
  for (let match = token.exec(text); match; match = token.exec(text)) {
    const [all, body] = match;
    if (body === undefined) {
      if (all === "{" || all === "[") depth += 1;
      else if (all === "}" || all === "]") depth -= 1;
      else if (depth === 1) value = all === ":";
    } else if (depth === 1) {
      if (!value) key = body;
      else if (key !== undefined)
        spans.set(key, { start: offset + match.index + 1, end: offset + match.index + 1 + body.length });
    }
  }
  return spans;
}
