import { defined } from "@toolglot/internal";
import type { Tag } from "../scan/tag.ts";
import type { ReadCall } from "../types.ts";
import { elements } from "./elements.ts";
import { attributesOf, optional, required } from "./report.ts";
import type { CallContext, Container, Element } from "./types.ts";

const lineNumber = (text: string): number | undefined => {
  const value = /^\s*\d{1,15}\s*$/.test(text) ? Number(text) : 0;
  return value > 0 ? value : undefined;
};

/** Reads what stands in one `<read>`: files, directories and searches. */
export class ReadReader implements Container {
  readonly takes: readonly string[] = ["file", "search"];
  readonly #to: CallContext;
  readonly #call: ReadCall;
  /** The element that is open. */
  #open: string | undefined;

  constructor(tag: Tag, to: CallContext) {
    this.#to = to;
    this.#call = { tool: "read", files: [], searches: [], span: { start: tag.start, end: tag.end } };
  }

  open(tag: Tag): string | undefined {
    const { files, searches } = this.#call;
    const { name, start, end } = tag;
    if (name !== "file" && name !== "search") return undefined;
    this.#open = tag.selfClosing ? undefined : name;
    const to = this.#to;
    if (name === "search") {
      const given = attributesOf(tag, ["pattern", "src", "glob"], to);
      const pattern = required(tag, given, "pattern", to) ?? "";
      const more = defined({ src: given.get("src")?.value, glob: given.get("glob")?.value });
      return `searches[${searches.push({ pattern, ...more }) - 1}]`;
    }
    const given = attributesOf(tag, ["src", "from", "to", "encoding"], to);
    const src = required(tag, given, "src", to) ?? "";
    const from = optional(given, "from", lineNumber, "a line number from 1", to);
    const last = optional(given, "to", lineNumber, "a line number from 1", to);
    if (from !== undefined && last !== undefined && last < from)
      to.report("toolsxml/invalid-attribute", start, end, { message: "to is a line before from." });
    const encoding = given.get("encoding")?.value;
    return `files[${files.push({ src, ...defined({ from, to: last, encoding }) }) - 1}]`;
  }

  closeInner(name: string): boolean {
    if (name !== this.#open) return false;
    this.#open = undefined;
    return true;
  }

  /** Ends the call. An element in it that is not closed lacks nothing. */
  close(end: number): ReadCall {
    const call = this.#call;
    if (call.files.length + call.searches.length === 0)
      this.#to.report("toolsxml/empty-body", call.span.start, end, { message: "<read> needs a <file> or a <search>." });
    return call;
  }
}

/** Reads a whole `<read>` element. */
export function readRead(element: Element, to: CallContext): ReadCall {
  const { tag, raw, bodyStart, end } = element;
  attributesOf(tag, [], to);
  const reader = new ReadReader(tag, to);
  const inside = elements(raw, bodyStart, (name) => reader.takes.includes(name), to);
  for (const child of inside.children) {
    if (reader.open(child.tag) === undefined)
      to.report("toolsxml/unknown-tag", child.tag.start, child.tag.end, {
        message: `<read> has no <${child.tag.rawName}>.`,
      });
    else if (child.raw.trim() !== "") to.repair("toolsxml/stray-text", child.bodyStart, child.end);
  }
  if (inside.stray) to.repair("toolsxml/stray-text", inside.stray.start, inside.stray.end);
  const call = reader.close(end);
  call.span.end = end;
  return call;
}
