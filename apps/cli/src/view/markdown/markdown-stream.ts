import type { Style } from "../style.ts";
import { StreamWrap } from "../wrap.ts";
import { readInline } from "./inline.ts";
import { isTableRule, tableLines } from "./table.ts";

/** Where Markdown is set. */
export interface MarkdownOptions {
  /** Columns that every line is indented by. */
  indent: number;
  /** Columns of the terminal. */
  width: number;
  style: Style;
  write(text: string): void;
}

const plain = (text: string): string => text;

/** What a line may begin as; a line that is still coming is one of these as soon as it has a character of its text. */
const heading = /^ {0,3}(#{1,6})\s+(?=\S)/;
const item = /^(\s*)([-*+]|\d{1,9}[.)])\s+(?=\S)/;
const quote = /^\s{0,3}((?:>\s?)+)(?=[^\s>])/;
const fence = /^(\s*)(`{3,}|~{3,})([^`]*)$/;
const rule = /^ {0,3}([-*_])(?:\s*\1){2,}\s*$/;
/** Beginnings that may become one of them. */
const undecided = /^\s*(?:$|#{1,6}(?:\s.*)?$|(?:[-*+]|\d{1,9}[.)]?)\s*$|[-*_][-*_\s]*$|>[>\s]*$|`{1,}[^`]*$|~|\|)/;

/**
 * Sets streamed Markdown for a terminal: headings, lists, quotes, code, tables, rules, and the marks within lines. It draws as the text comes: words as soon
 * as they can't be part of a mark any more, code line by line, tables at their end. What is no Markdown stays as it is.
 */
export class MarkdownStream {
  readonly #options: MarkdownOptions;
  /** The line that is coming, as far as it is not drawn. */
  #rest = "";
  /** What draws the line that is coming, once it is known as what. */
  #line: StreamWrap | undefined;
  #looks: (text: string) => string = plain;
  /** The last character that was drawn of it. */
  #before = " ";
  #fence: string | undefined;
  #table: string[] = [];
  /** Empty lines that come before what follows. */
  #blank = 0;
  #started = false;

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  /** Whether anything was written. */
  get started(): boolean {
    return this.#started;
  }

  feed(text: string): void {
    this.#rest += text;
    for (let end = this.#rest.indexOf("\n"); end >= 0; end = this.#rest.indexOf("\n")) {
      const line = this.#rest.slice(0, end);
      this.#rest = this.#rest.slice(end + 1);
      const after = this.#rest;
      this.#rest = line;
      this.#endLine();
      this.#rest = after;
    }
    if (this.#line === undefined && this.#isKnown()) this.#begin();
    if (this.#line) this.#draw(false);
  }

  /** Ends the text; the cursor is then at the start of a line. */
  end(): void {
    if (this.#rest !== "" || this.#line) this.#endLine();
    this.#endTable();
  }

  /** Whether it is clear what the line that is coming is, and it can be drawn before its end. */
  #isKnown(): boolean {
    return this.#fence === undefined && !undecided.test(this.#rest);
  }

  #endLine(): void {
    const line = this.#rest;
    if (this.#line) {
      this.#draw(true);
      return;
    }
    if (this.#fence !== undefined) {
      if (line.trim().startsWith(this.#fence) && /^[`~]+$/.test(line.trim())) this.#fence = undefined;
      else this.#codeLine(line);
      return;
    }
    if (/^\s*\|/.test(line)) {
      this.#table.push(line);
      if (this.#table.length === 2 && !isTableRule(line)) this.#endTable();
      return;
    }
    this.#endTable();
    const [, , mark] = fence.exec(line) ?? [];
    if (mark !== undefined) this.#fence = mark;
    else if (line.trim() === "") this.#blank += Number(this.#started);
    else if (rule.test(line)) this.#whole(this.#options.style.dim("─".repeat(Math.min(40, this.#room))));
    else {
      this.#begin();
      this.#draw(true);
    }
  }

  get #room(): number {
    return Math.max(10, this.#options.width - this.#options.indent);
  }

  /** Begins to draw the line that is coming. */
  #begin(): void {
    this.#endTable();
    const { style } = this.#options;
    const [, level] = heading.exec(this.#rest) ?? [];
    const [marked, space = "", bullet] = item.exec(this.#rest) ?? [];
    const [quoted, marks] = quote.exec(this.#rest) ?? [];
    this.#looks = plain;
    if (level !== undefined) {
      this.#rest = this.#rest.replace(heading, "").replace(/\s+#+\s*$/, "");
      this.#looks = level.length === 1 ? heading1(style) : style.strong;
      this.#open("", "");
    } else if (marked !== undefined && bullet !== undefined) {
      const sign = /\d/.test(bullet) ? bullet : "•";
      this.#rest = this.#rest.slice(marked.length);
      const lead = space.replaceAll("\t", "    ");
      this.#open(`${lead}${style.accent(sign)} `, `${lead}${" ".repeat(sign.length)} `);
    } else if (quoted !== undefined && marks !== undefined) {
      this.#rest = this.#rest.slice(quoted.length);
      const bars = `${style.dim("│")} `.repeat(marks.replaceAll(/\s/g, "").length);
      this.#looks = style.dim;
      this.#open(bars, bars);
    } else {
      const [lead = ""] = /^\s*/.exec(this.#rest) ?? [];
      this.#rest = this.#rest.slice(lead.length);
      const shown = lead.replaceAll("\t", "    ");
      this.#open(shown, shown);
    }
  }

  #open(first: string, prefix: string): void {
    this.#space();
    const { indent, width, write } = this.#options;
    const lead = " ".repeat(indent);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the codes of colours.
    const prefixWidth = indent + prefix.replaceAll(/\x1b\[[\d;]*m/g, "").length;
    const lines = { first: lead + first, prefix: lead + prefix, prefixWidth };
    this.#line = new StreamWrap({ ...lines, width: Math.max(width, prefixWidth + 10), paint: this.#looks, write });
  }

  #draw(isWhole: boolean): void {
    const line = this.#line as StreamWrap;
    const looks = { plain: this.#looks, style: this.#options.style };
    const read = readInline(this.#rest, isWhole, looks, (text, paint) => line.feed(text, paint), this.#before);
    this.#before = this.#rest[read - 1] ?? this.#before;
    this.#rest = this.#rest.slice(read);
    if (!isWhole) return;
    line.end();
    this.#before = " ";
    this.#line = undefined;
  }

  /** The empty lines before what comes now; several are one. */
  #space(): void {
    if (this.#blank > 0) this.#options.write("\n");
    this.#blank = 0;
    this.#started = true;
  }

  #whole(line: string): void {
    this.#space();
    this.#options.write(`${" ".repeat(this.#options.indent)}${line}`.trimEnd().concat("\n"));
  }

  #codeLine(line: string): void {
    const { style } = this.#options;
    this.#whole(line.trim() === "" ? "" : `  ${style.code(line.replaceAll("\t", "    "))}`);
  }

  #endTable(): void {
    const rows = this.#table;
    if (rows.length === 0) return;
    this.#table = [];
    const { style } = this.#options;
    const lines = isTableRule(rows[1] ?? "") ? tableLines(rows, this.#room, style) : undefined;
    for (const line of lines ?? rows.map((row) => row.trim())) this.#whole(line);
  }
}

const headings = new WeakMap<Style, (text: string) => string>();

/** One function for each style: runs of one look are known by it. */
function heading1(style: Style): (text: string) => string {
  const known = headings.get(style) ?? ((text: string) => style.strong(style.accent(text)));
  headings.set(style, known);
  return known;
}
