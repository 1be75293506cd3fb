import type { EndOptions } from "@toolglot/core";
import { type BlockEnd, type BlockReader, closesFence, isCutOff, openFence, type Source } from "@toolglot/core/text";
import { isUnseen, lineEnd } from "@toolglot/internal";
import type { AttpDocument } from "../types.ts";
import { Draft, openerInCode } from "./draft.ts";
import type { Entry, ReaderOptions } from "./entry.ts";
import { headerPattern, keyParts, toolCallName } from "./patterns.ts";
import { findSeam, openerOutside } from "./seam.ts";
import { admits, doubtEnd, doubtKeys, doubtLine, doubtQuotes, force, rollBack, settle } from "./string-ends.ts";
import { type Cut, opensString, readString, type Wait } from "./string-reader.ts";
import type { OpenString } from "./string-scan.ts";
import { cutOff, isOpen, readFurther, readValue } from "./value-lines.ts";

/** Undefined: reading continues at once. */
type Step = BlockEnd<AttpDocument> | Wait;

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
  readonly #draft: Draft;
  /** Other text stands behind the document in its fence. */
  #fenceGoesOn = false;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.start = options.start;
    this.#draft = new Draft(options);
  }

  read(source: Source, end?: EndOptions): BlockEnd<AttpDocument> | undefined {
    for (;;) {
      const done = this.#step(source, end);
      if (typeof done === "object") return done;
      this.waitsForLine = done === "line";
      if (done) return undefined;
    }
  }

  #step(source: Source, end: EndOptions | undefined): Step {
    const { open } = this.#draft;
    if (open) {
      const done = readString(this.#draft, source, open, end !== undefined);
      if (done === "end") return this.#openAtEnd(source, open, end ?? {});
      return typeof done === "object" ? this.#endAtCut(source, done) : done;
    }
    if (source.at >= source.text.length) return end ? this.#atEnd(source, end) : "more";
    const goesOn = isOpen(this.#draft);
    const entry = goesOn ? undefined : this.#draft.key(source);
    if (entry && opensString(this.#draft, source, entry)) return undefined;
    const { length } = source.text;
    const to = lineEnd(source.text, source.at);
    if (to === length && !end) return "line";
    const line = source.text.slice(source.at, to);
    const next = source.base + Math.min(to + 1, length);
    return goesOn ? this.#furtherLine(source, line, next) : this.#line(source, entry, line, next, end);
  }

  /** Reads a line outside of values. */
  #line(source: Source, entry: Entry | undefined, line: string, next: number, end: EndOptions | undefined): Step {
    const start = source.offset;
    if (!admits(this.#draft, start)) return rollBack(this.#draft, source);
    const text = line.trim();
    if (isUnseen(text) || text.startsWith("#")) {
      if (text.startsWith("#")) this.#draft.contentEnd = start + line.trimEnd().length;
      else if (/[^ \t\r]/.test(line)) this.#draft.note("odd-delimiters", start, start + line.length);
      source.seek(next);
      return undefined;
    }
    const ends = this.#endsAt(line, text, start);
    if (ends) return this.#finish(source, start, false, ends === "fence" ? next : undefined);
    const header = headerPattern.exec(line);
    if (header) {
      const call = toolCallName(keyParts((header[2] ?? "").trim()).join("."));
      if (call && this.#draft.complete()) return this.#beginNext(source, start);
      settle(this.#draft);
      this.#draft.header(line, start, header, call);
      source.seek(next);
      return undefined;
    }
    if (entry && this.#draft.beginsNext(entry)) return this.#beginNext(source, start);
    if (entry && readValue(this.#draft, source, entry, line, next)) return undefined;
    return this.#garbage(source, line, next, end);
  }

  /** Reads a further line of a value. */
  #furtherLine(source: Source, line: string, next: number): undefined {
    const known = headerPattern.test(line) || this.#draft.key(source)?.field !== undefined;
    const ends = this.#endsAt(line, line.trim(), source.offset) ?? (known ? "key" : undefined);
    readFurther(this.#draft, source, line, next, ends);
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

  /** Ends the document before a line that begins the next, or before the thought that already belongs to it. */
  #beginNext(source: Source, start: number): BlockEnd<AttpDocument> {
    doubtEnd(this.#draft, source);
    const { entries } = this.#draft;
    const last = entries.at(-1);
    const isLate = last?.field === "thought" && entries.length > 1 && this.#draft.complete() && last.table > 0;
    const end = isLate ? this.#draft.dropLine(source) : start;
    return this.#finish(source, end);
  }

  /** Reads a line that is no TOML: an open question is answered, a bare document is over, a fenced one has a fault. */
  #garbage(source: Source, line: string, next: number, end: EndOptions | undefined): Step {
    if (this.#draft.pending) return rollBack(this.#draft, source);
    const draft = this.#draft;
    const start = source.offset;
    const cut = end !== undefined && isCutOff(end) && next === source.length && /^[\w[" ]*=?[ \t]*$/.test(line);
    if (!this.#options.fence && !cut) {
      doubtLine(draft, source, start);
      // A later key's string took over the question where the code ends: its quotes may have been data.
      if (draft.codeEnd && !draft.forced) doubtQuotes(draft, draft.codeEnd);
      return this.#finish(source, start);
    }
    if (!cut) {
      const isBehind = draft.forced && draft.entries.at(-1)?.field === "code";
      // The fence holds more than the document: the text layer reports what that means.
      if (isBehind && hasWords.test(line.replace(tags, ""))) {
        this.#fenceGoesOn = true;
        return this.#finish(source, start);
      }
      draft.note(
        isBehind ? "stray-text" : "syntax",
        start + line.length - line.trimStart().length,
        start + line.trimEnd().length,
      );
    }
    draft.contentEnd = start + line.trimEnd().length;
    source.seek(next);
    return undefined;
  }

  /** Handles the end of the text outside of a multi-line string. */
  #atEnd(source: Source, end: EndOptions): Step {
    const { length } = source;
    if (isOpen(this.#draft)) return cutOff(this.#draft, source) ? this.#finish(source, length, true) : undefined;
    const stopped = end.stopSequence !== undefined && this.#stops(end.stopSequence);
    return this.#finish(source, length, isCutOff(end) && !stopped, stopped ? length : undefined);
  }

  /** Whether the stop sequence that the provider took away ended the document. */
  #stops(stopSequence: string): boolean {
    const { fence } = this.#options;
    const text = stopSequence.trim();
    if (fence && text.startsWith(fence.mark.repeat(3))) return true;
    return /^\[tool_result\]/i.test(text);
  }

  /** Handles the end of the text inside a multi-line string. */
  #openAtEnd(source: Source, open: OpenString, end: EndOptions): Step {
    const { entry, dead, fenceEnd, quotes } = open;
    if (!isCutOff(end)) {
      if (fenceEnd) return force(this.#draft, source, fenceEnd);
      if (!this.#options.fence && dead?.clean && open.runs % 2 === 1) return force(this.#draft, source, dead);
    }
    const { length } = source;
    source.seek(length);
    entry.cut = true;
    entry.bodyEnd = entry.valueEnd = this.#draft.contentEnd = length;
    if (!end.stopSequence?.trim().startsWith(quotes.mark.repeat(3))) return this.#finish(source, length, true);
    this.#draft.open = undefined;
    return undefined;
  }

  /** Finishes the document. `closed`: offset after what closes the document, if something does. */
  #finish(source: Source, end: number, truncated = false, closed?: number): BlockEnd<AttpDocument> {
    doubtKeys(this.#draft, source);
    const cut = this.#cutFromThought(source, truncated);
    return cut ? this.#endAtCut(source, cut) : this.#end(source, end, truncated, closed);
  }

  /** Checks code for a line which begins a document: it is uncertain, and if all that follows is a thought, that document begins there. */
  #cutFromThought(source: Source, truncated: boolean): Cut | undefined {
    const { fence, language, allows } = this.#options;
    const code = this.#draft.of("code").at(-1);
    const { watch } = this.#draft;
    if (!code || !watch || watch.openers.length === 0) return undefined;
    const opener = openerOutside(source, code, watch.openers, truncated, language);
    if (!opener) return undefined;
    const text = source.slice(opener.start, code.bodyEnd);
    if (opener.kind === "thought" && endsInThought.test(text) && allows("inner-quotes")) {
      const seam = findSeam(source, code.bodyStart, opener, watch, fence, language);
      if (seam) return { code, seam };
    }
    const line = text.slice(0, lineEnd(text, 0));
    this.#draft.doubt ??= {
      start: opener.start,
      end: opener.start + line.trimEnd().length,
      message: openerInCode,
    };
    return undefined;
  }

  /** Ends the document inside its code, where another one begins. */
  #endAtCut(source: Source, { code, seam }: Cut): BlockEnd<AttpDocument> {
    this.#draft.open = this.#draft.pending = this.#draft.doubt = undefined;
    this.#draft.cutAt(code, seam);
    return this.#end(source, seam.end, false, seam.closedFence ? seam.end : undefined);
  }

  #end(source: Source, end: number, truncated: boolean, closed: number | undefined): BlockEnd<AttpDocument> {
    const { fence, start, allows } = this.#options;
    const { entries, headers, notes, doubt, contentEnd } = this.#draft;
    const indent = fence || !allows("indented") ? this.#options.indent : commonLead(source.slice(start, contentEnd));
    const { block, diagnostics } = this.#options.finish(
      {
        source,
        start,
        end: fence ? end : contentEnd,
        entries,
        headers,
        notes,
        fence,
        closedFence: closed !== undefined || this.#fenceGoesOn,
        indent,
        truncated,
        doubt,
      },
      this.#draft.streams,
    );
    return { block, diagnostics, end: closed ?? end, closedFence: closed !== undefined && fence !== undefined };
  }
}

/** Returns how far a document without a fence is indented as a whole. Quotes alone on their line don't count. */
function commonLead(text: string): number {
  const [lead = ""] = /^[^\S\n]*/.exec(text) ?? [];
  if (lead === "") return 0;
  const isWhole = text
    .split("\n")
    .every((line) => line.startsWith(lead) || isUnseen(line) || /^\s*['"]{3}\s*$/.test(line));
  return isWhole ? lead.length : 0;
}

const hasWords = /[\p{L}\p{N}]/u;
const tags = /<[^<>]*>/g;

/** Nothing but a thought that continues to the end. */
const endsInThought = /^[^\n=:]*[=:][ \t]*(?:('''|"""|'|")(?:(?!\1)[\s\S])*)?$/;
