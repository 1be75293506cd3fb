import { readEscape } from "./escapes.ts";

/** A string that is half read. */
export interface StringToken {
  /** What closes it. */
  close: string;
  /** The units that stand for themselves where it has escapes. Without it, all is text up to what closes it. */
  run?: RegExp;
  python: boolean;
  /** What was read since the last time, decoded. */
  piece: string;
  /** Index of a raw control character in the window. */
  control?: number;
  state: "open" | "closed" | "failed";
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const control = /[\0-\x1f]/;
const fewSpaces = /\s{0,99}/y;

/** Reads on in a string; returns the index up to which the text is decided. */
export function readString(token: StringToken, text: string, at: number, ended: boolean): number {
  const { close, run, python } = token;
  for (;;) {
    const end = runEnd(token, text, at);
    const isLast = end === text.length;
    // Halves of a pair stay together.
    const to = isLast && !ended && end > at && text.charCodeAt(end - 1) >> 10 === 0x36 ? end - 1 : end;
    const piece = text.slice(at, to);
    if (run && !python && token.control === undefined) {
      const place = piece.search(control);
      if (place >= 0) token.control = at + place;
    }
    token.piece += piece;
    at = to;
    if (isLast) return at;
    if (run && text[at] === "\\") {
      const found = readEscape(text, at, python, close, ended);
      if (!found) token.state = "failed";
      if (!found || found === "cut") return at;
      token.piece += found.meaning;
      at += found.length;
    } else {
      const isEnd = closes(token, text, at, ended);
      if (isEnd) token.state = "closed";
      if (isEnd === undefined) return at;
      if (isEnd) return at + close.length;
      token.piece += text[at++];
    }
  }
}

/** Returns the index of the next unit that may be more than itself. */
function runEnd({ close, run }: StringToken, text: string, at: number): number {
  if (run) {
    run.lastIndex = at;
    run.test(text);
    return run.lastIndex;
  }
  const end = text.indexOf(close.charAt(0), at);
  return end < 0 ? text.length : end;
}

/** Whether a string closes at an index; undefined: more text decides. */
function closes({ close, run }: StringToken, text: string, at: number, ended: boolean): boolean | undefined {
  const found = text.slice(at, at + close.length);
  if (found !== close) return ended || !close.startsWith(found) ? false : undefined;
  if (run || close !== "'") return true;
  fewSpaces.lastIndex = at + 1;
  fewSpaces.test(text);
  const behind = fewSpaces.lastIndex;
  const next = text.slice(behind, behind + 2);
  return !ended && (next === "" || next === "<") ? undefined : /^(?:[,)\]}:]|<\||$)/.test(next);
}
