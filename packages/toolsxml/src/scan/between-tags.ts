import type { Diagnostic } from "@toolglot/core";
import type { Source } from "@toolglot/core/text";
import { isSpace, matchAt } from "@toolglot/internal";
import type { AttributeStream } from "./attribute-stream.ts";
import type { BlockDraft } from "./block-draft.ts";
import { readHead, readTag, type Tag, TagEnd } from "./tag.ts";

/** Signs alone, and what is named after an end: `"""`, `--]]`, `#endif`. */
const closingSign = /^[^\p{L}\p{N}\s]+[ \t]*(?:end\w*)?[^\p{L}\p{N}]*$/iu;

/** What ends a stretch of text. Both are searched at once: the nearer one of them is found without a look at the farther one. */
const tagOrBreak = /[<\n]/g;

/** A tag whose `>` is searched for. */
interface OpenTag {
  start: number;
  head: { closes: boolean; name: string };
  /** Length of the head. */
  length: number;
  texts: AttributeStream | undefined;
}

/** Reads what stands between the bodies of a block: white space, comments, stray text, and tags. */
export class BetweenTags {
  readonly #draft: BlockDraft;
  openTag: OpenTag | undefined;
  readonly #end = new TagEnd();
  /** Offset of the comment that is being read; -1 outside. */
  comment = -1;
  /** Only white space since a line break. */
  #afterBreak = false;
  /** Text that has no place here. `behind`: a tag stands before it on its line. `text`: how it begins and ends. */
  #stray: { start: number; end: number; behind: boolean; first: string; last: string } | undefined;
  /** A finding about text that began with a sign: what a sign closes behind it may be commented out. */
  #sign: Diagnostic | undefined;

  constructor(draft: BlockDraft) {
    this.#draft = draft;
  }

  /** Whether a tag or a comment is not complete. */
  get isOpen(): boolean {
    return this.openTag !== undefined || this.comment >= 0;
  }

  /** Returns the next tag; `fence` when the block's fence is closed; `more` when more text is needed. */
  next(source: Source, ended: boolean): Tag | "fence" | "more" {
    for (;;) {
      const found = this.openTag
        ? this.#readTag(source, this.openTag)
        : this.comment >= 0
          ? this.#readComment(source)
          : this.#between(source, ended);
      if (found) return found;
    }
  }

  /**
   * Reports stray text, when it has ended. What shares a line with a tag is never of no account: `# <command>` may be commented out. So
   * may what stands between a sign on one line and one on another. `before`: a tag follows on its line.
   */
  endStray(before = false): void {
    if (!this.#stray) return;
    const draft = this.#draft;
    const { start, end, behind, first, last } = this.#stray;
    this.#stray = undefined;
    const from = behind && !draft.call ? (draft.lastTag?.start ?? start) : start;
    draft.repair("toolsxml/stray-text", from, end, before || behind ? { affects: "value" } : draft.strayChange);
    const finding = draft.diagnostics.at(-1) as Diagnostic;
    if (before) draft.strayBefore = finding;
    if (this.#sign && closingSign.test(last)) {
      Object.assign(this.#sign, { affects: "value", span: { start: this.#sign.span.start, end } });
      this.#sign = undefined;
    } else if (/^[^\p{L}\p{N}]/u.test(first)) this.#sign = finding;
  }

  #between(source: Source, ended: boolean): "fence" | "more" | undefined {
    const { text } = source;
    let at = source.at;
    let line = this.#afterBreak;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (!isSpace(code)) break;
      if (code === 10) line = true;
    }
    this.#afterBreak = line;
    source.at = at;
    if (at >= text.length) return "more";
    const { fence } = this.#draft.options;
    if (line && fence && text.charAt(at) === fence.mark) {
      const run = text.slice(at, at + fence.length);
      if (run === fence.mark.repeat(run.length) && (run.length === fence.length || !ended))
        return run.length < fence.length ? "more" : "fence";
    }
    this.#afterBreak = false;
    if (text.charCodeAt(at) !== 60) return this.#skipText(source, at, line);
    if (text.startsWith("<!--", at)) {
      this.endStray();
      this.comment = source.offset;
      source.at = at + 4;
      return undefined;
    }
    const head = readHead(text, at, ended);
    if (head === "more" || (!ended && text.length - at < 4 && "<!--".startsWith(text.slice(at)))) {
      this.#afterBreak = line;
      return "more";
    }
    if (!head) return this.#skipText(source, at, line);
    this.endStray(!line);
    const start = source.offset;
    const texts = head.closes ? undefined : this.#draft.beginTag(head.name.toLowerCase(), start, start + head.end - at);
    this.openTag = { start, head, length: head.end - at, texts };
    this.#end.begin();
    source.at = head.end;
    return undefined;
  }

  /** Skips text where there should be none. */
  #skipText(source: Source, at: number, beginsLine: boolean): undefined {
    const { text, base } = source;
    const part = text.slice(at, matchAt(tagOrBreak, text, at + 1)?.index);
    source.at = at + part.length;
    if (this.#draft.unknown) return;
    let { length } = part;
    while (length > 0 && isSpace(part.charCodeAt(length - 1))) length -= 1;
    if (length === 0) return;
    const piece = part.slice(0, length);
    const stray = this.#stray ?? {
      start: base + at,
      end: base + at,
      behind: !beginsLine && this.#draft.lastTag !== undefined,
      first: "",
      last: "",
    };
    this.#stray = stray;
    // Pieces of a line come as the chunks have them.
    const lastLine = beginsLine ? piece : stray.last + (base + at > stray.end ? " " : "") + piece;
    if (stray.first.length < 2) stray.first += piece.slice(0, 2);
    stray.last = lastLine.slice(-80);
    stray.end = base + at + length;
  }

  #readComment(source: Source): "more" | undefined {
    const { text, base } = source;
    const close = text.indexOf("-->", source.at);
    if (close < 0) {
      source.at = Math.max(source.at, text.length - 2);
      return "more";
    }
    const start = this.comment;
    this.#draft.comment(source.slice(start + 4, base + close).trim(), start, base + close + 3);
    this.comment = -1;
    source.at = close + 3;
    return undefined;
  }

  #readTag(source: Source, open: OpenTag): Tag | "more" {
    const end = this.#end.find(source.text, source.at);
    if (end === -1) {
      source.at = source.text.length;
      open.texts?.advance(source, source.offset);
      return "more";
    }
    this.openTag = undefined;
    const broken = end < 0;
    const stop = source.base + (broken ? -2 - end : end);
    open.texts?.advance(source, stop);
    const text = source.slice(open.start, stop);
    source.seek(stop);
    const tag = readTag(broken ? `${text}>` : text, open.length, open.start, open.head);
    tag.end = stop;
    if (broken) tag.fault = stop;
    return tag;
  }
}
