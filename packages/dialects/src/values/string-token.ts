import { flat } from "@toolglot/internal";
import { readEscape } from "./escapes.ts";
import type { Quote } from "./types.ts";

/** A string or a word that is half read. */
export interface Token {
  isKey: boolean;
  /** Offset of its first unit. */
  start: number;
  /** What was read, decoded, and what of it came last. */
  text: string;
  tail: string;
  piece: string;
  /** What a string stands between; what closes a word is empty. */
  quote: Quote;
  state: "open" | "closed" | "failed";
  /** Offset of the first raw control character, in Python of the first line break in a string of one line; -1: none. */
  control: number;
  /** It holds an escape. */
  escaped?: true;
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\0-\x1f]/;

const longTail = 512;

/** Adds a piece to what was read. Many small ones in a row cost more to keep than to join. */
export function keep(token: Token, piece: string): void {
  token.tail = token.tail ? token.tail + piece : piece;
  if (token.state !== "open" || token.tail.length <= longTail) return;
  token.text += flat(token.tail);
  token.tail = "";
}

/**
 * Reads on in a string from an index of a window that begins at an offset; returns the index up to which it is decided. What is decoded
 * is the token's piece.
 */
export function readString(
  token: Token,
  text: string,
  at: number,
  base: number,
  python: boolean,
  ended: boolean,
): number {
  const { close, run } = token.quote;
  const whole = python ? undefined : readWhole(token, text, at);
  if (whole !== undefined) return whole;
  let out = "";
  for (;;) {
    const end = runEnd(token, text, at);
    const isLast = end === text.length;
    // Halves of a pair stay together.
    const to = isLast && !ended && end > at && text.charCodeAt(end - 1) >> 10 === 0x36 ? end - 1 : end;
    if (to > at) {
      const piece = text.slice(at, to);
      const place = run && close.length === 1 && token.control < 0 ? piece.search(python ? /[\r\n]/ : control) : -1;
      if (place >= 0) token.control = base + at + place;
      out = out ? out + piece : piece;
      at = to;
    }
    if (isLast) break;
    if (run && text[at] === "\\") {
      const found = readEscape(text, at, python, close, ended);
      if (!found) token.state = "failed";
      if (!found || found === "cut") break;
      out += found.meaning;
      at += found.length;
      token.escaped = true;
    } else {
      const isEnd = closes(token, text, at, ended);
      if (isEnd) {
        token.state = "closed";
        at += close.length;
      }
      if (isEnd !== false) break;
      out += text[at++];
    }
  }
  token.piece = out;
  return at;
}

/** Reads a string of JSON that stands whole in a window and has escapes, without a piece for each of them; undefined: it is none. */
function readWhole(token: Token, text: string, at: number): number | undefined {
  const start = at - 1;
  if (token.quote.close !== '"' || text[start] !== '"' || token.text !== "" || token.tail !== "") return undefined;
  let end = runEnd(token, text, at);
  if (text[end] !== "\\") return undefined;
  while (text[end] === "\\" && end + 2 <= text.length) end = runEnd(token, text, end + 2);
  const written = text.slice(start, end + 1);
  if (text[end] !== '"' || control.test(written)) return undefined;
  try {
    token.piece = JSON.parse(written);
  } catch {
    return undefined;
  }
  token.state = "closed";
  token.escaped = true;
  return end + 1;
}

/** Returns the index of the next unit that may be more than itself. */
function runEnd({ quote: { close, run } }: Token, text: string, at: number): number {
  if (run) {
    run.lastIndex = at;
    run.test(text);
    return run.lastIndex;
  }
  const end = text.indexOf(close.charAt(0), at);
  return end < 0 ? text.length : end;
}

/** Whether a mark stands at an index; undefined: more text decides. */
export function standsAt(text: string, at: number, mark: string, ended: boolean): boolean | undefined {
  if (text.startsWith(mark, at)) return true;
  return !ended && text.length - at < mark.length && mark.startsWith(text.slice(at)) ? undefined : false;
}

/** Whether a string closes at an index; undefined: more text decides. */
function closes({ quote: { close, counts } }: Token, text: string, at: number, ended: boolean): boolean | undefined {
  const stands = standsAt(text, at, close, ended);
  return stands && counts ? counts(text, at, ended) : stands;
}
