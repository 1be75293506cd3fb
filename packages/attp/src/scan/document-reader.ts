import type { EndOptions } from "@toolglot/core";
import { type BlockEnd, type BlockReader, closesFence, openFence, type Source } from "@toolglot/core/text";
import { endsInLiteral } from "../repair/code.ts";
import type { AttpDocument } from "../types.ts";
import { Brackets } from "./brackets.ts";
import type { Entry, Header, Note, ReaderOptions, Scan } from "./entry.ts";
import { readKey } from "./key-line.ts";
import { readLineValue } from "./line-value.ts";
import {
  documentStart,
  type Field,
  headerPattern,
  keyParts,
  multiLineOpener,
  oddCharacters,
  restPattern,
  toolCallName,
} from "./patterns.ts";
import { findSeam, type Opener, OpenerWatch, openerOutside, type Seam } from "./seam.ts";
import {
  type Candidate,
  findQuotes,
  isCleanEnd,
  isQuote,
  type OpenString,
  type Quotes,
  quotesOf,
} from "./string-scan.ts";
import { ValueStream } from "./value-stream.ts";

type Step = BlockEnd<AttpDocument> | "more" | undefined;

/**
 * Follows a TOML document as it comes in, well-formed or not, and finds where its values and itself end. It decides
 * nothing about validity: that is the TOML parser's word, at the end.
 *
 * Where a multi-line string ends is settled like this. Quotes that are followed by more than a comment on their line are
 * data. All others are taken for the end, until a later line is no TOML: then they were data too, and reading goes back to
 * just after them. For `code` the question stays open until the document ends, for other keys until the next key or table.
 * Text before an open question is final, and streams; text after it waits.
 */
export class DocumentReader implements BlockReader<AttpDocument> {
  readonly start: number;
  waitsForLine = false;
  readonly #options: ReaderOptions;
  readonly #entries: Entry[] = [];
  readonly #byField = new Map<Field | undefined, Entry[]>();
  readonly #headers: Header[] = [];
  readonly #notes: Note[] = [];
  readonly #sent = new Map<string, ValueStream>();
  #string: OpenString | undefined;
  #pending: Candidate | undefined;
  /** Lines known to lead to something that is no TOML. */
  readonly #deadLines = new Set<number>();
  /** A value in brackets that goes on. */
  #brackets: Brackets | undefined;
  /** A one-line string that was not closed on its line: offset after its last quote so far, -1 for none. */
  #loose: { entry: Entry; quote: RegExp; end: number } | undefined;
  /** Offset after the last text that belongs to the document. */
  #contentEnd: number;
  #atLineStart = true;
  #table = 0;
  #calls = 0;
  #inCall = false;
  #doubt: Scan["doubt"];
  /** Where the code was taken to end. */
  #codeEnd: Candidate | undefined;
  /** That of the last code. */
  #watch: OpenerWatch | undefined;
  /** Openers in code that were looked at: each look costs as much as the code before it. */
  #looks = 0;
  /** The code's end was settled although no TOML follows. */
  #forced = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.start = this.#contentEnd = options.start;
  }

  read(source: Source, end?: EndOptions): BlockEnd<AttpDocument> | undefined {
    for (;;) {
      this.waitsForLine = false;
      const done = this.#step(source, end);
      if (done === "more") return undefined;
      if (done) return done;
    }
  }

  #step(source: Source, end: EndOptions | undefined): Step {
    if (this.#string) {
      const lineWise = this.#string.quotes.mark === "`" || this.#string.dead !== undefined;
      return lineWise ? this.#stringLine(source, this.#string, end) : this.#stringText(source, this.#string, end);
    }
    if (source.at >= source.text.length) return end ? this.#atEnd(source, end) : "more";
    const entry = this.#brackets || this.#loose ? undefined : this.#key(source);
    if (entry && this.#opensString(source, entry)) return undefined;
    const lineBreak = source.text.indexOf("\n", source.at);
    if (lineBreak < 0 && !end) {
      this.waitsForLine = true;
      return "more";
    }
    const lineEnd = lineBreak < 0 ? source.text.length : lineBreak;
    const line = source.text.slice(source.at, lineEnd);
    const next = source.base + Math.min(lineEnd + 1, source.text.length);
    if (this.#brackets) return this.#bracketLine(source, this.#brackets, line, next);
    if (this.#loose) return this.#looseLine(source, line, next);
    return this.#line(source, entry, line, next, end);
  }

  /** A line outside of values. */
  #line(source: Source, entry: Entry | undefined, line: string, next: number, end: EndOptions | undefined): Step {
    const start = source.offset;
    if (this.#pending) {
      if (this.#deadLines.has(start)) return this.#rollBack(source);
      this.#pending.lines.push(start);
    }
    const text = line.trim();
    if (text === "" || text.startsWith("#")) {
      if (text !== "") this.#contentEnd = start + line.trimEnd().length;
      source.seek(next);
      return undefined;
    }
    const ends = this.#endsAt(line, text, start);
    if (ends) return this.#finish(source, start, ends === "fence" ? next : start, { closed: ends === "fence" });
    const header = headerPattern.exec(line);
    if (header) {
      const call = toolCallName(keyParts(header[2] ?? "").join("."));
      if (call && this.#complete()) return this.#beginNext(source, start);
      this.#header(line, start, header, call);
      source.seek(next);
      return undefined;
    }
    if (entry && this.#beginsNext(entry)) return this.#beginNext(source, start);
    if (entry && this.#value(source, entry, line, next)) return undefined;
    return this.#garbage(source, line, next, end);
  }

  #key(source: Source): Entry | undefined {
    return readKey(source.text, source.at, source.base, { table: this.#table, inCall: this.#inCall });
  }

  /** Whether a line outside of values ends the document: its closing fence, another fence, a result. */
  #endsAt(line: string, text: string, start: number): "fence" | "next" | undefined {
    const { fence } = this.#options;
    if (fence && closesFence(line, fence)) return "fence";
    const first = text.charCodeAt(0);
    if ((first === 96 || first === 126) && /^(?:toml|attp|json)/.test(openFence(line, start)?.info ?? ""))
      return "next";
    return first === 91 && /^\[tool_result\]/i.test(text) ? "next" : undefined;
  }

  /** Goes into the multi-line string that is a key's value, if it is one; the line need not be complete. */
  #opensString(source: Source, entry: Entry): boolean {
    const { text, at } = source;
    const value = entry.valueStart - source.base;
    multiLineOpener.lastIndex = value;
    const opener = multiLineOpener.exec(text);
    const fence =
      !opener && entry.field === "code" ? /^`{3,}[\w+-]*[ \t]*\r?\n/.exec(text.slice(value, value + 40)) : null;
    if (!opener && !fence) return false;
    if (this.#beginsNext(entry) || (this.#pending && this.#deadLines.has(source.offset))) return false;
    this.#pending?.lines.push(source.offset);
    this.#settle();
    const delimiter = (opener ?? fence)?.[0] ?? "";
    const odd = /[“”„‘’‚]/.test(delimiter);
    if (fence) this.#note("attp/nested-fence", entry.valueStart, entry.valueStart + delimiter.trimEnd().length);
    else if (odd) this.#note("attp/odd-delimiters", entry.valueStart, entry.valueStart + delimiter.length);
    entry.form = fence ? "backticks" : opener?.[1] ? "multi-literal" : "multi-basic";
    entry.bodyStart = entry.bodyEnd = entry.valueStart + delimiter.length;
    const streams = !fence && this.#options.tells && this.#streams(entry);
    this.#add(entry, text.slice(at, value));
    const first = this.#of(entry.field).length === 1;
    if (first && (entry.field === "code" || entry.field === "message")) this.#options.announce(this.#entries, source);
    const values = new ValueStream(entry, streams, this.#options.rules(entry));
    if (streams && entry.field) this.#sent.set(entry.field, values);
    const mark = fence ? "`" : opener?.[1] ? "'" : '"';
    const quotes: Quotes = { mark, odd };
    const watch = entry.field === "code" ? new OpenerWatch(entry.bodyStart, quotesOf(quotes)) : undefined;
    if (watch) this.#watch = watch;
    this.#string = { entry, quotes, values, runs: 0, dead: undefined, watch, begun: false, fenceEnd: undefined };
    source.seek(entry.bodyStart);
    this.#atLineStart = fence !== null;
    return true;
  }

  /** Whether a value is given out while it comes in: it is the first of its key, and nothing later can replace it. */
  #streams(entry: Entry): boolean {
    if (this.#pending || this.#of(entry.field).length > 0) return false;
    if (entry.field === "thought") return entry.table === 0;
    return entry.field === "code";
  }

  /** Inside a multi-line string, unit by unit. */
  #stringText(source: Source, open: OpenString, end: EndOptions | undefined): Step {
    const { text } = source;
    if (!open.begun && !this.#begins(source, open, end !== undefined)) return "more";
    for (let at = source.at; ; ) {
      const { index, hold } = findQuotes(open, text, source.base, at);
      const safe = this.#watchCode(source, open, index < 0 ? hold : index, index >= 0 || end !== undefined);
      if (typeof safe !== "number") return safe;
      if (index < 0) {
        // Quotes are counted once.
        source.at = Math.max(safe, at);
        // A line break that waits for what follows it belongs to the code all the same.
        const isBreak = source.at < hold && text.charCodeAt(source.at) === 10;
        open.values.pass(source, source.offset + (isBreak ? 1 : 0));
        return end ? this.#openAtEnd(source, open, end) : "more";
      }
      let after = index + 3;
      while (after < text.length && isQuote(open.quotes, text.charCodeAt(after))) after += 1;
      const answer = this.#quotes(source, open, text, index, after, end !== undefined);
      if (answer === "more") {
        source.at = index;
        open.values.pass(source, source.offset);
        this.waitsForLine = true;
        return "more";
      }
      if (answer) return undefined;
      at = after;
    }
  }

  /** The first text of a string; false while it is not known. Code may be opened with a quote or two more. */
  #begins(source: Source, open: OpenString, ended: boolean): boolean {
    const { entry, watch, quotes } = open;
    const { text, at } = source;
    let after = at;
    while (after < at + 3 && after < text.length && isQuote(quotes, text.charCodeAt(after))) after += 1;
    if (after === text.length && !ended) return false;
    open.begun = true;
    const isSurplus = watch !== undefined && after > at && after < at + 3 && /[\r\n]/.test(text.charAt(after));
    if (!isSurplus || !this.#options.allows("attp/inner-quotes")) return true;
    this.#note("attp/inner-quotes", entry.bodyStart, source.base + after, surplusQuotes);
    entry.bodyStart = source.base + after;
    entry.mended = true;
    open.values.startAt(entry.bodyStart);
    source.at = after;
    return true;
  }

  /**
   * Looks for lines of code that begin another document. Gives the index up to which text is known, or the end of this document,
   * when another one begins.
   */
  #watchCode(source: Source, open: OpenString, to: number, known: boolean): number | BlockEnd<AttpDocument> {
    const { watch, values } = open;
    if (!watch) return to;
    for (;;) {
      const found = watch.read(source, to, known);
      values.stopAt(watch.limit);
      if (typeof found === "number") return found;
      values.pass(source, watch.limit);
      const cut = this.#cutBefore(source, open, found);
      if (cut) return cut;
    }
  }

  /** Ends the document before an opener in its code, unless the opener stands in a string or comment of the code. */
  #cutBefore(source: Source, { entry, watch }: OpenString, opener: Opener): BlockEnd<AttpDocument> | undefined {
    const { fence, language, allows } = this.#options;
    if (!watch || this.#looks >= 8 || !allows("attp/inner-quotes")) return undefined;
    this.#looks += 1;
    const seam = findSeam(source, entry.bodyStart, opener, watch, fence, language);
    return seam && this.#endAtSeam(source, entry, seam);
  }

  /** Whether quotes stand outside of the strings of the code: those inside are one's end rather than the code's. */
  #standsOutside(source: Source, { open, quotes }: Candidate): boolean {
    if (this.#looks >= 8) return false;
    this.#looks += 1;
    return !endsInLiteral(source.slice(open.entry.bodyStart, quotes), this.#options.language);
  }

  #endAtSeam(source: Source, entry: Entry, seam: Seam): BlockEnd<AttpDocument> {
    const { codeEnd, end, closedFence, next } = seam;
    this.#string = this.#pending = this.#doubt = undefined;
    while (this.#entries.at(-1) !== entry) this.#drop();
    while ((this.#headers.at(-1)?.start ?? 0) > codeEnd) this.#headers.pop();
    while ((this.#notes.at(-1)?.start ?? 0) >= codeEnd) this.#notes.pop();
    if ((entry.innerQuotes ?? 0) >= codeEnd) entry.innerQuotes = undefined;
    entry.bodyEnd = entry.valueEnd = codeEnd;
    entry.cut = false;
    entry.mended = true;
    this.#contentEnd = end;
    this.#note("attp/inner-quotes", codeEnd, next, openerInCode);
    return this.#end(source, end, end, { closed: closedFence });
  }

  /** Inside a multi-line string, line by line: the line may begin another document, or be the end of a fence. */
  #stringLine(source: Source, open: OpenString, end: EndOptions | undefined): Step {
    const lineBreak = source.text.indexOf("\n", source.at);
    if (lineBreak < 0 && !end) {
      this.waitsForLine = true;
      return "more";
    }
    if (lineBreak < 0 && source.at >= source.text.length) return this.#openAtEnd(source, open, end ?? {});
    const lineEnd = lineBreak < 0 ? source.text.length : lineBreak + 1;
    const line = source.text.slice(source.at, lineEnd);
    const base = source.offset;
    if (this.#atLineStart) {
      const last = open.fenceEnd ?? open.dead;
      if (last?.clean && this.#beginsAnother(line)) return this.#force(source, last);
      if (open.fenceEnd && opensOther.test(line)) return this.#force(source, open.fenceEnd);
      const opener = open.watch?.line(source, line, base);
      if (open.watch) open.values.stopAt(open.watch.limit);
      if (opener) {
        if (last?.clean && this.#standsOutside(source, last)) return this.#force(source, last);
        const cut = this.#cutBefore(source, open, opener);
        if (cut) return cut;
      }
      const { fence } = this.#options;
      if (fence && open.dead && closesFence(line.trimEnd(), fence)) {
        open.fenceEnd = open.dead;
        open.values.stopAt(open.dead.quotes);
      }
    }
    const isFence = open.quotes.mark === "`" && /^[ \t]*`{3,}[ \t]*\r?\n?$/.test(line);
    for (let at = 0; open.quotes.mark !== "`" || isFence; ) {
      const { index } = findQuotes(open, line, base, at);
      if (index < 0) break;
      let after = index + 3;
      while (after < line.length && isQuote(open.quotes, line.charCodeAt(after))) after += 1;
      if (this.#quotes(source, open, source.text, source.at + index, source.at + after, true)) return undefined;
      at = after;
    }
    source.at = lineEnd;
    this.#atLineStart = true;
    if (open.dead) return undefined;
    open.values.pass(source, source.offset);
    // From here on text is read unit by unit: a line begins behind its break.
    if (open.quotes.mark !== "`" && line.endsWith("\n")) source.at -= 1;
    return undefined;
  }

  #beginsAnother(line: string): boolean {
    return documentStart.test(line) || /^[ \t]*(?:`{3,}|~{3,})[ \t]*(?:toml|attp)/i.test(line);
  }

  /** Three or more quotes in a string: true when they are taken for its end, `"more"` when their line decides. */
  #quotes(
    source: Source,
    open: OpenString,
    text: string,
    index: number,
    end: number,
    ended: boolean,
  ): boolean | "more" {
    const { entry } = open;
    let next = end;
    while (next < text.length && isSpace(text.charCodeAt(next))) next += 1;
    if (next === text.length && !ended) return "more";
    const mayEnd = next === text.length || /[\n#/\u00a0\u2000-\u200b\u202f\u3000\ufeff]/.test(text.charAt(next));
    let rest = "";
    if (mayEnd) {
      const lineBreak = text.indexOf("\n", next);
      if (lineBreak < 0 && !ended) return "more";
      rest = text.slice(end, lineBreak < 0 ? text.length : lineBreak).replace(/\r$/, "");
    }
    const quotes = source.base + index;
    const after = source.base + end;
    open.runs += 1;
    // Quotes before these are data now, whatever follows.
    open.dead = undefined;
    const isEnd = mayEnd && this.#isEnd(rest, after);
    const near = source.slice(Math.max(entry.bodyStart, quotes - 80), quotes);
    const before = near.slice(near.lastIndexOf("\n") + 1);
    const alone = before.trim() === "" && (before.length < 80 || near.includes("\n"));
    const clean = isCleanEnd(entry, before, isEnd && this.#onOpenersLine(source, entry, quotes));
    if (!isEnd) {
      entry.innerQuotes ??= quotes;
      // Quotes at a line's start, with something behind them: the end, if nothing better comes.
      if (!alone || !clean || !open.watch) return false;
    }
    open.values.pass(source, quotes);
    const candidate: Candidate = {
      open,
      quotes,
      after,
      lines: [],
      clean,
      mayEnd: clean || alone,
      surplus: alone && end - index > 3 && open.watch !== undefined && this.#options.allows("attp/inner-quotes"),
      runs: open.runs,
      entries: this.#entries.length,
      headers: this.#headers.length,
      notes: this.#notes.length,
      table: this.#table,
      inCall: this.#inCall,
    };
    if (isEnd) {
      this.#close(source, candidate, rest);
      this.#pending = candidate;
      if (entry.field === "code") this.#codeEnd = candidate;
    } else {
      open.dead = candidate;
      source.seek(after);
      this.#atLineStart = false;
    }
    return true;
  }

  /** Whether the rest of a line lets a string end before it. A comment may be asked a few times only, for its cost. */
  #isEnd(rest: string, after: number): boolean {
    if (rest.trim() === "") return true;
    const end = after + rest.length;
    this.#asked = this.#askedEnd === end ? this.#asked + 1 : 0;
    this.#askedEnd = end;
    return this.#asked < 8 && restPattern.test(rest);
  }
  #asked = 0;
  #askedEnd = -1;

  #onOpenersLine(source: Source, { bodyStart }: Entry, quotes: number): boolean {
    // Further on it makes no difference which line it is, and looking back costs.
    return quotes < bodyStart + 400 && !source.slice(bodyStart, quotes).includes("\n");
  }

  /** Ends the open string at a candidate, and reads on after its line. */
  #close(source: Source, { open, quotes, after, surplus }: Candidate, rest: string): void {
    const { entry } = open;
    entry.bodyEnd = surplus || open.quotes.mark === "`" ? quotes : after - 3;
    entry.valueEnd = after;
    if (surplus) {
      entry.mended = true;
      this.#note("attp/inner-quotes", quotes, after, surplusQuotes);
    }
    this.#contentEnd = after + rest.trimEnd().length;
    const foreign = restPattern.exec(rest);
    if (!foreign) this.#note("attp/stray-text", after, this.#contentEnd);
    else if (foreign[1])
      this.#note("attp/loose-syntax", this.#contentEnd - foreign[1].trimEnd().length, this.#contentEnd);
    this.#string = undefined;
    const lineEnd = after + rest.length;
    source.seek(lineEnd);
    const lineBreak = source.text.indexOf("\n", source.at);
    source.at = lineBreak < 0 ? source.text.length : lineBreak + 1;
  }

  /** The quotes that were taken for the end are data: goes back to just after them. */
  #rollBack(source: Source): undefined {
    const candidate = this.#pending as Candidate;
    this.#pending = undefined;
    if (this.#codeEnd === candidate) this.#codeEnd = undefined;
    for (const line of candidate.lines) this.#deadLines.add(line);
    this.#restore(candidate);
    const { open } = candidate;
    open.entry.innerQuotes ??= candidate.quotes;
    open.dead = candidate.mayEnd || !this.#options.fence ? candidate : undefined;
    this.#string = open;
    source.seek(candidate.after);
    this.#atLineStart = false;
    return undefined;
  }

  #restore(candidate: Candidate): void {
    while (this.#entries.length > candidate.entries) this.#drop();
    while (this.#headers.length > candidate.headers) if (this.#headers.pop()?.isCall) this.#calls -= 1;
    this.#notes.length = candidate.notes;
    this.#table = candidate.table;
    this.#inCall = candidate.inCall;
  }

  /** The last quotes were the end after all: what follows is no part of the document. */
  #force(source: Source, candidate: Candidate): undefined {
    const { open, clean, runs, after } = candidate;
    this.#restore(candidate);
    open.dead = open.fenceEnd = undefined;
    if (open.entry.innerQuotes === candidate.quotes) open.entry.innerQuotes = undefined;
    source.seek(candidate.after);
    const lineBreak = source.text.indexOf("\n", source.at);
    const lineEnd = lineBreak < 0 ? source.text.length : lineBreak;
    const rest = source.text.slice(source.at, lineEnd).replace(/\r$/, "");
    if (open.entry.field === "code") {
      this.#forced = true;
      this.#codeEnd = candidate;
    }
    this.#doubtEnd(source);
    const { fence } = this.#options;
    if (fence ? !clean || runs % 2 === 0 : /\w/.test(rest) && !restPattern.test(rest))
      this.#doubt ??= { start: candidate.quotes, end: after, message: unsureEnd };
    this.#close(source, candidate, rest);
    return undefined;
  }

  /** The question where the last string ends is answered, unless it is the code's. */
  #settle(): void {
    if (this.#pending && this.#pending.open.entry.field !== "code") this.#pending = undefined;
  }

  /** The call can run: what looks like a new one begins the next document. */
  #complete(): boolean {
    if (this.#of("code").length > 0) return true;
    const status = this.#of("status").at(-1);
    if (this.#of("message").length === 0 || (!status && this.#calls === 0)) return false;
    return !/^success$/i.test(status?.text ?? "");
  }

  /** The entries of a field so far. */
  #of(field: Field | undefined): Entry[] {
    const entries = this.#byField.get(field) ?? [];
    if (entries.length === 0) this.#byField.set(field, entries);
    return entries;
  }

  #drop(): void {
    this.#of(this.#entries.pop()?.field).pop();
  }

  #beginsNext(entry: Entry): boolean {
    if (entry.field !== "thought" || !this.#complete()) return false;
    return this.#of("thought").length > 0;
  }

  /** Ends the document before a line that begins the next, or before the thought that already belongs to it. */
  #beginNext(source: Source, start: number): BlockEnd<AttpDocument> {
    this.#doubtEnd(source);
    const last = this.#entries.at(-1);
    const late = last?.field === "thought" && this.#entries.length > 1 && this.#complete() && last.table > 0;
    if (!late || !last) return this.#finish(source, start, start, { closed: false });
    this.#drop();
    while (this.#notes.length > 0 && (this.#notes.at(-1) as Note).start >= last.lineStart) this.#notes.pop();
    return this.#finish(source, last.lineStart, last.lineStart, { closed: false });
  }

  /** Text directly below code on one line: it may have been meant for several. */
  #doubtLine(source: Source, start: number): void {
    const last = this.#entries.at(-1);
    if (last?.field !== "code" || !/^(?:basic|literal)$/.test(last.form)) return;
    if (!/^\r?\n$/.test(source.slice(this.#contentEnd, start))) return;
    this.#doubt = { start: last.valueStart, end: last.valueEnd, message: unsureEnd };
  }

  /**
   * Another document follows, but the code's quotes stand behind other text, or inside a string of the code: it may be the
   * code that goes on.
   */
  #doubtEnd(source: Source): void {
    const end = this.#codeEnd;
    if (!end) return;
    const { clean, quotes, after, open } = end;
    const other = open.quotes.mark === "'" ? '"""' : "'''";
    const inString = source.slice(open.entry.bodyStart, quotes).split(other).length % 2 === 0;
    if (!clean || inString) this.#doubt = { start: quotes, end: after, message: unsureEnd };
  }

  #doubtAt({ quotes, after }: Candidate): void {
    this.#doubt ??= { start: quotes, end: after, message: unsureEnd };
  }

  /** Keys that nobody knows stand behind the code's quotes: lines of the code may have been read as keys. */
  #doubtKeys(source: Source): void {
    const code = this.#entries.findIndex(({ field }) => field === "code");
    if (code >= 0 && this.#entries.slice(code + 1).some(({ field }) => !field) && !this.#doubt) this.#doubtEnd(source);
  }

  #header(line: string, start: number, header: RegExpExecArray, call: "exact" | "odd" | undefined): void {
    this.#settle();
    const [, opening = "", name = "", comment] = header;
    const end = start + line.trimEnd().length;
    const first = start + line.length - line.trimStart().length;
    if (oddCharacters.test(line) && oddCharacters.test(line.split("#")[0] ?? ""))
      this.#note("attp/odd-delimiters", first, end);
    const repeated = this.#calls > 0;
    if (call && (call === "odd" || opening.length > 1 || repeated)) this.#note("attp/table-name", first, end);
    if (comment) this.#note("attp/loose-syntax", end - comment.trimEnd().length, end);
    this.#table += 1;
    this.#inCall = call !== undefined;
    if (this.#inCall) this.#calls += 1;
    this.#headers.push({ name, start: first, end, table: this.#table, isCall: this.#inCall });
    this.#contentEnd = end;
  }

  #add(entry: Entry, keyText: string): void {
    const { field, keyStart, valueStart } = entry;
    if (oddCharacters.test(keyText)) this.#note("attp/odd-delimiters", keyStart, valueStart);
    if (/[:：][^"'=]*$/.test(keyText)) this.#note("attp/loose-syntax", keyStart, valueStart);
    if (field && this.#of(field).at(-1)?.table === entry.table)
      this.#note("attp/duplicate-key", keyStart, entry.keyEnd);
    this.#entries.push(entry);
    this.#of(field).push(entry);
  }

  /** A value on a line of its own; false when the line is no TOML and cannot be read as meant. */
  #value(source: Source, entry: Entry, line: string, next: number): boolean {
    const text = line.slice(entry.valueStart - source.offset).trimEnd();
    const keyText = line.slice(0, entry.valueStart - source.offset);
    // In a line that may still be code, only what TOML itself can read is a value.
    const read = readLineValue(entry, text, this.#pending?.open.entry.field === "code");
    if (!read) return false;
    this.#settle();
    this.#add(entry, keyText);
    for (const { code, start, end } of read.notes) this.#note(code, start, end);
    if (read.kind === "brackets") {
      this.#brackets = new Brackets();
      return this.#bracketLine(source, this.#brackets, line.slice(keyText.length), next) === undefined;
    }
    if (read.kind === "loose") this.#loose = { entry, quote: read.quote, end: -1 };
    if (this.#loose) this.#looseEnd(text, entry.valueStart + text.length, entry.valueStart + 1);
    this.#contentEnd = entry.valueEnd;
    if (read.kind === "closed") this.#contentEnd = entry.valueStart + text.length;
    source.seek(next);
    return true;
  }

  /** A value in brackets goes on; a line that can't be inside ends it. */
  #bracketLine(source: Source, brackets: Brackets, line: string, next: number): Step {
    const entry = this.#entries.at(-1) as Entry;
    const text = line.trim();
    const outside = source.offset > entry.valueStart && !brackets.inString;
    if (outside && (this.#endsAt(line, text, source.offset) === "fence" || documentStart.test(line))) {
      this.#note("attp/syntax", entry.valueStart, entry.valueEnd);
      this.#brackets = undefined;
      return undefined;
    }
    const closed = brackets.line(line);
    entry.valueEnd = entry.bodyEnd = this.#contentEnd = next - (line.length - line.trimEnd().length);
    if (closed >= 0) {
      const lineStart = Math.max(source.offset, entry.valueStart);
      entry.valueEnd = entry.bodyEnd = lineStart + closed;
      this.#contentEnd = lineStart + line.trimEnd().length;
      if (!restPattern.test(line.slice(closed))) this.#note("attp/syntax", lineStart + closed, this.#contentEnd);
      this.#brackets = undefined;
    }
    source.seek(next);
    return undefined;
  }

  /** A one-line string that was not closed on its line goes on, up to the next key that is known. */
  #looseLine(source: Source, line: string, next: number): Step {
    const text = line.trim();
    const entry = this.#key(source);
    const ends = this.#endsAt(line, text, source.offset) || headerPattern.test(line) || entry?.field !== undefined;
    if (ends) {
      this.#endLoose(source);
      return undefined;
    }
    this.#looseEnd(line.trimEnd(), source.offset + line.trimEnd().length, source.offset);
    source.seek(next);
    return undefined;
  }

  /** Notes the last quote of a line, when nothing but a comment follows it. */
  #looseEnd(line: string, lineEnd: number, from: number): void {
    const { quote } = this.#loose as { quote: RegExp };
    const match = quote.exec(line);
    if (!match) return;
    const at = lineEnd - line.length + match.index;
    if (at >= from && this.#loose) this.#loose.end = at + 1;
  }

  #endLoose(source: Source): void {
    const { entry, end } = this.#loose as { entry: Entry; end: number };
    this.#loose = undefined;
    if (end < 0) {
      const lineBreak = source.slice(entry.valueStart, source.offset).indexOf("\n");
      entry.bodyEnd = entry.valueEnd = entry.valueStart + Math.max(0, lineBreak);
      this.#note("attp/syntax", entry.valueStart, entry.valueEnd, "The string is not closed.");
    } else {
      entry.bodyEnd = end - 1;
      entry.valueEnd = end;
      this.#note("attp/loose-string", entry.valueStart, end);
    }
    this.#contentEnd = entry.valueEnd;
    source.seek(entry.valueEnd);
    const lineBreak = source.text.indexOf("\n", source.at);
    source.at = lineBreak < 0 ? source.text.length : lineBreak + 1;
  }

  /** A line that is no TOML: an open question is answered, a bare document is over, a fenced one has a fault. */
  #garbage(source: Source, line: string, next: number, end: EndOptions | undefined): Step {
    if (this.#pending) return this.#rollBack(source);
    const start = source.offset;
    const cut = end !== undefined && isCut(end) && next === source.length && /^[\w[" ]*=?[ \t]*$/.test(line);
    if (!this.#options.fence && !cut) {
      this.#doubtLine(source, start);
      // A later key's string took over the question where the code ends: its quotes may have been data.
      if (this.#codeEnd && !this.#forced) this.#doubtAt(this.#codeEnd);
      return this.#finish(source, start, start, { closed: false });
    }
    if (!cut) {
      const isStray = this.#forced && this.#entries.at(-1)?.field === "code";
      const code = isStray ? "attp/stray-text" : "attp/syntax";
      this.#note(code, start + line.length - line.trimStart().length, start + line.trimEnd().length);
    }
    this.#contentEnd = start + line.trimEnd().length;
    source.seek(next);
    return undefined;
  }

  #note(code: Note["code"], start: number, end: number, message?: string): void {
    this.#notes.push({ code, start, end, message });
  }

  /** The text ends outside of a multi-line string. */
  #atEnd(source: Source, end: EndOptions): Step {
    if (this.#loose) {
      if (this.#loose.end >= 0) {
        this.#endLoose(source);
        return undefined;
      }
      const { entry } = this.#loose;
      this.#loose = undefined;
      entry.cut = true;
      entry.valueEnd = entry.bodyEnd = this.#contentEnd = source.length;
      return this.#finish(source, source.length, source.length, { closed: false, truncated: true });
    }
    if (this.#brackets) {
      const entry = this.#entries.at(-1) as Entry;
      entry.valueEnd = entry.bodyEnd = source.length;
      return this.#finish(source, source.length, source.length, { closed: false, truncated: true });
    }
    const stopped = end.stopSequence !== undefined && this.#stops(end.stopSequence);
    return this.#finish(source, source.length, source.length, { closed: stopped, truncated: isCut(end) && !stopped });
  }

  /** Whether the stop sequence that the provider took away ended the document. */
  #stops(stopSequence: string): boolean {
    const { fence } = this.#options;
    const text = stopSequence.trim();
    if (fence && text.startsWith(fence.mark.repeat(3))) return true;
    return /^\[tool_result\]/i.test(text);
  }

  /** The text ends inside a multi-line string. */
  #openAtEnd(source: Source, open: OpenString, end: EndOptions): Step {
    const { entry, dead, fenceEnd } = open;
    const { fence } = this.#options;
    if (!isCut(end) && fenceEnd) return this.#force(source, fenceEnd);
    if (!isCut(end) && !fence && dead?.clean && open.runs % 2 === 1) return this.#force(source, dead);
    source.seek(source.length);
    if (end.stopSequence?.trim().startsWith(open.quotes.mark.repeat(3))) {
      entry.cut = true;
      entry.bodyEnd = entry.valueEnd = this.#contentEnd = source.length;
      this.#string = undefined;
      return undefined;
    }
    entry.cut = true;
    entry.bodyEnd = entry.valueEnd = this.#contentEnd = source.length;
    return this.#finish(source, source.length, source.length, { closed: false, truncated: true });
  }

  #finish(
    source: Source,
    end: number,
    segmentEnd: number,
    how: { closed: boolean; truncated?: boolean },
  ): BlockEnd<AttpDocument> {
    if (this.#loose) this.#endLoose(source);
    this.#doubtKeys(source);
    return this.#cutFromThought(source, how.truncated === true) ?? this.#end(source, end, segmentEnd, how);
  }

  /** Code that holds a line which begins a document is uncertain; if all that follows is a thought, that document begins there. */
  #cutFromThought(source: Source, truncated: boolean): BlockEnd<AttpDocument> | undefined {
    const { fence, language, allows } = this.#options;
    const entry = this.#of("code").at(-1);
    const watch = this.#watch;
    if (!entry || !watch || watch.openers.length === 0) return undefined;
    const opener = openerOutside(source, entry, watch.openers, truncated, language);
    if (!opener) return undefined;
    const text = source.slice(opener.start, entry.bodyEnd);
    const isThought = opener.kind === "thought" && endsInThought.test(text);
    if (isThought && allows("attp/inner-quotes")) {
      const seam = findSeam(source, entry.bodyStart, opener, watch, fence, language);
      if (seam) return this.#endAtSeam(source, entry, seam);
    }
    const line = text.slice(0, text.indexOf("\n") < 0 ? text.length : text.indexOf("\n"));
    this.#doubt ??= { start: opener.start, end: opener.start + line.trimEnd().length, message: openerInCode };
    return undefined;
  }

  #end(
    source: Source,
    end: number,
    segmentEnd: number,
    how: { closed: boolean; truncated?: boolean },
  ): BlockEnd<AttpDocument> {
    const { fence, indent, start } = this.#options;
    const scan: Scan = {
      source,
      start,
      end: fence ? end : this.#contentEnd,
      entries: this.#entries,
      headers: this.#headers,
      notes: this.#notes,
      fence,
      closedFence: how.closed,
      indent,
      truncated: how.truncated ?? false,
      doubt: this.#doubt,
    };
    const block = this.#options.finish(scan, this.#sent);
    return { block, end: segmentEnd, closedFence: how.closed && fence !== undefined };
  }
}

const unsureEnd = "The code was taken to end here; what follows may be part of it.";
const openerInCode = "The code holds a line that begins a document; it was taken to end before it, or is not certain.";
const surplusQuotes = "Code begins and ends with three quotes; more of them were left out.";

/** A fence that opens after another one was closed. */
const opensOther = /^[ \t]*(?:`{3,}|~{3,})[ \t]*\w/;

/** Nothing but a thought that goes on to the end. */
const endsInThought = /^[^\n=:]*[=:][ \t]*(?:('''|"""|'|")(?:(?!\1)[\s\S])*)?$/;

function isSpace(code: number): boolean {
  return code === 32 || code === 9 || code === 13;
}

/** The message did not end by itself. */
function isCut({ finish }: EndOptions): boolean {
  return finish === "length" || finish === "filter" || finish === "error";
}
