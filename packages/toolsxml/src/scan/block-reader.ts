import type { EndOptions } from "@toolglot/core";
import { type BlockEnd, type BlockReader, isCutOff, type Source } from "@toolglot/core/text";
import { defined } from "@toolglot/internal";
import { EditReader } from "../calls/edit.ts";
import { ReadReader } from "../calls/read.ts";
import { readElement } from "../calls/read-element.ts";
import { attributesOf, checkTag } from "../calls/report.ts";
import { rawProperty } from "../calls/schema.ts";
import { diagnostic } from "../diagnostics.ts";
import type { ToolsXmlBlock } from "../types.ts";
import { BetweenTags } from "./between-tags.ts";
import { BlockDraft, ElementBodies, type OpenBody, type ReaderOptions } from "./block-draft.ts";
import type { BodyContext } from "./body-context.ts";
import type { BodyStream } from "./body-stream.ts";
import { exactText } from "./body-text.ts";
import { patience } from "./raw-body.ts";
import type { Tag } from "./tag.ts";
import { isStop } from "./tag.ts";

/** `<tools>` on a line of its own, or the end of a line before that of a call: a stream that begins again does so anywhere. */
const anotherBlock = /(?:\n[ \t]*<tools>[ \t\r]*(?=\n|<)|<tools>[ \t\r]*\n\s{0,200}<[a-z])/i;

/**
 * Reads one `<tools>` element as it comes in.
 *
 * ```text
 * <tools>
 * <edit><file src="a">     tags: between-tags.ts reads them, this class decides what they mean
 * <find>one</find>         bodies: ElementBodies of block-draft.ts, and raw-body.ts for where they end
 * <replace>two</replace>
 * </file></edit>           the call is complete: calls/edit.ts has read it
 * </tools>
 * ```
 */
export class ToolsReader implements BlockReader<ToolsXmlBlock> {
  readonly start: number;
  readonly waitsForLine = false;
  readonly #draft: BlockDraft;
  readonly #tags: BetweenTags;
  readonly #bodies: ElementBodies;
  #truncated: Pick<ToolsXmlBlock, "status" | "truncatedCall"> | undefined;
  #done: BlockEnd<ToolsXmlBlock> | undefined;

  constructor(options: ReaderOptions) {
    this.start = options.start;
    this.#draft = new BlockDraft(options);
    this.#tags = new BetweenTags(this.#draft);
    this.#bodies = new ElementBodies(this.#draft);
  }

  read(source: Source, end?: EndOptions): BlockEnd<ToolsXmlBlock> | undefined {
    for (;;) {
      const { body } = this.#draft;
      let more = false;
      if (body) {
        more = !this.#bodies.read(source, body, end);
        if (!more) this.#closeBody(source, body);
      } else {
        const tag = this.#tags.next(source, end !== undefined);
        if (tag === "fence") this.#truncate(source, source.offset);
        else if (tag === "more") more = true;
        else this.#onTag(source, tag);
      }
      if (this.#done) return this.#done;
      if (more) return end ? this.#atEnd(source, end) : undefined;
    }
  }

  #onTag(source: Source, tag: Tag): void {
    const draft = this.#draft;
    const { name } = tag;
    if (!draft.opened) {
      draft.opened = true;
      if (tag.attributes.length > 0) draft.report("toolsxml/ignored-attributes", tag.start, tag.end);
      if (tag.selfClosing) this.#finish(source.offset, source.offset);
    } else if (tag.closes) this.#onClosingTag(tag);
    else if (name === "tools" && !draft.hasCalls && !draft.unknown)
      draft.repair("toolsxml/stray-tag", tag.start, tag.end);
    else if (name === "tools" || name === "results") this.#truncate(source, tag.start, name === "tools");
    else if (draft.options.names.isCall(name) && !draft.call?.inside?.takes.includes(name)) {
      draft.endUnclosedCall(tag.start);
      this.#beginCall(source, tag);
    } else if (!draft.unknown) this.#onInnerTag(source, tag);
  }

  #onClosingTag({ name, start, end }: Tag): void {
    const draft = this.#draft;
    const inside = draft.call?.inside;
    if (name === "tools") {
      draft.endUnclosedCall(start);
      this.#finish(end, end);
    } else if (draft.unknown?.name === name) draft.unknown = undefined;
    else if (inside && name === draft.call?.tag.name) draft.endCall(inside.close(end, false), end);
    else if (!inside?.closeInner(name, end) && !draft.unknown) {
      // The tag of a call that closed itself: what stands between was its body.
      const last = draft.lastTag?.name === name ? draft.lastTag.start : start;
      draft.repair("toolsxml/stray-tag", last, end);
    }
  }

  /** Reads the tag of an element in a call, or of none that is known. */
  #onInnerTag(source: Source, tag: Tag): void {
    const draft = this.#draft;
    const { names } = draft.options;
    const { name, rawName, start, end } = tag;
    const inside = draft.call?.inside;
    const field = inside?.open(tag);
    if (field !== undefined) {
      checkTag(tag, draft);
      draft.attributes(field, tag);
      if (name === "file" || name === "search") return;
      this.#openBody(source, tag, name === "find" ? names.find : names.replace, `${field}.${name}`);
      return;
    }
    const known = inside ? inside.takes : names.known;
    draft.report("toolsxml/unknown-tag", start, end, {
      message: inside ? `<${rawName}> has no place here.` : `No tool is named <${rawName.slice(0, 80)}>.`,
      ...defined({ hint: draft.hint(name, known, true) }),
    });
    if (!tag.selfClosing) draft.unknown = tag;
  }

  #beginCall(source: Source, tag: Tag): void {
    const draft = this.#draft;
    const { names } = draft.options;
    const { name } = tag;
    draft.beginCall(tag);
    checkTag(tag, draft);
    draft.attributes("", tag);
    if (draft.call && (name === "edit" || name === "read")) {
      attributesOf(tag, [], draft);
      const inside = name === "edit" ? new EditReader(tag, draft) : new ReadReader(tag, draft);
      draft.call.inside = inside;
      if (tag.selfClosing) draft.endCall(inside.close(tag.end, false), tag.end);
      return;
    }
    const tool = names.tools.get(name);
    const raw = tool && rawProperty(tool);
    // Escapes of <input> are decoded at its close.
    this.#openBody(source, tag, names.call, raw !== undefined ? `input.${raw}` : undefined);
  }

  #openBody(source: Source, tag: Tag, context: BodyContext, field: string | undefined): void {
    const open = this.#bodies.open(source, tag, context, field);
    if (tag.selfClosing) this.#closeBody(source, open);
  }

  /** Ends a body: it is a part of a call, or a call. */
  #closeBody(source: Source, open: OpenBody): void {
    const draft = this.#draft;
    const element = this.#bodies.element(source, open);
    const inside = draft.call?.inside;
    if (inside instanceof EditReader) {
      const text = draft.bodyText(exactText(element.raw), element);
      if (open.body.outcome === "closed") (open.stream as BodyStream | undefined)?.finish(text);
      draft.body = undefined;
      inside.take(element, text);
    } else {
      const call = readElement(element, draft.options.names.tools, draft);
      draft.body = undefined;
      draft.endCall(call, element.end);
    }
  }

  /** Ends the block here, without `</tools>`. */
  #truncate(source: Source, at: number, givenUp = false): void {
    this.#tags.endStray();
    this.#cut(at, givenUp);
    source.seek(at);
    this.#finish(at, at);
  }

  /**
   * Calls that are complete stand, one that is not does not run. `givenUp`: text continues behind the break, so that each of them is
   * in doubt.
   */
  #cut(end: number, givenUp: boolean): void {
    const draft = this.#draft;
    const open = this.#tags.openTag;
    const tag = draft.call?.tag ?? draft.unknown;
    const start = tag?.start ?? open?.start ?? end;
    const name = tag?.name ?? (open?.head.closes ? "" : open?.head.name);
    draft.call = undefined;
    draft.diagnostics.push(diagnostic("toolsxml/truncated", givenUp ? this.start : start, end));
    const stands = draft.calls.length > 0 && draft.options.allows("toolsxml/truncated");
    this.#truncated = { status: stands ? "recovered" : "truncated" };
    if (name) this.#truncated.truncatedCall = { name: name.toLowerCase(), span: { start, end } };
  }

  #atEnd(source: Source, end: EndOptions): BlockEnd<ToolsXmlBlock> {
    const { body, call } = this.#draft;
    this.#tags.endStray();
    if (!isStop(end) || body || call || this.#tags.isOpen || !this.#draft.opened) {
      const goesOn = isCutOff(end) ? undefined : this.#goesOn(source);
      if (typeof goesOn === "number") {
        this.#truncate(source, goesOn, true);
        return this.#done as BlockEnd<ToolsXmlBlock>;
      }
      this.#cut(source.length, goesOn === "prose");
      if (this.#truncated && isCutOff(end)) this.#truncated.status = "truncated";
    }
    source.seek(source.length);
    this.#finish(source.length, source.length);
    return this.#done as BlockEnd<ToolsXmlBlock>;
  }

  /**
   * Returns what of the text behind a break is not the block's: another block, whose offset this is, or prose behind a tag that never ends.
   */
  #goesOn(source: Source): number | "prose" | undefined {
    const { call, unknown, options } = this.#draft;
    const open = this.#tags.openTag?.start ?? -1;
    // What stands in a comment is no block.
    if (this.#tags.comment >= 0) return undefined;
    const from = (call?.tag ?? unknown)?.end ?? (open < 0 ? source.length : open);
    const text = source.slice(from, source.length);
    const { memory } = options;
    const again = memory.reread > patience ? null : anotherBlock.exec(text);
    if (again) {
      memory.reread += text.length - again.index;
      return from + again.index + again[0].toLowerCase().lastIndexOf("<tools");
    }
    return this.#tags.openTag && /\n[ \t\r]*\n\s*\S/.test(source.slice(open, source.length)) ? "prose" : undefined;
  }

  #finish(blockEnd: number, end: number): void {
    this.#tags.endStray();
    const { calls, comments, diagnostics, status, errors } = this.#draft;
    const block: ToolsXmlBlock = { status, calls, comments, span: { start: this.start, end: blockEnd } };
    if (this.#truncated) {
      Object.assign(block, this.#truncated);
      if (errors > 0 && block.status !== "truncated") block.status = "invalid";
    }
    comments.sort((a, b) => a.span.start - b.span.start);
    this.#done = { block, diagnostics, end, closedFence: false };
  }
}
