import type { EndOptions, JsonValue, Segment, Span } from "@toolglot/core";
import type { BlockReader, SegmentsEnd, Source } from "@toolglot/core/text";
import type { TemplateHost } from "../table/template-dialect.ts";
import type { DialectBlock } from "../types.ts";
import { SegmentWriter } from "./segment-writer.ts";
import { takeTemplateCall } from "./template-call.ts";
import type { TemplateField, TemplateReader, TemplateReading } from "./template-reading.ts";
import type { ResponseEvent } from "./types.ts";

/** What the regions of a field are in a message. */
const kindOf = ({ name, own, content }: TemplateField): "text" | "reasoning" | "calls" | "none" =>
  name === "tool_calls"
    ? "calls"
    : content.parser !== "text" || (own.transform ?? undefined) !== undefined
      ? "none"
      : /^(?:thinking|reasoning(?:_content)?)$/.test(name)
        ? "reasoning"
        : "text";

type Ended = Extract<ResponseEvent, { type: "region_close" | "region_malformed" }>;

const nothing = { slice: (): string => "" };

/**
 * Reads a whole text by a response template. Regions become segments and calls; those of reasoning are read once more, for calls.
 *
 * ```text
 * region_open   tool_calls: a call begins; reasoning: a reader of its own gets what comes
 * region_chunk  text, or reasoning as that reader tells it
 * region_close  the calls of a value, or the end of reasoning
 * ```
 */
export class TemplateText implements BlockReader<DialectBlock> {
  readonly start = 0;
  readonly waitsForLine = false;
  readonly holds = true;
  readonly #reading: TemplateReading;
  readonly #kinds: ReadonlyMap<string, ReturnType<typeof kindOf>>;
  readonly #reasoning: readonly TemplateField[];
  readonly #writer: SegmentWriter;
  readonly #host: TemplateHost;
  readonly #reader: TemplateReader;
  #source: Source | undefined;
  /** Offset of the first unit that the reader got. */
  #base = 0;
  /** Reads the reasoning that is open. */
  #inner: TemplateReader | undefined;
  #innerBase = 0;
  /** Offset of the end of what it got. */
  #innerEnd = 0;
  #reasoningStart = 0;
  /** Offset behind the last piece of text, of reasoning or not. */
  #at = 0;
  /** Where the call that is open begins, and its body. */
  #call = { start: 0, body: 0 };

  constructor(reading: TemplateReading, host: TemplateHost) {
    this.#reading = reading;
    this.#host = host;
    this.#writer = new SegmentWriter(host, (start, end) => this.#source?.slice(start, end) ?? "");
    const { fields } = this.#reading;
    this.#kinds = new Map(fields.map((field) => [field.name, kindOf(field)]));
    this.#reasoning = fields.filter((field) => kindOf(field) === "reasoning");
    this.#reader = this.#reading.reader(
      fields,
      (event) => this.#take(event, this.#base, false),
      host.startsInReasoning ? this.#reasoning[0] : undefined,
    );
  }

  #field(name: string): TemplateField {
    return this.#reading.fields.find((field) => field.name === name) ?? this.#reading.rest;
  }

  read(source: Source, end?: EndOptions): SegmentsEnd<DialectBlock> | undefined {
    if (!this.#source) this.#base = source.offset;
    this.#source = source;
    const chunk = source.text.slice(source.at);
    source.at = source.text.length;
    this.#reader.feed(chunk);
    if (!end) return undefined;
    this.#reader.end();
    const segments = this.#writer.finish(source.length);
    this.#findUnopened(segments);
    return { segments, end: source.length };
  }

  #take(event: ResponseEvent, base: number, isInner: boolean): void {
    if (event.type === "template_held") return;
    const kind = this.#kinds.get(event.field) ?? "text";
    if (event.type === "region_chunk") {
      if (this.#inner && !isInner) {
        this.#innerEnd += event.text.length;
        this.#inner.feed(event.text);
      } else if (kind === "text") {
        this.#writer.text(event.text, this.#at);
        this.#at += event.text.length;
      }
      return;
    }
    const span = { start: base + event.start, end: base + event.end };
    const length = isInner ? this.#innerEnd : (this.#source?.length ?? 0);
    if (event.type === "region_open") this.#open(kind, span);
    // Else it tells of a delimiter that is too long, and no region ends.
    else if (event.closed || span.start >= length) this.#close(event, kind, span);
  }

  #open(kind: string, { start, end }: Span): void {
    this.#at = end;
    if (kind === "calls") {
      this.#writer.openCall(start);
      this.#call = { start, body: end };
    } else if (kind === "reasoning") {
      this.#writer.openReasoning(start);
      this.#reasoningStart = start;
      this.#inner = this.#reading.reader(
        [...this.#reading.fields.filter((field) => field.open && kindOf(field) === "calls"), this.#reading.rest],
        (event) => this.#take(event, this.#innerBase, true),
      );
      this.#innerBase = this.#innerEnd = end;
    } else if (kind === "none" || end > start) this.#writer.closeText();
  }

  #close(event: Ended, kind: string, { start, end }: Span): void {
    if (kind === "calls") {
      const value = event.type === "region_close" ? event.value : undefined;
      this.#takeCalls(value, event, { start, end });
    } else if (kind === "reasoning") {
      this.#inner?.end();
      this.#inner = undefined;
      this.#writer.closeReasoning(end);
      if (!event.closed)
        this.#host.report({
          code: "core/reasoning-unclosed",
          severity: "warning",
          affects: "none",
          message: "The reasoning block is not closed.",
          span: { start: this.#reasoningStart, end },
          source: "core",
        });
    } else if (end > start) this.#writer.closeText();
    this.#at = end;
  }

  #takeCalls(value: JsonValue | undefined, { closed, field: name }: Ended, { start, end }: Span): void {
    const { body, start: begin } = this.#call;
    const field = this.#field(name);
    for (const one of Array.isArray(value) ? value : [value]) {
      const call = this.#writer.block.begin(begin);
      call.raw = { start: body, end: start };
      takeTemplateCall(call, one, field, { closed, span: { start: begin, end } }, this.#host);
      call.end(end, this.#source ?? nothing);
    }
    this.#writer.closeCall(end);
  }

  /** Reasoning that is closed, and was never opened: what stands before it does not run. */
  #findUnopened(segments: readonly Segment<DialectBlock>[]): void {
    const blocks: DialectBlock[] = [];
    for (const segment of segments) {
      if (segment.type === "reasoning") return;
      if (segment.type === "block") blocks.push(segment.block);
      if (segment.type !== "text") continue;
      const [found] = this.#reasoning.flatMap((field) => this.#reading.closer(field, segment.text) ?? []);
      if (!found) continue;
      for (const block of blocks) block.inReasoning = true;
      this.#host.report({
        code: "core/reasoning-unopened",
        severity: "warning",
        affects: "none",
        message: "A reasoning block is closed that was never opened; what stands before it is not run.",
        span: { start: segment.span.start + found.start, end: segment.span.start + found.end },
        source: "core",
      });
      return;
    }
  }
}
