import type { Source } from "@toolglot/core/text";
import { isSpace } from "@toolglot/internal";
import type { AttributeStream } from "./attribute-stream.ts";
import type { BlockDraft } from "./block-draft.ts";
import { readHead, readTag, type Tag, TagEnd } from "./tag.ts";

/** A tag whose `>` is searched for. */
interface OpenTag {
  start: number;
  head: { closes: boolean; name: string };
  /** Length of the head. */
  length: number;
  end: TagEnd;
  texts: AttributeStream | undefined;
}

/** Reads what stands between the bodies of a block: white space, comments, stray text, and tags. */
export class BetweenTags {
  readonly #draft: BlockDraft;
  openTag: OpenTag | undefined;
  /** Offset of the comment that is being read; -1 outside. */
  #comment = -1;
  /** Only white space since a line break. */
  #afterBreak = false;
  #stray: { start: number; end: number } | undefined;

  constructor(draft: BlockDraft) {
    this.#draft = draft;
  }

  /** The tag, or the comment, that is not complete. */
  get isOpen(): boolean {
    return this.openTag !== undefined || this.#comment >= 0;
  }

  /** The next tag; `fence` when the block's fence is closed; `more` when more text is needed. */
  next(source: Source, ended: boolean): Tag | "fence" | "more" {
    for (;;) {
      const found = this.openTag
        ? this.#readTag(source, this.openTag)
        : this.#comment >= 0
          ? this.#readComment(source)
          : this.#between(source, ended);
      if (found) return found;
    }
  }

  /** Reports stray text, when it has ended. */
  endStray(): void {
    if (!this.#stray) return;
    const { start, end } = this.#stray;
    this.#stray = undefined;
    this.#draft.repair("toolsxml/stray-text", start, end, this.#draft.strayChange);
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
    if (text.charCodeAt(at) !== 60) return this.#skipText(source, at);
    if (text.startsWith("<!--", at)) {
      this.endStray();
      this.#comment = source.offset;
      source.at = at + 4;
      return undefined;
    }
    const head = readHead(text, at, ended);
    if (head === "more" || (!ended && text.length - at < 4 && "<!--".startsWith(text.slice(at)))) return "more";
    if (!head) return this.#skipText(source, at);
    this.endStray();
    const start = source.offset;
    const texts = head.closes ? undefined : this.#draft.beginTag(head.name.toLowerCase(), start, start + head.end - at);
    this.openTag = { start, head, length: head.end - at, end: new TagEnd(), texts };
    source.at = head.end;
    return undefined;
  }

  /** Text where there should be none. */
  #skipText(source: Source, at: number): undefined {
    const { text, base } = source;
    const tag = text.indexOf("<", at + 1);
    let part = text.slice(at, tag < 0 ? text.length : tag);
    const line = part.indexOf("\n", 1);
    if (line >= 0) part = part.slice(0, line);
    source.at = at + part.length;
    if (this.#draft.unknown) return;
    let { length } = part;
    while (length > 0 && isSpace(part.charCodeAt(length - 1))) length -= 1;
    if (length === 0) return;
    this.#stray ??= { start: base + at, end: 0 };
    this.#stray.end = base + at + length;
  }

  #readComment(source: Source): "more" | undefined {
    const { text, base } = source;
    const close = text.indexOf("-->", source.at);
    if (close < 0) {
      source.at = Math.max(source.at, text.length - 2);
      return "more";
    }
    const start = this.#comment;
    this.#draft.comment(source.slice(start + 4, base + close).trim(), start, base + close + 3);
    this.#comment = -1;
    source.at = close + 3;
    return undefined;
  }

  #readTag(source: Source, open: OpenTag): Tag | "more" {
    const end = open.end.find(source.text, source.at);
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
