import { closesFence, type Fence, type Source } from "@toolglot/core/text";
import { lastLineBreak, lineEnd } from "@toolglot/internal";
import { type CodeLanguage, endsInLiteral, linesInLiterals } from "../repair/code.ts";
import type { Entry } from "./entry.ts";

/** A line of code that would begin another document. */
export interface Opener {
  kind: "table" | "thought" | "status" | "code";
  /** Offset of the line. */
  start: number;
}

/** Where the code of one document ends and the next document begins. */
export interface Seam {
  codeEnd: number;
  /** Offset after what still belongs to the first: a damaged closer, the end of its fence. */
  end: number;
  closedFence: boolean;
  /** Offset of the next document. */
  next: number;
}

/** The beginning of a line that may open a document. Groups: a table, a key. */
const watched =
  /\n[ \t\u00a0]{0,99}(?:([[\uff3b]{1,2}[ \t]*["']?[Tt]ool)|(thought|status|code)[ \t]*[=:\uff1d\uff1a])/g;
/** The same, where the text stands. */
const watchedHere = new RegExp(watched.source, "y");

/** A line that may still become such a line, or one that stands before it. */
const unfinished =
  /^[ \t\u00a0\r]{0,99}(?:[[\uff3b]{1,2}[ \t]*["']?(?:t(?:o(?:ol?)?)?)?|t(?:h(?:o(?:u(?:g(?:ht?)?)?)?)?)?|s(?:t(?:a(?:t(?:us?)?)?)?)?|c(?:o(?:de?)?)?|(?:thought|status|code)[ \t]{0,99}|["'“”‘’]{0,6}[ \t\r]{0,99}|(?:`{1,9}|~{1,9})[\w \t\r]{0,20})$/i;

/** Lines that may stand between a document's code and the next document: blank ones, quotes alone, fences. */
const between = /^(?:[ \t\u00a0]{0,40}| {0,3}(?:["'“”‘’]{1,6}|(?:`{3,9}|~{3,9})[\w \t]{0,20})[ \t]{0,40})\r?$/;
const quotesAlone = /^ {0,3}["'“”‘’]{1,6}[ \t]*\r?$/;

/** What may stand between a document's first line and its table. */
const headLine =
  /[ \t]*(?:(?:#[^\n]*)?\r?\n|(?:thought|status|target|message)[ \t]*[=:][ \t]*(?:"""[\s\S]*?"""[ \t]*\r?\n|'''[\s\S]*?'''[ \t]*\r?\n|[^\n]*\n))/y;
const maxHeadLength = 20_000;

/** So many of them at most belong to a seam, and so long ones: what is longer is no slip. */
const maxLines = 8;
const maxLineLength = 90;

const kinds: Record<Opener["kind"], RegExp> = {
  table:
    /^[ \t\u00a0]*[[\uff3b]{1,2}[ \t]*["']?tool[-_ ]?calls?["']?[ \t]*[\]\uff3d]{1,2}[ \t]*(?:#[^\n]*|\/\/[^\n]*)?\r?$/i,
  thought: /^[ \t\u00a0]*thought[ \t]*[=:\uff1d\uff1a][ \t]*(?:["'“”‘’]|$)/,
  status: /^[ \t\u00a0]*status[ \t]*[=:\uff1d\uff1a][ \t]*["'“‘]?(?:success|fail)(?:["'”’][ \t]*(?:#[^\n]*)?)?\r?$/i,
  code: /^[ \t\u00a0]*code[ \t]*[=:\uff1d\uff1a][ \t]*(?:'''|"""|[“”‘’]{3}|`{3}|\r?$)/,
};

/** Follows the code of a document as it comes in, and collects the lines in it that would begin another one. */
export class OpenerWatch {
  readonly openers: Opener[] = [];
  /** Nothing from this offset on is given out before the document ends: it may belong to another one. */
  limit: number = Infinity;
  #seen = 0;
  /** Up to here the text was searched, so that a stretch that grows is searched once. */
  #searched = 0;
  /** The last line break before there: what follows it may become an opener. */
  #lineBreak = -1;
  /** The last line break that no opener follows, however its line continues. */
  #before = -1;
  readonly #bodyStart: number;
  readonly #own: RegExp;

  /** `own`: the quotes that the code stands between. */
  constructor(bodyStart: number, own: RegExp) {
    this.#bodyStart = bodyStart;
    this.#own = own;
  }

  /**
   * Reads the lines that begin in a stretch of the window; `known` when more text changes nothing in it. Returns the opener of
   * a table as soon as one stands there, else the index from which on text has to wait for more.
   */
  read(source: Source, to: number, known: boolean): Opener | number {
    const { text, at, base } = source;
    const unread = Math.max(at, this.#searched - base);
    const found = lastLineBreak(text, unread, to);
    const last = found < 0 ? this.#lineBreak - base : found;
    const from = Math.max(at, this.#seen - base, this.#lineBreak - base);
    if (last < at) {
      this.#searched = Math.max(this.#searched, base + to);
      return to;
    }
    const stretch = text.slice(from, to);
    // Without a new line break, only the one before may begin an opener.
    const pattern = found < 0 ? watchedHere : watched;
    pattern.lastIndex = 0;
    for (let match = pattern.exec(stretch); match; match = pattern.exec(stretch)) {
      const start = from + match.index + 1;
      const end = lineEnd(text, start);
      if (end === text.length && !known) return seamStart(text, start - 1, at, this.#own);
      pattern.lastIndex = start - from;
      this.#seen = base + start;
      const kind = match[1] ? "table" : (match[2] as Opener["kind"]);
      if (!kinds[kind].test(text.slice(start, Math.min(to, end)))) continue;
      const opener = this.#add(kind, source, base + start);
      if (mayCut(kind)) return opener;
    }
    this.#searched = Math.max(this.#searched, base + to);
    this.#lineBreak = base + last;
    if (known || this.#before === base + last) return to;
    if (unfinished.test(text.slice(last + 1, to))) return seamStart(text, last, at, this.#own);
    this.#before = base + last;
    return to;
  }

  /** Does the same for a line by itself; undefined when it opens nothing that may end the code. */
  line(source: Source, line: string, start: number): Opener | undefined {
    if (start <= this.#seen) return undefined;
    const text = line.replace(/\n$/, "");
    const kind = (Object.keys(kinds) as Opener["kind"][]).find((name) => kinds[name].test(text));
    if (!kind) return undefined;
    this.#seen = start;
    const opener = this.#add(kind, source, start);
    return mayCut(kind) ? opener : undefined;
  }

  /** Returns where the code ends if the document of an opener is another one. */
  codeEnd(source: Source, next: number): number {
    const from = Math.max(this.#bodyStart, next - (maxLines + 1) * maxLineLength);
    const text = source.slice(from, next);
    return from + seamStart(text, text.length - 1, 0, this.#own) + 1;
  }

  #add(kind: Opener["kind"], source: Source, start: number): Opener {
    const opener: Opener = { kind, start };
    this.openers.push(opener);
    this.limit = Math.min(this.limit, this.codeEnd(source, start));
    return opener;
  }
}

/** Thoughts and a status may stand in programs too; what follows decides. */
function mayCut(kind: Opener["kind"]): boolean {
  return kind === "table" || kind === "code";
}

/** Returns the index of the line break before the lines that may belong to a seam, going back from the line break before an opener. */
function seamStart(text: string, lineBreak: number, from: number, own: RegExp): number {
  let at = lineBreak;
  for (let count = 0; count < maxLines; count += 1) {
    const before = text.lastIndexOf("\n", at - 1);
    const line = text.slice(before + 1, at);
    if (at === 0 || before < from || line.length >= maxLineLength || !between.test(line) || own.test(line)) break;
    at = before;
  }
  return at;
}

/**
 * Returns where a document's code ends if the document of an opener in it is another one. Undefined when the opener stands inside a
 * string or comment of the code, or when no code stands before it.
 */
export function findSeam(
  source: Source,
  bodyStart: number,
  opener: Opener,
  watch: OpenerWatch,
  fence: Fence | undefined,
  language: CodeLanguage,
): Seam | undefined {
  const next = headStart(source, opener, watch.openers);
  // Programs may set a variable of that name.
  if (opener.kind === "code" && next === opener.start) return undefined;
  const body = source.slice(bodyStart, next);
  let at = watch.codeEnd(source, next) - bodyStart;
  if (endsInLiteral(body.slice(0, at), language)) {
    if (endsInLiteral(body, language)) return undefined;
    // Quotes on a line of their own are a string's end in the code.
    at = body.length;
  }
  if (body.slice(0, at).trim() === "") return undefined;
  const seam: Seam = { codeEnd: bodyStart + at, end: bodyStart + at, closedFence: false, next };
  for (const line of body.slice(at).match(/[^\n]*\n/g) ?? []) {
    at += line.length;
    const isClosed = fence !== undefined && closesFence(line.trimEnd(), fence);
    if (isClosed || quotesAlone.test(line.trimEnd())) seam.end = bodyStart + at;
    else if (line.trim() !== "") break;
    if (!isClosed) continue;
    seam.closedFence = true;
    break;
  }
  return seam;
}

/** Returns the first line of a document, going back from a line of it: keys that are known adjoin it above. */
function headStart(source: Source, { start }: Opener, openers: readonly Opener[]): number {
  let first = start;
  for (const other of openers.toReversed()) {
    if (other.start >= start || other.kind === "code") continue;
    if (start - other.start > maxHeadLength || !isHead(source.slice(other.start, start))) break;
    first = other.start;
  }
  return first;
}

function isHead(text: string): boolean {
  headLine.lastIndex = 0;
  while (headLine.lastIndex < text.length) if (!headLine.test(text)) return false;
  return true;
}

/**
 * Returns the first of the openers that stands outside of the code's strings and comments. A string that is never closed is none,
 * unless the code itself was cut off.
 */
export function openerOutside(
  source: Source,
  { bodyStart, bodyEnd }: Entry,
  openers: readonly Opener[],
  truncated: boolean,
  language: CodeLanguage,
): Opener | undefined {
  // A program may well have a variable named status.
  const inside = openers.filter(({ kind, start }) => kind !== "status" && start > bodyStart && start < bodyEnd);
  if (inside.length === 0) return undefined;
  const body = `${source.slice(bodyStart, bodyEnd)}\n`;
  const literal = linesInLiterals(body, language, true);
  const count = body.split("\n").length - 1;
  if (!truncated) for (let line = count; literal.delete(line); ) line -= 1;
  let line = 0;
  let at = 0;
  return inside.find(({ start }) => {
    for (let next = body.indexOf("\n", at); next >= 0 && next < start - bodyStart; next = body.indexOf("\n", at)) {
      line += 1;
      at = next + 1;
    }
    return !literal.has(line);
  });
}
