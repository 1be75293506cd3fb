import type { ToolDefinition } from "@toolglot/core";
import type { Source } from "@toolglot/core/text";
import { isSpace } from "@toolglot/internal";
import { propertyNamed, schemaOf, siblings, takesAnyText } from "../calls/schema.ts";
import { BodyStream } from "./body-stream.ts";
import { cdataEnd, cdataStart } from "./body-text.ts";
import { closingTagEnd, readHead, type Tag, TagEnd } from "./tag.ts";

/** The child element that is being read. */
interface OpenChild {
  name: string;
  /** Emits its text; undefined for a child whose value need not be its text. */
  stream: BodyStream | undefined;
  /** Where its text begins, and whether that is in CDATA; undefined until something that is no white space shows it. */
  in: "text" | "cdata" | "behind" | undefined;
  /** Something in it may change where it ends. */
  unsure: boolean;
  /** Its own closing tag stands in its CDATA: the rest waits for the end of that. */
  held: boolean;
}

/**
 * Emits the texts of a custom call's child elements while they come. It reads as `elements` does, as long as each child ends at the first
 * tag that can close it; where one does not, the rest of the call waits for its end.
 */
export class FieldStream {
  readonly #tool: ToolDefinition;
  readonly #given: ReadonlySet<string>;
  readonly #emit: (field: string, text: string, param: string) => void;
  readonly #isSibling: (name: string) => boolean;
  readonly #streams = new Map<string, BodyStream>();
  /** Text before this offset was read. */
  #at: number;
  #mode: "between" | "comment" | "tag" | "child" | "behind" | "done" = "between";
  #head: { name: string; end: TagEnd } | undefined;
  #child: OpenChild | undefined;
  /** The end of CDATA was searched for up to here. */
  #sought = 0;

  /** `emit` takes a field, its parameter, and a piece of its text. */
  constructor(tool: ToolDefinition, tag: Tag, emit: (field: string, text: string, param: string) => void) {
    this.#tool = tool;
    this.#at = tag.end;
    this.#emit = emit;
    this.#isSibling = siblings(tool.inputSchema);
    this.#given = new Set(tag.attributes.map(({ rawName }) => propertyNamed(tool.inputSchema, rawName) ?? rawName));
    if (tag.selfClosing) this.#mode = "done";
  }

  /** Reads the body, which reaches at least up to an offset. */
  advance(source: Source, safe: number): void {
    while (this.#mode !== "done" && safe > this.#at && this.#step(source, source.slice(this.#at, safe), safe));
  }

  /** Ends a field, whose text is known; false when nothing of it was emitted. */
  finish(field: string, text: string): boolean {
    const stream = this.#streams.get(field);
    stream?.finish(text);
    return stream !== undefined;
  }

  /** Reads a piece; false when more text is needed. */
  #step(source: Source, text: string, safe: number): boolean {
    switch (this.#mode) {
      case "comment": {
        const close = text.indexOf("-->");
        this.#at += close < 0 ? Math.max(0, text.length - 2) : close + 3;
        if (close >= 0) this.#mode = this.#child ? "behind" : "between";
        return close >= 0;
      }
      case "tag":
        return this.#readTag(source, text);
      case "child":
        return this.#readChild(source, text, safe);
      default:
        return this.#between(text);
    }
  }

  /** Reads between children, and behind the closing tag of one: what comes next shows whether it has ended there. */
  #between(text: string): boolean {
    let at = 0;
    while (isSpace(text.charCodeAt(at))) at += 1;
    this.#at += at;
    const rest = text.slice(at, at + 400);
    if (rest.startsWith("<!--")) {
      this.#at += 4;
      this.#mode = "comment";
      return true;
    }
    if (rest === "" || "<!--".startsWith(rest)) return false;
    const head = readHead(rest, 0, false);
    if (head === "more") return false;
    if (!head || head.closes || (this.#child && !this.#isSibling(head.name.toLowerCase()))) this.#mode = "done";
    else {
      this.#child = undefined;
      this.#head = { name: head.name, end: new TagEnd() };
      this.#at += head.end;
      this.#mode = "tag";
    }
    return true;
  }

  #readTag(source: Source, text: string): boolean {
    const { name, end } = this.#head as { name: string; end: TagEnd };
    const found = end.find(text, 0);
    if (found < 0) {
      this.#at += text.length;
      if (found < -1) this.#mode = "done";
      return false;
    }
    this.#at += found;
    if (source.slice(this.#at - 2, this.#at - 1) === "/") {
      this.#mode = "between";
      return true;
    }
    const key = propertyNamed(this.#tool.inputSchema, name);
    const field = `input.${key}`;
    const isText =
      key !== undefined &&
      !this.#given.has(key) &&
      !this.#streams.has(field) &&
      takesAnyText(schemaOf(this.#tool.inputSchema, key), this.#tool.inputSchema);
    const stream = isText ? new BodyStream(this.#at, true, (piece) => this.#emit(field, piece, key)) : undefined;
    if (stream) this.#streams.set(field, stream);
    this.#child = { name: name.toLowerCase(), stream, in: undefined, unsure: false, held: false };
    this.#mode = "child";
    return true;
  }

  #readChild(source: Source, text: string, safe: number): boolean {
    const child = this.#child as OpenChild;
    if (child.in === undefined || child.in === "behind") {
      const first = text.length - text.trimStart().length;
      const start = text.slice(first, first + cdataStart.length);
      this.#at += first;
      if (start === "" || (start.length < cdataStart.length && cdataStart.startsWith(start))) return false;
      if (child.in === "behind") {
        // Only its closing tag, or more CDATA, which comes with the rest.
        if (start.startsWith("</")) return this.#close(text.slice(first));
        this.#mode = "done";
        return true;
      }
      child.in = start === cdataStart ? "cdata" : "text";
      if (child.in === "cdata") {
        this.#at += cdataStart.length;
        child.stream?.enterCdata(this.#at);
      }
      return true;
    }
    if (child.in === "cdata") return this.#readCdata(source, text, child);
    for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
      const rest = text.slice(at, at + child.name.length + 80);
      const lower = rest.toLowerCase();
      const closes = lower.startsWith(`</${child.name}`) && /^[\s>]/.test(rest.slice(child.name.length + 2));
      const partial = [`</${child.name}`, `<${child.name}`, cdataStart.toLowerCase()].some((mark) =>
        mark.startsWith(lower),
      );
      if (closes || (partial && at + rest.length === text.length)) {
        child.stream?.advance(source, this.#at + at);
        this.#at += at;
        return closes && this.#close(rest);
      }
      child.unsure ||= rest.startsWith(cdataStart) || lower.startsWith(`<${child.name}`);
    }
    child.stream?.advance(source, safe);
    this.#at = safe;
    return false;
  }

  #readCdata(source: Source, text: string, child: OpenChild): boolean {
    const end = text.indexOf(cdataEnd, Math.max(0, this.#sought - this.#at - 2));
    this.#sought = this.#at + text.length;
    if (end >= 0) {
      child.stream?.advance(source, this.#at + end);
      this.#at += end + cdataEnd.length;
      child.in = "behind";
      return true;
    }
    if (child.held) return false;
    // The child may end in CDATA that nothing closes.
    const closer = `</${child.name}`;
    const tag = text.toLowerCase().indexOf(closer);
    child.held = tag >= 0;
    const rest = text.slice(-closer.length).toLowerCase();
    let kept = rest.length;
    while (kept > 0 && ![closer, cdataEnd].some((mark) => mark.startsWith(rest.slice(-kept)))) kept -= 1;
    this.#at += child.held ? tag : text.length - kept;
    child.stream?.advance(source, this.#at);
    return false;
  }

  /** Reads the closing tag that a text begins with. */
  #close(text: string): boolean {
    const { name, unsure } = this.#child as OpenChild;
    const end = closingTagEnd(text.slice(0, name.length + 80), 0, name, false);
    if (end < 0) return false;
    this.#at += end;
    this.#mode = end === 0 || unsure ? "done" : "behind";
    return true;
  }
}
