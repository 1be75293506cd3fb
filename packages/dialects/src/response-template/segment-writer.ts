import type { Segment } from "@toolglot/core";
import type { BlockDraft } from "../scan/block-draft.ts";
import type { TemplateHost } from "../table/template-dialect.ts";
import type { DialectBlock } from "../types.ts";

/** White space behind a block: part of it when another call follows. */
interface Space {
  text: string;
  start: number;
}

/** Writes the segments of a text that is read as one: its text, reasoning and blocks, and their events. No gap is between them. */
export class SegmentWriter {
  readonly #host: TemplateHost;
  readonly #slice: (start: number, end: number) => string;
  readonly #segments: Segment<DialectBlock>[] = [];
  /** Offset behind the last segment. */
  #end = 0;
  #kind: "text" | "reasoning" = "text";
  /** The text that is not yet a segment; none while its start is negative. */
  #text = "";
  #textStart = -1;
  #textEnd = 0;
  /** Line breaks at its end, which are layout where a call follows. */
  #breaks = "";
  #draft: BlockDraft | undefined;
  #callsEnd = 0;
  #space: Space | undefined;

  constructor(host: TemplateHost, slice: (start: number, end: number) => string) {
    this.#host = host;
    this.#slice = slice;
  }

  /** The block that is open. */
  get block(): BlockDraft {
    return this.#draft as BlockDraft;
  }

  /** Adds a piece of text at an offset. */
  text(piece: string, start: number): void {
    if (this.#draft) {
      this.#space ??= { text: "", start };
      this.#space.text += piece;
      if (/\S/.test(piece)) this.#closeBlock();
      return;
    }
    if (this.#textStart < 0) this.#textStart = start;
    this.#textEnd = start + piece.length;
    const whole = this.#breaks + piece;
    this.#breaks = whole.endsWith("\n\n") ? "\n\n" : whole.endsWith("\n") ? "\n" : "";
    this.#give(whole.slice(0, whole.length - this.#breaks.length));
  }

  #give(text: string): void {
    if (text === "") return;
    this.#text += text;
    const phase = this.#kind;
    this.#host.onEvent?.(
      phase === "text" ? { phase, type: "text-delta", text } : { phase, type: "reasoning-delta", text },
    );
  }

  /** Ends the text. */
  closeText(): void {
    this.#closeBlock();
    this.#give(this.#breaks);
    this.#closeText();
  }

  #closeText(): void {
    if (this.#textStart >= 0)
      this.#push({
        type: this.#kind,
        text: this.#text,
        span: { start: this.#textStart, end: Math.max(this.#textStart, this.#textEnd) },
      });
    this.#text = this.#breaks = "";
    this.#textStart = -1;
  }

  #push(segment: Segment<DialectBlock>): void {
    this.#cover(segment.span.start);
    this.#segments.push(segment);
    this.#end = segment.span.end;
  }

  /** Adds what is no part of the message, up to an offset. */
  #cover(end: number): void {
    if (end > this.#end) this.#segments.push({ type: "text", text: "", span: { start: this.#end, end } });
  }

  openReasoning(start: number): void {
    this.closeText();
    this.#kind = "reasoning";
    this.#textStart = this.#textEnd = start;
  }

  /** Ends reasoning at the end of what closes it. */
  closeReasoning(end: number): void {
    this.#closeBlock();
    if (this.#textStart < 0) this.#textStart = this.#end;
    this.#textEnd = end;
    this.closeText();
    this.#kind = "text";
  }

  /** Begins a call: in the block before it, when nothing but white space is between them. */
  openCall(start: number): void {
    if (this.#draft && this.#slice(this.#callsEnd, start).trim() !== "") this.#closeBlock();
    this.#space = undefined;
    if (this.#draft) return;
    if (start > this.#textEnd) this.closeText();
    this.#closeText();
    this.#draft = this.#host.draft(start, this.#kind === "reasoning");
    this.#host.onEvent?.({ phase: "block-start", type: "calls-start", start, dialect: this.#draft.row.id });
  }

  closeCall(end: number): void {
    this.#callsEnd = end;
  }

  #closeBlock(): void {
    const draft = this.#draft;
    if (!draft) return;
    this.#draft = undefined;
    const space = this.#space;
    this.#space = undefined;
    const block = draft.finish(this.#callsEnd);
    if (draft.inReasoning) block.inReasoning = true;
    this.#host.onEvent?.({ phase: "block-end", type: "calls-end", block });
    const layout = space && space.start === this.#callsEnd ? (/^\r?\n/.exec(space.text)?.[0].length ?? 0) : 0;
    this.#push({ type: "block", block, span: { start: draft.start, end: this.#callsEnd + layout } });
    for (const found of draft.findings) this.#host.report(found);
    if (space && space.text.length > layout) this.text(space.text.slice(layout), space.start + layout);
  }

  /** Returns the segments: the text ends at an offset. */
  finish(end: number): Segment<DialectBlock>[] {
    this.closeText();
    this.#cover(end);
    return this.#segments;
  }
}
