import { defined } from "@toolglot/internal";
import { cdataStart } from "../scan/body-text.ts";
import type { Tag } from "../scan/tag.ts";
import type { EditCall, TextEdit } from "../types.ts";
import { attributesOf, optional, required } from "./report.ts";
import type { CallContext, Container, Element } from "./types.ts";

const flag = (text: string): boolean | undefined =>
  /^\s*(?:true|1|yes|all|)\s*$/i.test(text) ? true : /^\s*(?:false|0|no)\s*$/i.test(text) ? false : undefined;

/** Reads what stands in one `<edit>`: files, and pairs of texts in them. */
export class EditReader implements Container {
  readonly #to: CallContext;
  readonly #tag: Tag;
  readonly #call: EditCall;
  /** The `<file>` that is open. */
  #file: Tag | undefined;
  #all = false;
  /** A `<find>` that has no `<replace>` yet. */
  #find: { text: string; all: boolean; start: number; end: number } | undefined;

  constructor(tag: Tag, to: CallContext) {
    this.#tag = tag;
    this.#to = to;
    this.#call = { tool: "edit", files: [], span: { start: tag.start, end: tag.end } };
  }

  get takes(): readonly string[] {
    return this.#file ? ["find", "replace"] : ["file"];
  }

  open(tag: Tag): string | undefined {
    const { files } = this.#call;
    if (tag.name === "file") {
      if (this.#file) {
        const { start, end } = this.#file;
        this.#to.repair("toolsxml/unclosed-tag", start, end, { message: "<file> is not closed." });
        this.closeInner("file", tag.start);
      }
      const given = attributesOf(tag, ["src", "all", "encoding"], this.#to);
      this.#all = optional(given, "all", flag, "true or false", this.#to) ?? false;
      const src = required(tag, given, "src", this.#to) ?? "";
      const encoding = given.get("encoding")?.value;
      files.push({ src, ...defined({ encoding }), edits: [] });
      this.#file = tag;
      const field = `files[${files.length - 1}]`;
      if (tag.selfClosing) this.closeInner("file", tag.end);
      return field;
    }
    if (!this.#file || (tag.name !== "find" && tag.name !== "replace")) return undefined;
    if (tag.name === "find") this.#lonely();
    return `files[${files.length - 1}].edits[${files.at(-1)?.edits.length ?? 0}]`;
  }

  /** Takes the text of a `<find>` or `<replace>`. */
  take({ tag, raw, end }: Element, text: string): void {
    const given = attributesOf(tag, ["all"], this.#to);
    const all = optional(given, "all", flag, "true or false", this.#to) ?? this.#all;
    if (tag.name === "find") {
      // Empty CDATA is no slip.
      if (text === "" && !raw.includes(cdataStart))
        this.#to.report("toolsxml/empty-body", tag.start, end, {
          message: "<find> holds no text.",
          hint: "For a new file, put an empty CDATA section into <find>.",
        });
      this.#find = { text, all, start: tag.start, end };
      return;
    }
    const find = this.#find;
    this.#find = undefined;
    if (!find) {
      this.#to.report("toolsxml/missing-find", tag.start, end);
      return;
    }
    const edit: TextEdit = { find: find.text, replace: text };
    if (find.all || all) edit.all = true;
    this.#call.files.at(-1)?.edits.push(edit);
  }

  closeInner(name: string, end: number): boolean {
    const file = this.#file;
    if (name !== "file" || !file) return false;
    this.#lonely();
    if (this.#call.files.at(-1)?.edits.length === 0)
      this.#to.report("toolsxml/empty-body", file.start, end, { message: "<file> needs a <find> and a <replace>." });
    this.#file = undefined;
    return true;
  }

  /** Reports a find that was followed by no replace. */
  #lonely(): void {
    if (this.#find) this.#to.report("toolsxml/missing-replace", this.#find.start, this.#find.end);
    this.#find = undefined;
  }

  close(end: number, reported: boolean): EditCall {
    if (this.#file) {
      if (!reported) {
        const { start, end: after } = this.#file;
        this.#to.repair("toolsxml/unclosed-tag", start, after, { message: "<file> is not closed." });
      }
      this.closeInner("file", end);
    }
    if (this.#call.files.length === 0)
      this.#to.report("toolsxml/empty-body", this.#tag.start, end, { message: "<edit> needs a <file>." });
    return this.#call;
  }
}
