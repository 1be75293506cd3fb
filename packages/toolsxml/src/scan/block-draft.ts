import type { Fence } from "@toolglot/core/text";
import type { DiagnosticChange } from "@toolglot/internal";
import type { Container } from "../calls/built-in.ts";
import { Findings } from "../calls/report.ts";
import type { ToolsXmlRepairCode } from "../diagnostics.ts";
import type { ToolsXmlCall, ToolsXmlEvent } from "../types.ts";
import type { Names } from "./context.ts";
import type { OpenBody } from "./element-body.ts";
import type { BodyMemory } from "./raw-body.ts";
import type { Tag } from "./tag.ts";

/** What a reader needs from its surroundings. */
export interface ReaderOptions {
  start: number;
  fence: Fence | undefined;
  names: Names;
  memory: BodyMemory;
  allows(code: ToolsXmlRepairCode): boolean;
  /** Undefined when there is no listener. */
  emit: ((event: ToolsXmlEvent) => void) | undefined;
}

/** A call that is not closed. */
interface OpenCall {
  tag: Tag;
  /** Its reader, when it holds elements. */
  inside: Container | undefined;
  /** Errors of the block when it began. */
  errors: number;
}

/** A block while it is read: its calls and findings, and the events of calls. */
export class BlockDraft extends Findings {
  readonly options: ReaderOptions;
  readonly calls: ToolsXmlCall[] = [];
  call: OpenCall | undefined;
  /** The tag of the call that began last. */
  lastTag: Tag | undefined;
  /** An element that no tool has: its content is not read. */
  unknown: Tag | undefined;
  /** The element whose body is being read. */
  body: OpenBody | undefined;
  /** Number of the call that began last, from 0. */
  #number = -1;

  constructor(options: ReaderOptions) {
    super((code) => options.allows(code));
    this.options = options;
  }

  get hasCalls(): boolean {
    return this.#number >= 0;
  }

  /** Stray text inside a file may be the rest of a text. */
  get strayChange(): DiagnosticChange | undefined {
    return this.call?.inside?.takes.includes("find") ? { affects: "value" } : undefined;
  }

  beginCall(tag: Tag): void {
    this.#number += 1;
    this.lastTag = tag;
    this.call = { tag, inside: undefined, errors: this.errors };
    this.options.emit?.({ phase: "delta", type: "call-start", call: this.#number, text: tag.name });
  }

  /** A call ends at an offset; undefined when its tags can't be read as one. */
  endCall(call: ToolsXmlCall | undefined, end: number): void {
    this.options.emit?.({ phase: "delta", type: "call-end", call: this.#number, text: "" });
    if (call && this.call?.errors === this.errors) {
      call.span.end = end;
      this.calls.push(call);
    }
    this.call = this.unknown = undefined;
  }

  /** A call that is still open ends where another one begins, or the block ends. */
  endUnclosedCall(at: number): void {
    this.unknown = undefined;
    const { tag, inside } = this.call ?? {};
    if (!tag || !inside) return;
    // Without the inner closing tag, this one may stand in a text.
    const change = { ...this.strayChange, message: `<${tag.rawName}> is not closed.` };
    this.repair("toolsxml/unclosed-tag", tag.start, tag.end, change);
    this.endCall(inside.close(at, true), at);
  }

  override delta(field: string, text: string): void {
    if (text === "") return;
    const open = this.body;
    if (!open?.streams && !open?.stream) this.emitBody(field, text);
    else if (open.body.outcome === "closed" || !open.streams) open.stream?.finish(text);
  }

  emitBody(field: string, text: string): void {
    this.options.emit?.({ phase: "delta", type: "body-delta", call: this.#number, field, text });
  }

  override attributes(field: string, tag: Tag): void {
    const { emit } = this.options;
    if (!emit) return;
    const call = this.#number;
    for (const { name, value } of tag.attributes)
      emit({ phase: "delta", type: "attribute", call, field, name, text: value });
  }
}
