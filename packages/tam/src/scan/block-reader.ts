import type { EndOptions } from "@toolglot/core";
import { type BlockEnd, type BlockReader, closesFence, type Fence, isCutOff, type Source } from "@toolglot/core/text";
import type { TamBlock } from "../types.ts";
import { Draft, isStopped } from "./draft.ts";
import { noteFields, signsOf } from "./field-doubts.ts";
import { fieldAt, isCutEndMarker, type Marker, markerAt } from "./marks.ts";
import type { Note, ReaderHost, Shared } from "./scan.ts";
import { readAfterCloser } from "./value-end.ts";
import { openValue, readValue } from "./value-reader.ts";

type Step = BlockEnd<TamBlock> | "more" | undefined;

const likeMarker = /(?:request|end)[_ -]?tool/i;

/**
 * Follows a block as it comes in, and finds its fields and its end.
 *
 * ```text
 * <|[REQUEST_TOOL]|>
 * command:»»»List«««      between fields: a field begins, this class
 *         ^^^^^^^         inside a value: value-reader.ts
 *                ^^^^     behind a closer: value-end.ts decides whether the value ends
 * # a comment             between fields: comments, stray text, the block's end
 * <|[END_TOOL]|>
 * ```
 */
export class TamReader implements BlockReader<TamBlock> {
  readonly start: number;
  readonly #draft: Draft;
  /** Text between fields that was skipped, as long as more of it may follow. */
  #stray: Note | undefined;
  /** Skipped text that looks like a marker: what follows it may be another block. */
  #marker: Note | undefined;

  constructor(start: number, head: Marker, fence: Fence | undefined, shared: Shared, host: ReaderHost) {
    this.start = start;
    this.#draft = new Draft(start, head, fence, shared, host);
  }

  get waitsForLine(): boolean {
    return this.#draft.waitsForLine;
  }

  read(source: Source, end?: EndOptions): BlockEnd<TamBlock> | undefined {
    const draft = this.#draft;
    if (source.offset < draft.scan.head) source.seek(draft.lineStart);
    for (;;) {
      draft.waitsForLine = false;
      const { value, closer } = draft;
      const done = !value
        ? this.#between(source, end)
        : closer
          ? readAfterCloser(draft, source, value, closer, end)
          : readValue(draft, source, value, end);
      if (done === "more") return undefined;
      if (done) return done;
    }
  }

  /** Reads between fields. */
  #between(source: Source, end: EndOptions | undefined): Step {
    const draft = this.#draft;
    if (!draft.skipSpace(source)) return end ? this.#finish(source.length, end) : "more";
    const { text, at, base } = source;
    const ended = end !== undefined;
    const field = fieldAt(text, at, ended);
    if (field === "more") return "more";
    if (field) {
      if (this.#marker) this.#marker.affectsValue = true;
      this.#stray = undefined;
      openValue(draft, source, field);
      return undefined;
    }
    const marker = text.charCodeAt(at) === 60 ? markerAt(text, at, ended) : undefined;
    if (marker && marker !== "more") {
      if (!marker.isStart) {
        draft.scan.closed = true;
        draft.scan.end = base + marker.end;
        return this.#finish(base + marker.next);
      }
      if (draft.fresh) return this.#finish(draft.lineStart);
    }
    const lineBreak = text.indexOf("\n", at);
    if (marker === "more" || (lineBreak < 0 && !ended)) {
      draft.waitsForLine = true;
      return "more";
    }
    const lineEnd = lineBreak < 0 ? text.length : lineBreak;
    const line = text.slice(at, lineEnd).trimEnd();
    // A result that the model made up is no part of its call.
    if (draft.fresh && /^<\|\[TOOL_RESULT\]\|>/i.test(line)) return this.#finish(draft.lineStart);
    source.at = lineEnd;
    if (draft.fresh && draft.fence && closesFence(line, draft.fence))
      return this.#finish(base + (lineBreak < 0 ? lineEnd : lineEnd + 1), undefined, true);
    this.#line(line, base + at, lineBreak < 0);
    return undefined;
  }

  /** Reads a line between fields that opens none. */
  #line(line: string, start: number, last: boolean): void {
    const { scan, host, fresh, signs } = this.#draft;
    const span = { start, end: start + line.length };
    scan.end = span.end;
    if (line.startsWith("#")) {
      const comment = { text: line.slice(1).trim(), span };
      scan.comments.push(comment);
      signs.push(...signsOf(line, start, "comment"));
      host.comment(comment);
      this.#stray = undefined;
      return;
    }
    // Fences inside the markers belong to them; an end marker that the end cut off is one.
    if (fresh && /^(?:`{3,}|~{3,})[^`]*$/.test(line)) return;
    if (last && isCutEndMarker(line)) return;
    // A field that the end cut off, before its value.
    if (last && /^[\p{L}\p{N}_-]+[ \t]*\d*[ \t]*(?:[:：=][^\n]{0,40})?$/u.test(line)) scan.cut = true;
    const affectsValue =
      /[«»《》<>]{2}|[:：=][ \t]*\S/.test(line) || (!fresh && /[\p{L}\p{N}]/u.test(line)) || /<\/?th/i.test(line);
    signs.push(...signsOf(line, start, fresh ? "line" : "rest"));
    if (this.#stray) {
      this.#stray.end = span.end;
      this.#stray.affectsValue ||= affectsValue;
    } else {
      this.#stray = { code: "stray-text", ...span, affectsValue };
      scan.notes.push(this.#stray);
    }
    if (likeMarker.test(line)) this.#marker ??= this.#stray;
  }

  /** Ends the block; `end` when the text ends with it. */
  #finish(next: number, end?: EndOptions, closedFence = false): BlockEnd<TamBlock> {
    const draft = this.#draft;
    const { scan, shared, host, lastEnd } = draft;
    if (end && !scan.cut && isStopped(end)) scan.closed = true;
    if (!scan.closed) {
      if (end) {
        if (lastEnd.uncertain) draft.ambiguous(lastEnd.uncertain);
        scan.cut ||= lastEnd.isNear === true;
        scan.doubtful = lastEnd.mayGoOn === true && end.finish !== "stop";
      }
      // Another block begins behind text that is no field: this one was given up.
      else if (!closedFence && this.#stray) scan.doubtful = true;
      scan.cut ||= lastEnd.isUnclosed || draft.doubtful || isCutOff(end);
    }
    draft.noteDelimiters();
    noteFields(draft);
    if (shared.inner) draft.ambiguous(scan);
    else if (!end && !scan.closed) shared.inner = scan.notes.some(isDoubt);
    const block = host.finish(scan);
    return { block, diagnostics: block.diagnostics, end: next, closedFence };
  }
}

/** Whether a note means that a value may be another one. */
function isDoubt({ code, affectsValue }: Note): boolean {
  return affectsValue || code === "unclosed-value" || code === "ambiguous-delimiter";
}
