import { type Diagnostic, type EndOptions, nearest } from "@toolglot/core";
import { type BlockEnd, type BlockReader, type Fence, isCutOff, type Source } from "@toolglot/core/text";
import { isSpace } from "@toolglot/internal";
import {
  type Container,
  type Element,
  readCommand,
  readCtrl,
  readGetValue,
  readInput,
  readMcp,
  type Surroundings,
} from "../calls/built-in.ts";
import { rawProperty, readCustom } from "../calls/custom.ts";
import { EditReader } from "../calls/edit.ts";
import { ReadReader } from "../calls/read.ts";
import { attributesOf, checkTag } from "../calls/report.ts";
import {
  type DiagnosticChange,
  diagnostic,
  type ToolsXmlDiagnosticCode,
  type ToolsXmlRepairCode,
} from "../diagnostics.ts";
import type { ToolsXmlBlock, ToolsXmlCall, ToolsXmlEvent } from "../types.ts";
import type { BodyMemory } from "./body-memory.ts";
import { BodyStream } from "./body-stream.ts";
import { type BodyText, exactText } from "./body-text.ts";
import { isStop } from "./closing-tag.ts";
import type { BodyContext, Names } from "./context.ts";
import { RawBody } from "./raw-body.ts";
import { ScriptStream } from "./script-stream.ts";
import { readHead, readTag, type Tag, TagEnd } from "./tag.ts";

/** What a reader needs from its surroundings. */
export interface ReaderOptions {
  start: number;
  fence: Fence | undefined;
  names: Names;
  memory: BodyMemory;
  allows(code: ToolsXmlRepairCode): boolean;
  /** Undefined when nobody listens. */
  emit: ((event: ToolsXmlEvent) => void) | undefined;
}

/** An element whose body is being read. */
interface OpenBody {
  tag: Tag;
  body: RawBody;
  /** White space that the line of the tag begins with. */
  indent: string;
  /** Its text is given out as it comes, also what may turn out not to be its own. */
  streams: boolean;
  stream: BodyStream | ScriptStream | undefined;
}

/** A tag whose `>` is looked for. */
interface OpenTag {
  start: number;
  head: { closes: boolean; name: string };
  /** Length of the head. */
  length: number;
  end: TagEnd;
}

/** A call that is not closed. */
interface OpenCall {
  tag: Tag;
  inside: Container | undefined;
  failed: boolean;
}

/** Reads one `<tools>` element as it comes in. */
export class ToolsReader implements BlockReader<ToolsXmlBlock>, Surroundings {
  readonly start: number;
  readonly waitsForLine = false;
  readonly #options: ReaderOptions;
  readonly #block: ToolsXmlBlock;
  readonly #found: Diagnostic[] = [];
  #invalid = false;
  #recovered = false;
  #opened = false;
  #tag: OpenTag | undefined;
  #body: OpenBody | undefined;
  #comment = -1;
  /** Where the last body of each name began. */
  readonly #bodies = new Map<string, number>();
  #lastBody = -1;
  #call: OpenCall | undefined;
  /** Calls that were begun, and the tag of the last one. */
  #calls = -1;
  #last: Tag | undefined;
  /** An unknown element: what is in it is not looked at. */
  #unknown: Tag | undefined;
  #stray: { start: number; end: number } | undefined;
  #done: BlockEnd<ToolsXmlBlock> | undefined;

  constructor(options: ReaderOptions) {
    this.#options = options;
    this.start = options.start;
    this.#block = { status: "complete", calls: [], comments: [], span: { start: options.start, end: options.start } };
  }

  read(source: Source, end?: EndOptions): BlockEnd<ToolsXmlBlock> | undefined {
    const ended = end !== undefined;
    for (;;) {
      const goesOn = this.#body
        ? this.#readBody(source, this.#body, end)
        : this.#tag
          ? this.#readTag(source, this.#tag)
          : this.#comment >= 0
            ? this.#readComment(source)
            : this.#between(source, ended);
      if (this.#done) return this.#done;
      if (!goesOn) return end ? this.#atEnd(source, end) : undefined;
    }
  }

  // --- what calls say -------------------------------------------------------------------------------------------------

  say(code: ToolsXmlDiagnosticCode, start: number, end: number, change?: DiagnosticChange): void {
    const made = diagnostic(code, start, end, change);
    this.#found.push(made);
    if (made.severity !== "error") return;
    this.#invalid = true;
    if (this.#call) this.#call.failed = true;
  }

  repair(code: ToolsXmlRepairCode, start: number, end: number, change?: DiagnosticChange): void {
    const allowed = this.#options.allows(code);
    if (allowed) this.#recovered = true;
    this.say(code, start, end, allowed ? change : { ...change, severity: "error" });
  }

  tell({ text, entities, unclosed }: BodyText, { bodyStart, raw }: Pick<Element, "bodyStart" | "raw">): string {
    const end = bodyStart + raw.length;
    if (entities)
      this.say(`toolsxml/${entities === "decoded" ? "entities-decoded" : "literal-entities"}`, bodyStart, end);
    if (unclosed) this.repair("toolsxml/unclosed-cdata", bodyStart, end);
    return text;
  }

  comment(text: string, start: number, end: number): void {
    this.#block.comments.push({ text, span: { start, end } });
  }

  delta(field: string, text: string): void {
    const call = this.#calls;
    const open = this.#body;
    if (text === "") return;
    if (open?.streams || open?.stream) {
      if (open.body.outcome === "closed" || !open.streams) open.stream?.finish(text);
    } else this.#options.emit?.({ phase: "delta", type: "body-delta", call, field, text });
  }

  attributes(field: string, tag: Tag): void {
    const { emit } = this.#options;
    if (!emit) return;
    const call = this.#calls;
    for (const { name, value } of tag.attributes)
      emit({ phase: "delta", type: "attribute", call, field, name, text: value });
  }

  // --- between tags ---------------------------------------------------------------------------------------------------

  /** White space, comments, stray text, and the beginning of the next tag. False: more text is needed. */
  #between(source: Source, ended: boolean): boolean {
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
    if (at >= text.length) return false;
    const { fence } = this.#options;
    if (line && fence && text.charAt(at) === fence.mark) {
      const run = text.slice(at, at + fence.length);
      if (run === fence.mark.repeat(run.length) && (run.length === fence.length || !ended)) {
        if (run.length < fence.length) return false;
        this.#truncate(source, source.offset);
        return true;
      }
    }
    this.#afterBreak = false;
    if (text.charCodeAt(at) !== 60) return this.#skip(source, at);
    if (text.startsWith("<!--", at)) {
      this.#endStray();
      this.#comment = source.offset;
      source.at = at + 4;
      return true;
    }
    const head = readHead(text, at, ended);
    if (head === "more" || (!ended && text.length - at < 4 && "<!--".startsWith(text.slice(at)))) return false;
    if (!head) return this.#skip(source, at);
    this.#endStray();
    this.#tag = { start: source.offset, head, length: head.end - at, end: new TagEnd() };
    source.at = head.end;
    return true;
  }
  /** Only white space since a line break. */
  #afterBreak = false;

  /** Text where there should be none. */
  #skip(source: Source, at: number): boolean {
    const { text, base } = source;
    const tag = text.indexOf("<", at + 1);
    let part = text.slice(at, tag < 0 ? text.length : tag);
    const line = part.indexOf("\n", 1);
    if (line >= 0) part = part.slice(0, line);
    const end = at + part.length;
    if (!this.#unknown) {
      let { length } = part;
      while (length > 0 && isSpace(part.charCodeAt(length - 1))) length -= 1;
      if (length > 0) {
        this.#stray ??= { start: base + at, end: 0 };
        this.#stray.end = base + at + length;
      }
    }
    source.at = end;
    return true;
  }

  #endStray(): void {
    if (!this.#stray) return;
    const { start, end } = this.#stray;
    this.#stray = undefined;
    // In a file it may be the rest of a text.
    this.repair("toolsxml/stray-text", start, end, inFile(this.#call?.inside));
  }

  #readComment(source: Source): boolean {
    const { text, base } = source;
    const close = text.indexOf("-->", source.at);
    if (close < 0) {
      source.at = Math.max(source.at, text.length - 2);
      return false;
    }
    const start = this.#comment;
    const inner = source.slice(start + 4, base + close);
    this.comment(inner.trim(), start, base + close + 3);
    this.#comment = -1;
    source.at = close + 3;
    return true;
  }

  #readTag(source: Source, open: OpenTag): boolean {
    const end = open.end.find(source.text, source.at);
    if (end === -1) {
      source.at = source.text.length;
      return false;
    }
    this.#tag = undefined;
    const broken = end < 0;
    const stop = source.base + (broken ? -2 - end : end);
    const text = source.slice(open.start, stop);
    source.seek(stop);
    const tag = readTag(broken ? `${text}>` : text, open.length, open.start, open.head);
    tag.end = stop;
    if (broken) tag.fault = stop;
    this.#onTag(source, tag);
    return true;
  }

  // --- structure ------------------------------------------------------------------------------------------------------

  #onTag(source: Source, tag: Tag): void {
    const { names } = this.#options;
    const { name, closes } = tag;
    if (!this.#opened) {
      this.#opened = true;
      if (tag.attributes.length > 0) this.say("toolsxml/ignored-attributes", tag.start, tag.end);
      if (tag.selfClosing) this.#finish(source.offset, source.offset);
      return;
    }
    const inside = this.#call?.inside;
    if (closes) {
      if (name === "tools") {
        this.#closeUnclosed(tag.start);
        this.#finish(tag.end, tag.end);
      } else if (this.#unknown?.name === name) this.#unknown = undefined;
      else if (inside && name === this.#call?.tag.name) this.#endCall(inside.close(tag.end, false), tag.end);
      else if (inside?.closeInner(name, tag.end)) return;
      else if (!this.#unknown) {
        // The tag of a call that closed itself: what stands between was its body.
        const last = this.#last?.name === name ? this.#last.start : tag.start;
        this.repair("toolsxml/stray-tag", last, tag.end);
      }
      return;
    }
    const calls = names.isCall(name) && !inside?.takes.includes(name);
    if (name === "tools" || name === "results") {
      if (name === "tools" && this.#calls < 0 && !this.#unknown) this.repair("toolsxml/stray-tag", tag.start, tag.end);
      else this.#truncate(source, tag.start);
      return;
    }
    if (calls) {
      this.#closeUnclosed(tag.start);
      this.#beginCall(source, tag);
      return;
    }
    if (this.#unknown) return;
    const field = inside?.open(tag);
    if (field !== undefined) {
      checkTag(tag, this);
      this.attributes(field, tag);
      if (name === "file" || name === "search") return;
      this.#openBody(source, tag, name === "find" ? names.find : names.replace, `${field}.${name}`, true);
      return;
    }
    const known = inside ? inside.takes : names.known;
    const near = nearest(name, known);
    this.say("toolsxml/unknown-tag", tag.start, tag.end, {
      message: inside ? `<${tag.rawName}> has no place here.` : `No tool is named <${tag.rawName.slice(0, 80)}>.`,
      hint: `${near.length > 0 ? `Did you mean <${near.join("> or <")}>? ` : ""}Known: ${known.map((one) => `<${one}>`).join(" ")}.`,
    });
    if (!tag.selfClosing) this.#unknown = tag;
  }

  #beginCall(source: Source, tag: Tag): void {
    const { emit, names } = this.#options;
    const { name } = tag;
    this.#calls += 1;
    this.#last = tag;
    this.#call = { tag, inside: undefined, failed: false };
    emit?.({ phase: "delta", type: "call-start", call: this.#calls, text: name });
    checkTag(tag, this);
    this.attributes("", tag);
    if (name === "edit" || name === "read") {
      attributesOf(tag, [], this);
      const inside = name === "edit" ? new EditReader(tag, this) : new ReadReader(tag, this);
      this.#call.inside = inside;
      if (tag.selfClosing) this.#endCall(inside.close(tag.end, false), tag.end);
      return;
    }
    const tool = names.tools.get(name);
    const raw = tool && rawProperty(tool);
    const field = raw !== undefined ? `input.${raw}` : name === "input" ? "data" : undefined;
    // Escapes of <input> are decoded at its close.
    this.#openBody(source, tag, names.call, name === "input" ? undefined : field, true);
  }

  #openBody(source: Source, tag: Tag, context: BodyContext, field: string | undefined, exact: boolean): void {
    const { emit, memory, fence } = this.#options;
    const body = new RawBody(tag.rawName, tag.end, context, memory, fence);
    const call = this.#calls;
    const indent = this.#indentOf(source, tag.start);
    const told = tag.name === "command" ? "script" : field;
    const tell = (text: string): void =>
      emit?.({ phase: "delta", type: "body-delta", call, field: told as string, text });
    const stream =
      !emit || told === undefined
        ? undefined
        : field === undefined
          ? new ScriptStream(tag.end, indent, tell)
          : new BodyStream(tag.end, exact, tell);
    this.#body = { tag, body, indent, streams: field !== undefined, stream };
    if (!tag.selfClosing) return;
    body.closeAt(tag.end);
    this.#bodyRead(source, this.#body);
  }

  /** White space that the line of an offset begins with. Offsets come in order, and no text is looked through twice. */
  #indentOf(source: Source, at: number): string {
    const from = this.#lineSeen < 0 ? Math.max(0, this.start - 200) : this.#lineSeen;
    const before = source.slice(from, at);
    const line = before.lastIndexOf("\n");
    if (line >= 0 || this.#lineSeen < 0) {
      const first = line < 0 ? from : from + line + 1;
      this.#lineIndent = /^[ \t]*/.exec(source.slice(first, Math.min(at, first + 200)))?.[0] ?? "";
    }
    this.#lineSeen = at;
    return this.#lineIndent;
  }
  #lineSeen = -1;
  #lineIndent = "";

  #readBody(source: Source, open: OpenBody, end: EndOptions | undefined): boolean {
    const { body } = open;
    // What comes before the end is given out first, whether it came in one piece with it or not.
    if (!body.read(source, undefined)) {
      open.stream?.advance(source, body.safe(source));
      if (!end || !body.read(source, end)) return false;
    }
    if (body.outcome === "cut") return false;
    this.#bodyRead(source, open);
    return true;
  }

  #bodyRead(source: Source, open: OpenBody): void {
    const { tag, body, indent, streams, stream } = open;
    const { outcome, bodyEnd, end, doubtful, spares, lineSpares } = body;
    const element: Element = { tag, indent, raw: source.slice(tag.end, bodyEnd), bodyStart: tag.end, end };
    // A body that holds its closing tag behind one of the same name: the two may be one.
    const before = this.#bodies.get(tag.name);
    const parted = before !== undefined && (lineSpares > 0 || (spares > 0 && before === this.#lastBody));
    if (parted) this.repair("toolsxml/doubtful-close", before, end);
    else if (doubtful) this.repair("toolsxml/doubtful-close", bodyEnd, end);
    else this.#findLoose(element);
    this.#bodies.set(tag.name, tag.start);
    this.#lastBody = tag.start;
    if (outcome === "unclosed") {
      // What was given out of it can't be taken back.
      const change: DiagnosticChange = { affects: "value", message: `<${tag.rawName}> is not closed.` };
      stream?.advance(source, body.safe(source));
      if (streams) this.say("toolsxml/unclosed-tag", tag.start, tag.end, { ...change, severity: "error" });
      else this.repair("toolsxml/unclosed-tag", tag.start, tag.end, change);
    }
    const { inside } = this.#call as OpenCall;
    if (inside instanceof EditReader) {
      const text = this.tell(exactText(element.raw), element);
      if (outcome === "closed") stream?.finish(text);
      this.#body = undefined;
      inside.take(element, text);
    } else {
      const call = this.#make(element);
      this.#body = undefined;
      this.#endCall(call, end);
    }
  }

  /** A tag that does not balance in a body may have been its end, or the beginning of its neighbour. */
  #findLoose({ tag, raw, bodyStart }: Element): void {
    if (!takesRaw(tag.name, this.#options.names)) return;
    const loose = this.#options.names.loose(tag.name).find(raw, tag.name === "command");
    if (loose) this.repair("toolsxml/doubtful-close", bodyStart + loose.start, bodyStart + loose.end);
  }

  #make(element: Element): ToolsXmlCall | undefined {
    const { name } = element.tag;
    switch (name) {
      case "command":
        return readCommand(element, this);
      case "get_value":
        return readGetValue(element, this);
      case "input":
        return readInput(element, this);
      case "ctrl":
        return readCtrl(element, this);
      case "mcp":
        return readMcp(element, this);
    }
    const tool = this.#options.names.tools.get(name);
    return tool && readCustom(tool, element, this);
  }

  #endCall(call: ToolsXmlCall | undefined, end: number): void {
    const open = this.#call as OpenCall;
    this.#options.emit?.({ phase: "delta", type: "call-end", call: this.#calls, text: "" });
    if (call && !open.failed) {
      call.span.end = end;
      this.#block.calls.push(call);
    }
    this.#call = undefined;
    this.#unknown = undefined;
  }

  /** A call that is still open ends where another one begins, or the block ends. */
  #closeUnclosed(at: number): void {
    this.#unknown = undefined;
    const open = this.#call;
    if (!open?.inside) return;
    const { start, end, rawName } = open.tag;
    // Without the inner closing tag, this one may stand in a text.
    const change = inFile(open.inside);
    this.repair("toolsxml/unclosed-tag", start, end, { ...change, message: `<${rawName}> is not closed.` });
    this.#endCall(open.inside.close(at, true), at);
  }

  // --- the end --------------------------------------------------------------------------------------------------------

  /** The block goes on no further than this, without `</tools>`. */
  #truncate(source: Source, at: number): void {
    this.#endStray();
    this.#cut(at);
    source.seek(at);
    this.#finish(at, at);
  }

  /** Calls that are complete stand, one that is not does not run. */
  #cut(end: number): void {
    const start = this.#call?.tag.start ?? this.#unknown?.start ?? this.#tag?.start ?? end;
    const name = this.#call?.tag.name ?? this.#unknown?.name ?? (this.#tag?.head.closes ? "" : this.#tag?.head.name);
    if (name) this.#block.truncatedCall = { name: name.toLowerCase(), span: { start, end } };
    this.#call = undefined;
    this.#found.push(diagnostic("toolsxml/truncated", start, end));
    const stands = this.#block.calls.length > 0 && this.#options.allows("toolsxml/truncated");
    this.#block.status = stands ? "recovered" : "truncated";
  }

  #atEnd(source: Source, end: EndOptions): BlockEnd<ToolsXmlBlock> {
    this.#endStray();
    const open = this.#body ?? this.#tag ?? this.#call;
    if (!isStop(end) || open || this.#comment >= 0 || !this.#opened) {
      this.#cut(source.length);
      if (isCutOff(end)) this.#block.status = "truncated";
    }
    source.seek(source.length);
    this.#finish(source.length, source.length);
    return this.#done as BlockEnd<ToolsXmlBlock>;
  }

  #finish(blockEnd: number, end: number): void {
    const block = this.#block;
    this.#endStray();
    block.span.end = blockEnd;
    block.comments.sort((a, b) => a.span.start - b.span.start);
    if (this.#invalid && block.status !== "truncated") block.status = "invalid";
    else if (this.#recovered && block.status === "complete") block.status = "recovered";
    this.#done = { block, diagnostics: this.#found, end, closedFence: false };
  }
}

/** Whether the body of an element is text to the last letter; JSON and child elements show themselves when they are not whole. */
function takesRaw(name: string, { tools }: Names): boolean {
  const tool = tools.get(name);
  return tool ? rawProperty(tool) !== undefined : name !== "mcp" && name !== "get_value";
}

/** Texts may come here. */
const inFile = (inside: Container | undefined): { affects: "value" } | undefined =>
  inside?.takes.includes("find") ? { affects: "value" } : undefined;
