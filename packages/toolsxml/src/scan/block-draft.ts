import { type Diagnostic, type EndOptions, toJsonText } from "@toolglot/core";
import type { Fence, Source } from "@toolglot/core/text";
import { type DiagnosticChange, lastLineBreak } from "@toolglot/internal";
import { Findings } from "../calls/report.ts";
import { rawProperty } from "../calls/schema.ts";
import type { Container, Element } from "../calls/types.ts";
import type { ToolsXmlRepairCode } from "../diagnostics.ts";
import type { ToolsXmlCall, ToolsXmlEvent } from "../types.ts";
import { AttributeStream } from "./attribute-stream.ts";
import type { BodyContext, BodyMemory } from "./body-context.ts";
import { BodyStream } from "./body-stream.ts";
import { FieldStream } from "./field-stream.ts";
import type { Names } from "./grammar.ts";
import { RawBody } from "./raw-body.ts";
import { ScriptStream } from "./script-stream.ts";
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
  /** The tag `<tools>` was read. */
  opened = false;
  /** The tag of the call that began last. */
  lastTag: Tag | undefined;
  /** An element that no tool has: its content is not read. */
  unknown: Tag | undefined;
  /** A finding about text before the tag of a call on its line, until the call has ended. */
  strayBefore: Diagnostic | undefined;
  /** The element whose body is being read. */
  body: OpenBody | undefined;
  /** Number of the call that began last, from 0. */
  #number = -1;
  /** Where it began. */
  #began = -1;
  /** The arguments of that call whose text was emitted, and the field of its tool's raw body. */
  #emitted = new Set<string>();
  #rawField = "";

  constructor(options: ReaderOptions) {
    super((code) => options.allows(code));
    this.options = options;
  }

  get hasCalls(): boolean {
    return this.lastTag !== undefined;
  }

  /** Stray text inside a file may be the rest of a text. */
  get strayChange(): DiagnosticChange | undefined {
    return this.call?.inside?.takes.includes("find") ? { affects: "value" } : undefined;
  }

  /** Begins the tag of a declared tool, where nothing else is open: its texts go out while it comes in. */
  beginTag(name: string, start: number, from: number): AttributeStream | undefined {
    const { emit, names } = this.options;
    const tool = names.tools.get(name);
    if (!emit || !tool || this.call || !this.opened || name === "results") return undefined;
    this.#announce(name, start);
    return new AttributeStream(tool, from, (...piece) => this.emitBody(...piece));
  }

  beginCall(tag: Tag): void {
    this.lastTag = tag;
    this.call = { tag, inside: undefined, errors: this.errors };
    this.#announce(tag.name, tag.start);
  }

  /** Emits the start of a call, once. */
  #announce(name: string, start: number): void {
    if (this.#began === start) return;
    this.#began = start;
    this.#number += 1;
    const { emit, names } = this.options;
    if (!emit) return;
    const tool = names.tools.get(name);
    this.#emitted = new Set();
    this.#rawField = `input.${tool && rawProperty(tool)}`;
    emit({ phase: "delta", type: "call-start", call: this.#number, tool: tool?.name ?? name, text: name });
  }

  /** Ends a call at an offset; `call` is undefined when its tags can't be read as one. */
  endCall(call: ToolsXmlCall | undefined, end: number): void {
    const isRead = call && this.call?.errors === this.errors;
    if (isRead) this.#emitArguments(call);
    if (this.strayBefore) this.strayBefore.span.end = end;
    this.strayBefore = undefined;
    this.options.emit?.({ phase: "delta", type: "call-end", call: this.#number, text: "" });
    if (isRead) {
      call.span.end = end;
      this.calls.push(call);
    }
    this.call = this.unknown = undefined;
  }

  /** Ends a call that is still open where another one begins, or the block ends. */
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
    if (open?.stream instanceof FieldStream) {
      if (!open.stream.finish(field, text)) this.emitBody(field, text);
    } else if (!open?.streams && !open?.stream) this.emitBody(field, text);
    else if (open.body.outcome === "closed" || !open.streams) open.stream?.finish(text);
  }

  emitBody(field: string, text: string, own?: string): void {
    const isRaw = field === this.#rawField;
    const param = own ?? (plainFields.has(field) ? field : isRaw ? field.slice("input.".length) : undefined);
    if (param !== undefined) this.#emitted.add(param);
    const { emit } = this.options;
    const [phase, type, call] = ["delta", "body-delta", this.#number] as const;
    // Written out, since many deltas come: dots take as long as all else.
    emit?.(param === undefined ? { phase, type, call, field, text } : { phase, type, call, field, param, text });
  }

  /** Emits those arguments of a call that was read whose text was not emitted. */
  #emitArguments(read: ToolsXmlCall): void {
    const { emit } = this.options;
    if (!emit) return;
    const { tool, span: _, ...fields } = read;
    for (const [param, value] of Object.entries(tool === "custom" ? read.input : fields)) {
      if (value === undefined || value === "" || this.#emitted.has(param)) continue;
      const text = typeof value === "string" ? value : toJsonText(value);
      emit({ phase: "delta", type: "argument", call: this.#number, param, text });
    }
  }

  override attributes(field: string, tag: Tag): void {
    const { emit } = this.options;
    if (!emit) return;
    const call = this.#number;
    for (const { name, value } of tag.attributes)
      emit({ phase: "delta", type: "attribute", call, field, name, text: value });
  }
}

/** Fields whose text is an argument of a built-in call, and nothing else. */
const plainFields: ReadonlySet<string> = new Set(["script", "data", "key"]);

/** An element whose body is being read. */
export interface OpenBody {
  tag: Tag;
  body: RawBody;
  /** White space that the line of the tag begins with. */
  indent: string;
  /** Its text is given out as it comes, also text that may turn out not to be its own. */
  streams: boolean;
  stream: BodyStream | ScriptStream | FieldStream | undefined;
}

/** Reads the bodies of a block's elements, and reports where their ends are in doubt. */
export class ElementBodies {
  readonly #draft: BlockDraft;
  /** Where the last body of each name began. */
  readonly #starts = new Map<string, number>();
  #lastStart = -1;
  #lineSeen = -1;
  #lineIndent = "";

  constructor(draft: BlockDraft) {
    this.#draft = draft;
  }

  /** Begins a body. `field`: where its text streams to; undefined when only its end decides what its text is. */
  open(source: Source, tag: Tag, context: BodyContext, field: string | undefined): OpenBody {
    const draft = this.#draft;
    const { emit, memory, fence } = draft.options;
    const body = new RawBody(tag.rawName, tag.end, context, memory, fence);
    const indent = this.#indentOf(source, tag.start);
    const stream = emit && this.#stream(tag, indent, field);
    if (tag.selfClosing) body.closeAt(tag.end);
    draft.body = { tag, body, indent, streams: field !== undefined, stream };
    return draft.body;
  }

  #stream(tag: Tag, indent: string, field: string | undefined): OpenBody["stream"] {
    const draft = this.#draft;
    if (field !== undefined) return new BodyStream(tag.end, true, (text) => draft.emitBody(field, text));
    if (tag.name === "command") return new ScriptStream(tag.end, indent, (text) => draft.emitBody("script", text));
    const tool = draft.options.names.tools.get(tag.name);
    return tool && new FieldStream(tool, tag, (...piece) => draft.emitBody(...piece));
  }

  /** Reads on in a body; false when more text is needed, or the text ends in it. */
  read(source: Source, { body, stream }: OpenBody, end: EndOptions | undefined): boolean {
    // What comes before the end is given out first, whether it came in one piece with it or not.
    if (!body.read(source, undefined)) {
      stream?.advance(source, body.safe(source));
      if (!end || !body.read(source, end)) return false;
    }
    return body.outcome !== "cut";
  }

  /** Returns the element of a body that has ended; reports doubts about its end. */
  element(source: Source, { tag, body, indent, streams, stream }: OpenBody): Element {
    const draft = this.#draft;
    const { outcome, bodyEnd, end, doubtful, spares, lineSpares } = body;
    const element: Element = { tag, indent, raw: source.slice(tag.end, bodyEnd), bodyStart: tag.end, end };
    // What a child holds is emitted up to where a reader of chunks knew it, however the text came.
    if (stream instanceof FieldStream && outcome === "closed") stream.advance(source, bodyEnd);
    // A body that holds its closing tag behind one of the same name: the two may be one.
    const before = this.#starts.get(tag.name);
    const parted = before !== undefined && (lineSpares > 0 || (spares > 0 && before === this.#lastStart));
    if (parted) draft.repair("toolsxml/doubtful-close", before, end);
    else if (doubtful) draft.repair("toolsxml/doubtful-close", bodyEnd, end);
    else this.#findLoose(element);
    this.#starts.set(tag.name, tag.start);
    this.#lastStart = tag.start;
    if (outcome !== "unclosed") return element;
    // What was given out of it can't be taken back.
    const change: DiagnosticChange = { affects: "value", message: `<${tag.rawName}> is not closed.` };
    stream?.advance(source, body.safe(source));
    if (streams) draft.report("toolsxml/unclosed-tag", tag.start, tag.end, { ...change, severity: "error" });
    else draft.repair("toolsxml/unclosed-tag", tag.start, tag.end, change);
    return element;
  }

  /** Searches a body for a tag that does not balance: it may have been its end, or the beginning of its neighbour. */
  #findLoose({ tag, raw, bodyStart }: Element): void {
    const { names } = this.#draft.options;
    if (!isRaw(tag.name, names)) return;
    const loose = names.loose(tag.name).find(raw, tag.name === "command");
    if (loose) this.#draft.repair("toolsxml/doubtful-close", bodyStart + loose.start, bodyStart + loose.end);
    else this.#draft.doubts({ tag, raw, bodyStart }, (name) => names.isElement(name));
  }

  /** Returns the white space that the line of an offset begins with. Offsets come in order, and no text is searched twice. */
  #indentOf(source: Source, at: number): string {
    const from = this.#lineSeen < 0 ? Math.max(0, this.#draft.options.start - 200) : this.#lineSeen;
    const before = source.slice(from, at);
    const line = lastLineBreak(before, 0, before.length);
    if (line >= 0 || this.#lineSeen < 0) {
      const first = line < 0 ? from : from + line + 1;
      this.#lineIndent = /^[ \t]*/.exec(source.slice(first, Math.min(at, first + 200)))?.[0] ?? "";
    }
    this.#lineSeen = at;
    return this.#lineIndent;
  }
}

/** Whether the body of an element is text to the last letter; JSON and child elements show themselves when they are not whole. */
function isRaw(name: string, { tools }: Names): boolean {
  const tool = tools.get(name);
  return tool ? rawProperty(tool) !== undefined : name !== "mcp" && name !== "get_value";
}
