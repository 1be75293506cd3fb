import type { Source } from "@toolglot/core/text";
import type { Brackets } from "./brackets.ts";
import type { Entry, Header, Mark, Note, ReaderOptions, Scan } from "./entry.ts";
import { readKey } from "./key-line.ts";
import { type Field, oddCharacters } from "./patterns.ts";
import type { OpenerWatch, Seam } from "./seam.ts";
import type { Candidate, OpenString } from "./string-scan.ts";
import type { ValueStream } from "./value-stream.ts";

export const openerInCode =
  "The code holds a line that begins a document; it was taken to end before it, or is not certain.";

/** What was found of a document so far, and what is being read. What turns out to be no part of it is taken back. */
export class Draft {
  readonly entries: Entry[] = [];
  readonly headers: Header[] = [];
  readonly notes: Note[] = [];
  /** Offset after the last text that belongs to the document. */
  contentEnd: number;
  doubt: Scan["doubt"];
  /** Where the code was taken to end. */
  codeEnd: Candidate | undefined;
  /** That was settled although no TOML follows. */
  forced = false;
  /** The multi-line string that is being read. */
  open: OpenString | undefined;
  /** That string is to be read on from the middle of a line. */
  midLine = false;
  /** Quotes that were taken for the end of the last string, as long as that is a question. */
  pending: Candidate | undefined;
  /** Lines known to lead to something that is no TOML. */
  deadLines: Set<number> | undefined;
  /** Lines of the last code that would begin another document. */
  watch: OpenerWatch | undefined;
  /** Openers in code that were checked: each check costs as much as the code before it. */
  openerChecks = 0;
  /** Comments behind quotes that were checked on one line, and where that line ends. */
  commentChecks: { count: number; lineEnd: number } = { count: 0, lineEnd: -1 };
  /** What is given out of each field while it comes in. */
  readonly streams: [Field, ValueStream][] = [];
  /** A value in brackets that is still open. */
  brackets: Brackets | undefined;
  /** A one-line string that was not closed on its line: offset after its last quote so far, -1 for none. */
  loose: { entry: Entry; quote: RegExp; end: number } | undefined;
  readonly options: ReaderOptions;
  readonly #byField = new Map<Field | undefined, Entry[]>();
  #table = 0;
  #calls = 0;
  #inCall = false;

  constructor(options: ReaderOptions) {
    this.options = options;
    this.contentEnd = options.start;
  }

  /** Returns the entries of a field. */
  of(field: Field | undefined): Entry[] {
    let entries = this.#byField.get(field);
    if (!entries) {
      entries = [];
      this.#byField.set(field, entries);
    }
    return entries;
  }

  /** Returns the key of the current line, with the place of its value; it is not added. */
  key(source: Source): Entry | undefined {
    return readKey(source.text, source.at, source.base, { table: this.#table, inCall: this.#inCall });
  }

  add(entry: Entry, keyText: string): void {
    const { field, keyStart, valueStart } = entry;
    if (oddCharacters.test(keyText)) this.note("odd-delimiters", keyStart, valueStart);
    if (/[:：][^"'=]*$/.test(keyText)) this.note("loose-syntax", keyStart, valueStart);
    const same = this.of(field);
    if (field && same.at(-1)?.table === entry.table) this.note("duplicate-key", keyStart, entry.keyEnd);
    this.entries.push(entry);
    same.push(entry);
  }

  /** Takes the last entry back. */
  drop(): void {
    this.of(this.entries.pop()?.field).pop();
  }

  /** Begins a table. */
  header(line: string, start: number, header: RegExpExecArray, call: "exact" | "odd" | undefined): void {
    const [, opening = "", name = "", comment] = header;
    const end = start + line.trimEnd().length;
    const first = start + line.length - line.trimStart().length;
    if (oddCharacters.test(line) && oddCharacters.test(line.split("#")[0] ?? ""))
      this.note("odd-delimiters", first, end);
    if (call && (call === "odd" || opening.length > 1 || this.#calls > 0)) this.note("table-name", first, end);
    if (comment) this.note("loose-syntax", end - comment.trimEnd().length, end);
    this.#table += 1;
    this.#inCall = call !== undefined;
    if (this.#inCall) this.#calls += 1;
    this.headers.push({ name, start: first, end, table: this.#table, isCall: this.#inCall });
    this.contentEnd = end;
  }

  note(code: Note["code"], start: number, end: number, message?: string): void {
    this.notes.push({ code, start, end, message });
  }

  /** Whether the call can run: then, what looks like a new one begins the next document. */
  complete(): boolean {
    if (this.of("code").length > 0) return true;
    const status = this.of("status").at(-1);
    if (this.of("message").length === 0 || (!status && this.#calls === 0)) return false;
    return !/^success$/i.test(status?.text ?? "");
  }

  /** Whether a key begins the next document. */
  beginsNext({ field }: Entry): boolean {
    return field === "thought" && this.complete() && this.of("thought").length > 0;
  }

  mark(): Mark {
    return {
      entries: this.entries.length,
      headers: this.headers.length,
      notes: this.notes.length,
      table: this.#table,
      inCall: this.#inCall,
    };
  }

  /** Takes back what was found since. */
  restore({ entries, headers, notes, table, inCall }: Mark): void {
    while (this.entries.length > entries) this.drop();
    while (this.headers.length > headers) if (this.headers.pop()?.isCall) this.#calls -= 1;
    this.notes.length = notes;
    this.#table = table;
    this.#inCall = inCall;
  }

  /** Ends the code, and the document with it, where another one begins. */
  cutAt(code: Entry, { codeEnd, end, next }: Seam): void {
    while (this.entries.at(-1) !== code) this.drop();
    while ((this.headers.at(-1)?.start ?? 0) > codeEnd) this.headers.pop();
    while ((this.notes.at(-1)?.start ?? 0) >= codeEnd) this.notes.pop();
    if ((code.innerQuotes ?? 0) >= codeEnd) code.innerQuotes = undefined;
    code.bodyEnd = code.valueEnd = codeEnd;
    code.cut = false;
    code.mended = true;
    this.contentEnd = end;
    // The finding lies on this document too.
    this.note("inner-quotes", Math.min(codeEnd, end - 1), next, openerInCode);
  }

  /** Takes the last entry back with all that was noted of it, since the next document begins there; returns its offset. */
  dropLine(source: Source): number {
    const { start: documentStart } = this.options;
    const start = this.entries.at(-1)?.lineStart ?? this.contentEnd;
    this.drop();
    while ((this.notes.at(-1)?.start ?? -1) >= start) this.notes.pop();
    this.contentEnd = documentStart + source.slice(documentStart, start).trimEnd().length;
    return start;
  }
}
