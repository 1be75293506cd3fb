import type { EndOptions, Segment, Span } from "@toolglot/core";
import type { BlockReader, SegmentsEnd, Source } from "@toolglot/core/text";
import type { ToolsXmlBlock } from "../types.ts";

/** What stands in an envelope. Spans are those of the strings, without their quotes. */
export interface Envelope {
  /** The whole object. */
  span: Span;
  reply: { text: string; span: Span } | undefined;
  tools: { text: string; span: Span } | undefined;
  /** It was not valid JSON as it stood. */
  repaired: boolean;
  /** The text ended inside it: how. */
  end: EndOptions | undefined;
}

const stringPart = /["\\]/g;
const structure = /["{}[\]]/g;

/** Holds a message that may be `{"reply": …, "tools": …}` until the object is closed. */
export class EnvelopeReader implements BlockReader<ToolsXmlBlock> {
  readonly holds = true;
  readonly waitsForLine = false;
  readonly start: number;
  readonly #read: (envelope: Envelope) => Segment<ToolsXmlBlock>[];
  readonly #repairs: boolean;
  #depth = 0;
  #inString = false;

  constructor(start: number, repairs: boolean, read: (envelope: Envelope) => Segment<ToolsXmlBlock>[]) {
    this.start = start;
    this.#repairs = repairs;
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
      else if (mark === "{" || mark === "[") this.#depth += 1;
      else if (--this.#depth === 0) return this.#finish(source, source.base + at, undefined);
      source.at = at;
    }
    source.at = text.length;
    return end && this.#finish(source, source.length, end);
  }

  #finish(source: Source, stop: number, end: EndOptions | undefined): SegmentsEnd<ToolsXmlBlock> {
    const text = source.slice(this.start, stop);
    const found = this.#parse(text, end);
    const segments = found ? this.#read({ ...found, span: { start: this.start, end: stop }, end }) : [];
    return { segments, end: stop };
  }

  #parse(text: string, end: EndOptions | undefined): Omit<Envelope, "span" | "end"> | undefined {
    let value = object(text);
    let repaired = false;
    if (!value && this.#repairs) {
      repaired = true;
      // Raw line breaks in strings; and, when the text ends inside, what is missing.
      const closed = end ? close(text, this.#inString) : text;
      value = object(closed.replace(/"(?:[^"\\]|\\[\s\S])*"/g, escapeControls));
    }
    if (!value) return undefined;
    const { reply = null, tools = null } = value;
    const fits = (one: unknown): boolean => one === null || typeof one === "string";
    if (!fits(reply) || !fits(tools) || (reply === null && tools === null)) return undefined;
    const spans = strings(text, this.start);
    const whole = { start: this.start, end: this.start + text.length };
    const take = (key: string, one: unknown) =>
      typeof one === "string" ? { text: one, span: spans.get(key) ?? whole } : undefined;
    return { reply: take("reply", reply), tools: take("tools", tools), repaired };
  }
}

function object(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function escapeControls(string: string): string {
  return string.replace(/\p{Cc}/gu, (unit) => JSON.stringify(unit).slice(1, -1));
}

/** Adds what a cut object lacks. */
function close(text: string, inString: boolean): string {
  if (inString) return `${text.replace(/\\(?:u[\da-fA-F]{0,3})?$/, (cut, at: number) => (odd(text, at) ? "" : cut))}"}`;
  return `${text.replace(/[,:\s]+$/, "")}}`;
}

/** Whether the backslash at an index begins an escape. */
function odd(text: string, at: number): boolean {
  let from = at;
  while (text.charCodeAt(from - 1) === 92) from -= 1;
  return (at - from) % 2 === 0;
}

/** The spans of an object's own strings, without quotes, by key. */
function strings(text: string, offset: number): Map<string, Span> {
  const spans = new Map<string, Span>();
  const token = /"((?:[^"\\]|\\[\s\S])*)(?:"|$)|[{}[\]:,]/g;
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
