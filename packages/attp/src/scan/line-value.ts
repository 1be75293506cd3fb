import type { Entry, LineValue, Note } from "./entry.ts";
import { restPattern } from "./patterns.ts";

/** Returns the last of some quotes on a line, when nothing but a comment follows it. */
const lastOf = (quotes: string): RegExp => new RegExp(`[${quotes}](?=[ \\t]*(?:(?:#|//)[^${quotes}]*)?$)`);
const lastQuotes = { basic: lastOf('"“”„＂'), literal: lastOf("'‘’‚＇"), backticks: lastOf("`") };

/** Numbers and dates, and the words that TOML knows. */
const plain = /^(?:[+-]?(?:\d[\w.:+-]*(?: \d\d:[\w.:+-]*)?|inf|nan)|true|false)(?=[ \t]*(?:#|\/\/|$))/;
const looseWord = /^(?:True|False|TRUE|FALSE)(?=[ \t]*(?:#|\/\/|$))/;
const word = /^[A-Za-z]+(?=[ \t]*(?:#|\/\/|$))/;
/** Words of a language, not of a program. */
const sentence = /^[\p{L}][^()[\]{}=+"'`\\]*$/u;

/**
 * Reads what stands on a key's line as its value, into the entry; undefined when it is no value.
 * `strictly`: nothing that only a repair can read.
 */
export function readLineValue(entry: Entry, text: string, strictly: boolean): LineValue | undefined {
  const first = text.charAt(0);
  if (first === "[" || first === "{") {
    setBody(entry, "other", 0, text.length, text);
    return { kind: "brackets", notes: [] };
  }
  if (/["'“”„‘’‚＂＇`]/.test(first)) return quoted(entry, text, first, strictly);
  const value = plain.exec(text)?.[0];
  if (value !== undefined) return closed(entry, text, "other", 0, value.length, []);
  const boolean = looseWord.exec(text)?.[0];
  if (boolean !== undefined) return closed(entry, text, "other", 0, boolean.length, [noteAt(entry, 0, boolean.length)]);
  if (entry.field === "status") {
    const status = word.exec(text)?.[0];
    if (status !== undefined) return closed(entry, text, "bare", 0, status.length, [noteAt(entry, 0, status.length)]);
  }
  const words = text.replace(/[ \t]+#[^\n]*$/, "");
  if ((entry.field === "target" || entry.field === "message") && sentence.test(words))
    return closed(entry, text, "bare", 0, words.length, [noteAt(entry, 0, words.length)]);
  return undefined;
}

function quoted(entry: Entry, text: string, first: string, strictly: boolean): LineValue | undefined {
  const family = first === "`" ? "backticks" : /["“”„＂]/.test(first) ? "basic" : "literal";
  if (family === "backticks" && entry.field !== "code") return undefined;
  const odd = !/["'`]/.test(first);
  const notes: Note[] = odd ? [{ code: "odd-delimiters", start: entry.valueStart, end: entry.valueStart + 1 }] : [];
  if (family === "backticks")
    notes.push({ code: "nested-fence", start: entry.valueStart, end: entry.valueStart + text.length });
  const ticks = family === "backticks" ? (/^`+/.exec(text)?.[0].length ?? 1) : 1;
  const end = odd || family === "backticks" ? text.slice(1).search(lastQuotes[family]) + 1 : closingQuote(text, first);
  if (end >= ticks && restPattern.test(text.slice(end + 1)))
    return closed(entry, text, family, ticks, end + 1 - ticks, notes, end + 1);
  if (strictly || entry.field === undefined) return undefined;
  setBody(entry, family, 1, text.length, text);
  return { kind: "loose", notes, quote: lastQuotes[family] };
}

/** Returns the index of the quote that ends a one-line string, -1 when it is not on the line. */
function closingQuote(text: string, quote: string): number {
  for (let at = text.indexOf(quote, 1); at >= 0; at = text.indexOf(quote, at + 1)) {
    let slashes = 0;
    if (quote === '"') while (text[at - 1 - slashes] === "\\") slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

function closed(
  entry: Entry,
  text: string,
  form: Entry["form"],
  bodyStart: number,
  bodyEnd: number,
  notes: Note[],
  end: number = bodyEnd,
): LineValue | undefined {
  const rest = restPattern.exec(text.slice(end));
  if (!rest) return undefined;
  setBody(entry, form, bodyStart, bodyEnd, text);
  entry.valueEnd = entry.valueStart + end;
  if (rest[1]) {
    const start = entry.valueStart + text.length - rest[1].length;
    notes.push({ code: "loose-syntax", start, end: start + rest[1].trimEnd().length });
  }
  return { kind: "closed", notes };
}

function setBody(entry: Entry, form: Entry["form"], start: number, end: number, text: string): void {
  entry.form = form;
  entry.bodyStart = entry.valueStart + start;
  entry.bodyEnd = entry.valueStart + end;
  entry.valueEnd = entry.valueStart + text.length;
  entry.text = text.slice(start, end);
}

function noteAt(entry: Entry, start: number, end: number): Note {
  return { code: "loose-syntax", start: entry.valueStart + start, end: entry.valueStart + end };
}
