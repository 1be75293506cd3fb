import type { EndOptions, Span } from "@toolglot/core";
import { type BlockEnd, type BlockReader, closesFence, type Fence, isCutOff, type Source } from "@toolglot/core/text";
import { isBlank } from "@toolglot/internal";
import { ValueStream } from "../fields/value.ts";
import { normalizeKey } from "../names.ts";
import type { TamBlock } from "../types.ts";
import {
  closerOf,
  type FieldStart,
  familyOf,
  fieldAt,
  isCutEndMarker,
  isMark,
  isOpening,
  isSpace,
  isUndecided,
  longestIndent,
  looksLikeField,
  type Marker,
  markerAt,
  mirror,
  type Run,
  separatorBefore,
} from "./marks.ts";
import type { Field, Note, OpenValue, ReaderHost, Scan, Shared } from "./scan.ts";

type Step = BlockEnd<TamBlock> | "more" | undefined;

const marks = /[»》>]{2}|[«《<]{2}|<[ \t]{0,9}\|/g;
/** A separator and an opener; the name of a marker. */
const grammarInside = /[:：=][ \t\u00a0\u3000]{0,32}([»》](?!\u200b)[»》]{0,8}|>{2,9})|(?:request|end)[_ -]?tool/gi;
/** A short closer with a key and one mark behind it, or before the right closer. */
const betweenFields = /[«《]\s{0,99}[\p{L}_][\p{L}\p{N}_-]{0,99}[:：=][ \t]?[»》]|[«《][ \t]{1,99}$(?![\s\S])/mu;
/** Marks that don't pair up: at the end; a closer before a key; one mark behind a key. */
const oddMarks =
  /[«《][ \t]{0,99}$(?![\s\S])|(?:[«《]{2,9}[ \t]{0,9}|[«《][ \t]{0,9}\n\s{0,99})[\p{L}_][\p{L}\p{N}_-]{0,99}[ \t]{0,9}[:：=»》]|[\p{L}\p{N}_-][:：=]»|^[ \t]{0,99}[\p{L}_][\p{L}\p{N}_-]{0,99}[:：=][ \t]»/mu;
const likeMarker = /(?:request|end)[_ -]?tool/i;
const marksOrFence = /[»》>]{2}|[«《<]{2}|<[ \t]{0,9}\||^[ \t]{0,99}(?:`{3}|~{3})/gm;

/**
 * Follows a block as it comes in, and finds its fields and its end.
 *
 * A value ends at a closer of its own family that is followed by what may follow a value: a field, a comment, a marker, a
 * fence, the end. Openers inside a value count: as many closers belong to them. When the text shows that they never
 * balance, reading goes back to the first of them, and from there on they are taken for fields (`flat`). Where an opener
 * without a match stands is remembered, so that none is looked at a third time. Text before a doubt is final, and streams.
 */
export class TamReader implements BlockReader<TamBlock> {
  readonly start: number;
  waitsForLine = false;
  readonly #host: ReaderHost;
  readonly #fence: Fence | undefined;
  readonly #scan: Scan;
  readonly #pattern: RegExp;
  readonly #shared: Shared;
  #value: OpenValue | undefined;
  #closer: Run | undefined;
  /** Only white space stands between `#lineStart` and where reading goes on. */
  #fresh = true;
  #lineStart: number;
  /** White space at the beginning of the line at hand. */
  #indent = 0;
  #stray: Note | undefined;
  /** Skipped text that looks like a marker: what follows it may be another block. */
  #marker: Note | undefined;
  #standard = false;
  /** The first delimiter that is not standard, up to the last one that does not answer its opener. */
  #odd: Note | undefined;
  #four = false;
  /** A value was open at the end of the text: fields after it may have been its text. */
  #doubtful = false;
  /** The last value has no closer. */
  #unclosed = false;
  /** Its closer, when plain text follows that; `near` when no empty line stands between. */
  #loose: Run | undefined;
  #near = false;
  /** It may have gone on. */
  #goesOn = false;

  constructor(start: number, head: Marker, fence: Fence | undefined, shared: Shared, host: ReaderHost) {
    this.start = start;
    this.#host = host;
    this.#shared = shared;
    this.#fence = fence;
    this.#pattern = fence ? marksOrFence : marks;
    this.#lineStart = head.next;
    this.#scan = {
      start,
      head: head.end,
      end: head.end,
      fields: [],
      comments: [],
      notes: [],
      closed: false,
      cut: false,
      doubtful: false,
    };
  }

  read(source: Source, end?: EndOptions): BlockEnd<TamBlock> | undefined {
    if (source.offset < this.#scan.head) source.seek(this.#lineStart);
    for (;;) {
      this.waitsForLine = false;
      const value = this.#value;
      const done = !value
        ? this.#between(source, end)
        : this.#closer
          ? this.#after(source, value, this.#closer, end)
          : this.#inside(source, value, end);
      if (done === "more") return undefined;
      if (done) return done;
    }
  }

  /** Passes over white space; false at the end of the text so far. */
  #skip(source: Source): boolean {
    const { text } = source;
    let { at } = source;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === 10) {
        this.#fresh = true;
        this.#lineStart = source.base + at + 1;
      } else if (!isSpace(code)) break;
    }
    source.at = at;
    return at < text.length;
  }

  /** Between fields. */
  #between(source: Source, end: EndOptions | undefined): Step {
    if (!this.#skip(source)) return end ? this.#finish(source.length, end) : "more";
    const { text, at, base } = source;
    const ended = end !== undefined;
    const field = fieldAt(text, at, ended);
    if (field === "more") return "more";
    if (field) return this.#open(source, field);
    const marker = text.charCodeAt(at) === 60 ? markerAt(text, at, ended) : undefined;
    if (marker && marker !== "more") {
      if (!marker.isStart) {
        this.#scan.closed = true;
        this.#scan.end = base + marker.end;
        return this.#finish(base + marker.next);
      }
      if (this.#fresh) return this.#finish(this.#lineStart);
    }
    const lineBreak = text.indexOf("\n", at);
    if (marker === "more" || (lineBreak < 0 && !ended)) {
      this.waitsForLine = true;
      return "more";
    }
    const lineEnd = lineBreak < 0 ? text.length : lineBreak;
    const line = text.slice(at, lineEnd).trimEnd();
    // A result that the model made up is no part of its call.
    if (this.#fresh && /^<\|\[TOOL_RESULT\]\|>/i.test(line)) return this.#finish(this.#lineStart);
    source.at = lineEnd;
    if (this.#fresh && this.#fence && closesFence(line, this.#fence))
      return this.#finish(base + (lineBreak < 0 ? lineEnd : lineEnd + 1), undefined, true);
    this.#line(line, base + at, lineBreak < 0);
    return undefined;
  }

  /** A line between fields that opens none. */
  #line(line: string, start: number, last: boolean): void {
    const span = { start, end: start + line.length };
    this.#scan.end = span.end;
    if (line.startsWith("#")) {
      const comment = { text: line.slice(1).trim(), span };
      this.#scan.comments.push(comment);
      this.#host.comment(comment);
      this.#stray = undefined;
      return;
    }
    // Fences inside the markers belong to them; an end marker that the end cut off is one.
    if (this.#fresh && /^(?:`{3,}|~{3,})[^`]*$/.test(line)) return;
    if (last && isCutEndMarker(line)) return;
    // A field that the end cut off, before its value.
    if (last && /^[\p{L}\p{N}_-]+[ \t]*\d*[ \t]*(?:[:：=][^\n]{0,40})?$/u.test(line)) this.#scan.cut = true;
    const affectsValue =
      /[«»《》<>]{2}|[:：=][ \t]*\S/.test(line) || (!this.#fresh && /[\p{L}\p{N}]/u.test(line)) || /<\/?th/i.test(line);
    if (this.#stray) {
      if (likeMarker.test(line)) this.#marker ??= this.#stray;
      this.#stray.end = span.end;
      this.#stray.affectsValue ||= affectsValue;
      return;
    }
    this.#stray = { code: "stray-text", ...span, affectsValue };
    this.#scan.notes.push(this.#stray);
    if (likeMarker.test(line)) this.#marker ??= this.#stray;
  }

  #open(source: Source, { key, separator, opener }: FieldStart): undefined {
    const { base, at } = source;
    const keyStart = base + at;
    const bodyStart = base + opener.end;
    if (this.#fresh) this.#indent = keyStart - this.#lineStart;
    if (this.#marker) this.#marker.affectsValue = true;
    const field: Field = {
      number: this.#scan.fields.length,
      key,
      keyStart,
      keyEnd: keyStart + key.length,
      bodyStart,
      bodyEnd: bodyStart,
      end: bodyStart,
      indent: this.#indent,
      raw: "",
    };
    this.#scan.fields.push(field);
    const run = { start: base + opener.start, end: bodyStart, text: opener.text };
    if (separator === "=") {
      const separatorAt = source.text.lastIndexOf("=", opener.start) + base;
      this.#note("equals-separator", separatorAt, separatorAt + 1);
    }
    // Whether the value begins after three or after four marks is told by its closer.
    const emit = opener.text.length > 3 ? undefined : this.#host.begin(field);
    this.#value = {
      field,
      opener: run,
      family: familyOf(run.text),
      stream: emit && new ValueStream(bodyStart, field.indent, emit),
      // The name of a tool is no text that could hold fields.
      isName: isCommand(key),
      flat: this.#shared.flat.has(bodyStart) || isCommand(key),
      nested: [],
      bodies: [],
      loose: [],
      asFields: false,
      opens: false,
      pendingNear: false,
      doubtFresh: false,
      ended: false,
      fenceEnded: false,
      started: 0,
    };
    this.#stray = undefined;
    this.#fresh = false;
    source.at = opener.end;
    return undefined;
  }

  #used(run: Run, standard: string): void {
    if (run.text === standard) this.#standard = true;
    else this.#odd ??= { code: "alternate-delimiters-used", start: run.start, end: run.end };
    if (run.text.length === 4) this.#four = true;
  }

  /** Inside a value: goes to the next mark. */
  #inside(source: Source, value: OpenValue, end: EndOptions | undefined): Step {
    const { text, base } = source;
    const ended = end !== undefined;
    const pattern = this.#pattern;
    /** What stands before was dealt with. */
    let seen = source.at;
    pattern.lastIndex = seen;
    for (let match = pattern.exec(text); match; match = pattern.exec(text)) {
      const at = match.index;
      const mark = text.charAt(at);
      if (match[0].endsWith("|")) {
        const indent = this.#indentOf(source, at);
        if (indent < 0) continue;
        const marker = markerAt(text, at, ended);
        if (marker === "more") {
          this.waitsForLine = true;
          return this.#wait(source, value, at - indent, true);
        }
        if (!marker) continue;
        if (this.#atMarker(source, value, marker, base + at - indent)) return undefined;
        seen = pattern.lastIndex = marker.next;
      } else if (/[`~ \t]/.test(mark)) {
        if (at === source.at ? !this.#fresh : text.charCodeAt(at - 1) !== 10) continue;
        const lineBreak = text.indexOf("\n", at);
        if (lineBreak < 0 && !ended) {
          if (!/^[ \t]*(?:`+|~+)[ \t\r]*$/.test(text.slice(at, at + 300))) continue;
          return this.#wait(source, value, at, true);
        }
        const line = text.slice(at, lineBreak < 0 ? text.length : lineBreak);
        if (this.#fence && closesFence(line, this.#fence) && this.#atFence(source, value, base + at)) return undefined;
      } else {
        const opens = isOpening(mark.charCodeAt(0));
        const done = opens ? this.#atOpener(source, value, at, ended) : this.#atCloser(source, value, at, ended);
        if (done) return done === "more" ? done : undefined;
        seen = pattern.lastIndex;
      }
    }
    if (end) return this.#atEnd(source, value, end);
    const lineBreak = text.lastIndexOf("\n");
    const tail = lineBreak >= source.at ? lineBreak + 1 : this.#fresh ? source.at : -1;
    if (tail >= seen && isUndecided(text, tail)) {
      this.waitsForLine = text.length - tail > 300;
      return this.#wait(source, value, tail, true);
    }
    let hold = text.length;
    while (hold > seen && text.length - hold < 8 && isMark(text.charCodeAt(hold - 1))) hold -= 1;
    const separator = separatorBefore(text, hold, seen);
    if (separator >= 0) hold = separator;
    return this.#wait(source, value, hold, false);
  }

  /** Reads on from an index when more text comes, and gives out what stands before. */
  #wait(source: Source, value: OpenValue, at: number, fresh: boolean): "more" {
    source.at = at;
    this.#fresh = fresh;
    this.#pass(source, value, source.offset);
    return "more";
  }

  #pass(source: Source, { stream, doubt, pending }: OpenValue, end: number): void {
    if (!stream) return;
    if (pending && pending.start < end) end = pending.start;
    if (doubt !== undefined && doubt < end) end = doubt;
    stream.pass(source, end);
  }

  /** White space before an index on its line; -1 when something else stands there, or too much. */
  #indentOf({ text, at: from }: Source, at: number): number {
    let line = at;
    while (line > from && at - line <= longestIndent && isBlank(text.charCodeAt(line - 1))) line -= 1;
    const first = line === from ? this.#fresh : text.charCodeAt(line - 1) === 10;
    return first ? at - line : -1;
  }

  /** Opening marks in a value: a field, or what looks like one within a line. */
  #atOpener(source: Source, value: OpenValue, at: number, ended: boolean): true | "more" | undefined {
    const { text, base, at: from } = source;
    let runEnd = at + 2;
    while (runEnd < text.length && runEnd - at < 9 && isOpening(text.charCodeAt(runEnd))) runEnd += 1;
    const separator = separatorBefore(text, at, from);
    if (separator < 0) {
      this.#pattern.lastIndex = runEnd;
      return undefined;
    }
    const near = text.slice(Math.max(from, at - 256), at);
    const lineBreak = near.lastIndexOf("\n");
    let line =
      lineBreak < 0 ? (this.#fresh && near.length === at - from ? from : -1) : at - near.length + lineBreak + 1;
    let first = line;
    if (line >= 0) while (isBlank(text.charCodeAt(first))) first += 1;
    let field = line >= 0 && first - line <= longestIndent ? fieldAt(text, first, ended) : undefined;
    if (field === "more") return this.#wait(source, value, line, true);
    if (field?.opener.start !== at) {
      // Within a line: read as if it were a field of its own, for the opener's sake.
      line = -1;
      if (runEnd === text.length && runEnd - at < 9 && !ended) return this.#wait(source, value, separator, false);
      field = fieldAt(`x:${text.slice(at, runEnd)} `, 0, true) as FieldStart | undefined;
      if (!field) {
        this.#pattern.lastIndex = runEnd;
        return undefined;
      }
    }
    const { length } = field.opener.text;
    this.#pattern.lastIndex = at + length;
    if (line >= 0 && value.pending) return this.#close(source, value, value.pending);
    if (value.flat) {
      if (line >= 0) return this.#cut(source, value, base + line);
      value.opens ||= (familyOf(field.opener.text) & value.family) !== 0;
      return undefined;
    }
    const own = (familyOf(field.opener.text) & value.family) !== 0;
    if (!own && line < 0) return undefined;
    this.#doubt(value, base + (line < 0 ? separator : line), line >= 0);
    if (!own) return undefined;
    value.opens = true;
    value.nested.push({ body: base + at + length, length });
    value.bodies.push(base + at + length);
    value.asFields ||= line >= 0 && value.started === 0 && this.#host.takes(field.key);
    return undefined;
  }

  #doubt(value: OpenValue, offset: number, fresh: boolean): void {
    if (value.doubt !== undefined) return;
    value.doubt = offset;
    value.doubtFresh = fresh;
  }

  /** Closing marks in a value: what follows tells what they are. */
  #atCloser(source: Source, value: OpenValue, at: number, ended: boolean): true | "more" | undefined {
    const { text, base } = source;
    let end = at + 2;
    while (end < text.length && isMark(text.charCodeAt(end)) && !isOpening(text.charCodeAt(end))) end += 1;
    if (end === text.length && !ended) {
      const waitAt = end - at > 16 ? end - 8 : at;
      return this.#wait(source, value, waitAt, this.#fresh && waitAt === source.at);
    }
    this.#pattern.lastIndex = end;
    if (text.startsWith("<|", end - 1)) {
      const marker = markerAt(text, end - 1, ended);
      if (marker === "more") return this.#wait(source, value, at, this.#fresh && at === source.at);
      if (marker) end -= 1;
    }
    const run = closerOf(text, at, end);
    if (!run) return undefined;
    const own = (familyOf(run.text) & value.family) !== 0;
    if (!own && (value.other || value.nested.length > 0)) return undefined;
    this.#closer = { start: base + run.start, end: base + end, text: run.text };
    source.at = end;
    this.#fresh = false;
    this.#pass(source, value, this.#closer.start);
    return true;
  }

  /** After a closer: what follows it? */
  #after(source: Source, value: OpenValue, closer: Run, end: EndOptions | undefined): Step {
    const more = this.#skip(source);
    if (!more && !end) return "more";
    // At the end of a text without an end marker, a closer shorter than its opener was cut itself.
    const isCut = closer.text.length < value.opener.text.length;
    const follows = more ? this.#follows(source, end !== undefined) : !isCut || isStopped(end);
    if (follows === "more") return "more";
    const maybeField = follows ? false : looksLikeField(source.text, source.at, value.opener.text, end !== undefined);
    if (maybeField === "more") return "more";
    this.#closer = undefined;
    const ends = this.#decide(value, closer, follows, maybeField, source);
    if (ends) {
      if (ends === "again") this.#giveUp(source, value);
      else this.#close(source, value, closer);
      return undefined;
    }
    if (this.#fresh) source.seek(this.#lineStart);
    return undefined;
  }

  /** Whether what stands at the source's place may follow a value. */
  #follows(source: Source, ended: boolean): boolean | "more" {
    const { text, at } = source;
    const mark = text.charAt(at);
    if (mark === "#" && this.#fresh) return true;
    if (mark === "<") {
      const marker = markerAt(text, at, ended);
      if (marker === "more") {
        this.waitsForLine = true;
        return "more";
      }
      if (!marker) return ended && isCutEndMarker(text.slice(at, at + 40));
      return this.#fresh || !marker.isStart;
    }
    if ((mark === "`" || mark === "~") && this.#fresh) {
      const lineBreak = text.indexOf("\n", at);
      const line = text.slice(at, lineBreak < 0 ? at + 300 : lineBreak);
      if (lineBreak < 0 && !ended && /^(?:`+|~+)[ \t\r]*$/.test(line)) {
        this.waitsForLine = true;
        return "more";
      }
      if ((lineBreak >= 0 || ended) && closesFence(line, this.#fence ?? { mark, length: 3 })) return true;
    }
    const field = fieldAt(text, at, ended);
    return field === "more" ? field : field !== undefined;
  }

  /** Whether a closer ends the value now; `again` when what stands in it is rather fields. */
  #decide(value: OpenValue, closer: Run, follows: boolean, maybeField: boolean, source: Source): boolean | "again" {
    if ((familyOf(closer.text) & value.family) === 0) {
      if (!follows || value.other) return false;
      value.other = closer;
      this.#doubt(value, closer.start, false);
      return false;
    }
    if (value.isName) return true;
    const top = value.nested.at(-1);
    if (top) {
      if (!follows && top.length !== closer.text.length) return false;
      value.nested.pop();
      if (!follows) value.loose.push(top.body);
      return false;
    }
    if (follows) return value.asFields && !value.flat ? "again" : true;
    const answers = mirror(closer.text) === value.opener.text;
    if (!answers || (!value.flat && (value.ended || value.started > 0 || value.fenceEnded))) return false;
    value.pending = closer;
    if (maybeField) value.passed ??= closer;
    value.pendingNear = !/\n\s*\n/.test(source.slice(closer.end, source.offset));
    return false;
  }

  /** A marker on a line of its own in a value: true when the value ends before it, or reading goes back. */
  #atMarker(source: Source, value: OpenValue, { isStart }: Marker, line: number): boolean {
    if (value.flat) return this.#cut(source, value, line);
    if (isStart) {
      if (value.ended || value.pending) return this.#giveUp(source, value);
      value.started += 1;
    } else if (value.started > 0) value.started -= 1;
    else value.ended = true;
    this.#doubt(value, line, true);
    return false;
  }

  /** A line in a value that closes the block's fence. */
  #atFence(source: Source, value: OpenValue, line: number): boolean {
    // An end marker is known to come.
    if (value.flat) return value.ended ? false : this.#cut(source, value, line);
    value.fenceEnded = true;
    this.#doubt(value, line, true);
    return false;
  }

  #atEnd(source: Source, value: OpenValue, end: EndOptions): undefined {
    if (isCutOff(end) || (value.started > 0 && isStopped(end))) {
      // What looks like the block's end, or like another block, may be the value's.
      value.pending = value.other = undefined;
      this.#scan.cut = true;
    }
    if (this.#scan.cut || value.flat || value.doubt === undefined) this.#cut(source, value, source.length);
    else {
      this.#doubtful ||= !value.ended;
      this.#giveUp(source, value);
    }
    return undefined;
  }

  /** No closer balances the value: reads it again from where that mattered first. */
  #giveUp(source: Source, value: OpenValue): true {
    if (value.pending) return this.#close(source, value, value.pending);
    for (const body of value.asFields ? value.bodies : value.loose) this.#shared.flat.add(body);
    for (const { body } of value.nested) this.#shared.flat.add(body);
    const { doubt = source.offset } = value;
    value.flat = true;
    value.opens = false;
    value.nested = [];
    value.other = value.doubt = undefined;
    source.seek(doubt);
    this.#fresh = value.doubtFresh;
    return true;
  }

  /** The value has no closer: it ends at an offset, or at a closer of another family. */
  #cut(source: Source, value: OpenValue, end: number): true {
    const closer = value.pending ?? value.other;
    if (closer) return this.#close(source, value, closer);
    const { field, opener } = value;
    this.#used(opener, "»»»");
    this.#endField(source, value, end);
    field.bodyEnd = field.end = field.bodyStart + field.raw.trimEnd().length;
    this.#scan.end = field.end;
    this.#unclosed = true;
    this.#loose = undefined;
    this.#near = false;
    this.#note("unclosed-value", opener.start, field.end);
    source.seek(end);
    this.#fresh = true;
    this.#lineStart = end;
    return true;
  }

  /** The value ends at a closer. */
  #close(source: Source, value: OpenValue, closer: Run): true {
    const { field, opener } = value;
    this.#used(opener, "»»»");
    this.#used(closer, "«««");
    // A fourth mark may be the value's: »quoted« begins and ends with such.
    if (opener.text === "»»»»" && closer.text === "«««") field.bodyStart -= 1;
    else if (opener.text === "»»»" && closer.text === "««««") {
      const body = source.slice(field.bodyStart, closer.start);
      if (body.split("»").length > body.split("«").length) closer = { ...closer, start: closer.start + 1 };
    }
    this.#endField(source, value, closer.start);
    this.#scan.end = field.end = closer.end;
    const { length } = this.#scan.notes;
    const { passed, pending } = value;
    const loose = pending?.end === closer.end;
    if (this.#odd && mirror(closer.text) !== opener.text) {
      this.#odd.end = closer.end;
      this.#odd.affectsValue = true;
    }
    if (value.opens && (value.flat || loose)) this.#ambiguous(closer);
    else if (passed && passed.end < closer.end) this.#ambiguous(passed);
    // The closer twice: the first one may have been the end.
    else if (pending && !loose && source.slice(pending.end, closer.start).trim() === "") this.#ambiguous(pending);
    if (this.#scan.notes.length === length) this.#lookInto(field, value);
    this.#unclosed = false;
    this.#loose = loose ? closer : undefined;
    this.#near = loose && value.pendingNear;
    this.#goesOn = value.flat || value.doubt !== undefined;
    source.seek(closer.end);
    this.#fresh = false;
    return true;
  }

  #ambiguous({ start, end }: Span): void {
    this.#note("ambiguous-delimiter", start, end);
  }

  #note(code: Note["code"], start: number, end: number): void {
    this.#scan.notes.push({ code, start, end });
  }

  #endField(source: Source, value: OpenValue, end: number): void {
    const { field, stream } = value;
    this.#value = undefined;
    field.bodyEnd = end;
    field.raw = source.slice(field.bodyStart, end);
    const lineBreak = field.raw.lastIndexOf("\n");
    if (lineBreak >= 0) this.#indent = field.raw.slice(lineBreak + 1).search(/[^ \t]|$/);
    stream?.pass(source, end);
    this.#host.end(field);
  }

  /** A value that holds what opens a field or is a marker may have lost its closer, and taken in what stood behind it. */
  #lookInto({ bodyStart, raw }: Field, { family, isName }: OpenValue): void {
    for (const { 0: found, 1: opener, index } of raw.matchAll(grammarInside)) {
      const start = bodyStart + index;
      if (!(opener ? this.#opensField(raw, index, opener, family) : isDamaged(raw, index, found.length))) continue;
      this.#ambiguous({ start, end: start + found.length });
      return;
    }
    // Text with a zero-width space was neutralised: nothing of it is a delimiter any more.
    const isData = raw.includes("\u200b");
    const pairsUp = isData || raw.split("«").length === raw.split("»").length;
    const damaged = (isData ? null : betweenFields.exec(raw)) ?? (pairsUp ? null : oddMarks.exec(raw));
    if (damaged) {
      const start = bodyStart + damaged.index;
      this.#ambiguous({ start, end: start + damaged[0].length });
    } else if (isName && raw.trim().includes("\n")) this.#ambiguous({ start: bodyStart, end: bodyStart + raw.length });
  }

  /** Whether a separator and opening marks in a value look like those of a field. */
  #opensField(raw: string, index: number, opener: string, family: number): boolean {
    const before = raw.slice(Math.max(0, index - 100), index);
    const [, start = "", word = ""] = /(^|\n)?[ \t]*([\p{L}\p{N}_.*-]+)[ \t]*$/u.exec(before) ?? [];
    if (word === "") return false;
    // A single mark is a quotation in some languages.
    if (opener.length < 2 && start === "" && before.trim() !== word) return false;
    return (opener.length > 1 && (familyOf(opener) & family) !== 0) || this.#host.takes(word);
  }

  /** Ends the block; `end` when the text ends with it. */
  #finish(next: number, end?: EndOptions, closedFence = false): BlockEnd<TamBlock> {
    const scan = this.#scan;
    const shared = this.#shared;
    const { notes } = scan;
    if (end && !scan.cut && isStopped(end)) scan.closed = true;
    if (!scan.closed) {
      if (end) {
        if (this.#loose) this.#ambiguous(this.#loose);
        scan.cut ||= this.#near;
        scan.doubtful = this.#goesOn && end.finish !== "stop";
      }
      scan.cut ||= this.#unclosed || this.#doubtful || isCutOff(end);
    }
    const odd = this.#odd;
    if (odd) {
      if (this.#standard) odd.code = "mixed-delimiters-used";
      // «««« may be «««, and a « that belongs to the value.
      odd.affectsValue ||= this.#standard && this.#four;
      notes.push(odd);
    }
    if (shared.inner) this.#ambiguous(scan);
    else if (!end && !scan.closed) shared.inner = notes.some(isDoubt);
    const block = this.#host.finish(scan);
    return { block, diagnostics: block.diagnostics, end: next, closedFence };
  }
}

const isCommand = (key: string): boolean => /^command(?:_?\d+)?$/.test(normalizeKey(key));

/** Whether what a marker is called stands on a line with brackets that are not right: a right one is data by its place. */
function isDamaged(raw: string, index: number, length: number): boolean {
  const before = raw.slice(Math.max(0, index - 40), index);
  const at = raw.lastIndexOf("<", index);
  if (at >= 0 && index - at < 40 && markerAt(raw, at, true)) return false;
  const after = raw.slice(index + length, index + length + 40);
  return (
    /(?:^|\n)[ \t]*[<＜|｜[【][ \t<＜|｜[【*_-]{0,20}$/.test(before) &&
    /^[ \t\r\]】|｜>＞*_-]{0,20}(?:\n|$)/.test(after)
  );
}

/** Whether a note says that a value may be another one. */
function isDoubt({ code, affectsValue }: Note): boolean {
  return affectsValue || code === "unclosed-value" || code === "ambiguous-delimiter";
}

/** Whether the message was ended by the end marker, which the provider took off. */
function isStopped(end: EndOptions | undefined): boolean {
  const text = end?.stopSequence?.trim();
  const marker = text ? markerAt(text, 0, true) : undefined;
  return marker !== undefined && marker !== "more" && !marker.isStart;
}
