import { isBlank } from "@toolglot/internal";
/** A piece of a script that its shell takes as text, as indices: quotes with their marks, or the lines of a heredoc. */
export interface ShellText {
  start: number;
  end: number;
  /** A quote over several lines: a missing mark in one script and one in the next make such a thing too. */
  lined: boolean;
}

const heredoc = /<<-?[ \t]*(?:'([^'\n]{1,80})'|"([^"\n]{1,80})"|\\?([A-Za-z_][\w.-]{0,79}))/y;
/** What opens or closes something outside quotes, and within double ones. */
const inCode = /[\\'"`#(){}\n]|<<|\$[({']/g;
const inDouble = /["\\`]|\$[({]/g;
const wordStart = /[\s;&|(){}]/;
/** So many units, and as many as the script has, are looked through for ends of heredocs in vain. */
const patience = 65_536;

/**
 * Returns the quotes and heredocs of a shell script, in order. Undefined when one of them stays open: then nothing is sure about any of
 * them. A heredoc also ends at a line that has something like a tag directly behind the delimiter. Linear.
 */
export function shellTexts(script: string): ShellText[] | undefined {
  const found: ShellText[] = [];
  /** What is open: `"`, `` ` ``, `(`, `{`. */
  const open: string[] = [];
  const quotes: number[] = [];
  let documents: string[] = [];
  let vain = script.length + patience;
  const text = (start: number, end: number): void => {
    // An apostrophe within a word is a quote to the shell, but none is meant.
    const apostrophe =
      script.charAt(start) === "'" && /[A-Za-z]'[a-z]/.test(script.slice(Math.max(0, start - 1), start + 2));
    if (!apostrophe) found.push({ start, end, lined: script.slice(start, end).includes("\n") });
  };
  for (let at = 0; ; ) {
    const top = open.at(-1);
    const marks = top === '"' ? inDouble : inCode;
    marks.lastIndex = at;
    const match = marks.exec(script);
    if (!match) break;
    const [mark] = match;
    const { index } = match;
    at = index + mark.length;
    if (mark === "\\") at += 1;
    else if (mark === '"' && top === '"') {
      open.pop();
      const start = quotes.pop() as number;
      if (quotes.length === 0) text(start, at);
    } else if (mark === '"') {
      open.push('"');
      quotes.push(index);
    } else if (mark === "'" || mark === "$'") {
      let end = script.indexOf("'", at);
      if (mark === "$'") while (end > 0 && isEscaped(script, end, at)) end = script.indexOf("'", end + 1);
      if (end < 0) return undefined;
      at = end + 1;
      if (quotes.length === 0) text(index, at);
    } else if (mark === "`") {
      if (top === "`") open.pop();
      else open.push("`");
    } else if (mark === "#") {
      if (index > 0 && !wordStart.test(script.charAt(index - 1))) continue;
      const end = script.indexOf("\n", at);
      at = end < 0 ? script.length : end;
    } else if (mark === "<<") {
      heredoc.lastIndex = index;
      const [all, single, double, bare] = heredoc.exec(script) ?? [];
      const delimiter = single ?? double ?? bare;
      if (script.charAt(at) === "<") at += 1;
      else if (all && delimiter) {
        documents.push(delimiter);
        at = index + all.length;
      }
    } else if (mark === "\n") {
      for (const delimiter of documents) {
        const end = endOfDocument(script, at, delimiter);
        if (end < 0) vain -= script.length - at;
        if (vain < 0) return undefined;
        if (end < 0) break;
        if (quotes.length === 0) found.push({ start: at, end, lined: false });
        at = end;
      }
      documents = [];
    } else if (mark === "$(" || mark === "${" || mark === "(" || mark === "{") {
      open.push(mark.at(-1) as string);
      if (mark === "${" && script.charAt(at) === "#") at += 1;
    } else if (top === (mark === ")" ? "(" : "{")) open.pop();
  }
  return quotes.length > 0 ? undefined : found;
}

/** Whether an odd number of backslashes stands before an index. */
function isEscaped(text: string, at: number, from: number): boolean {
  let first = at;
  while (first > from && text.charCodeAt(first - 1) === 92) first -= 1;
  return (at - first) % 2 === 1;
}

/** Returns the index of the line that ends a heredoc; -1 when there is none. */
function endOfDocument(script: string, from: number, delimiter: string): number {
  for (let at = script.indexOf(delimiter, from); at >= 0; at = script.indexOf(delimiter, at + delimiter.length)) {
    let line = at;
    while (line > from && isBlank(script.charCodeAt(line - 1))) line -= 1;
    if (line > from && script.charCodeAt(line - 1) !== 10) continue;
    let behind = at + delimiter.length;
    while (behind < script.length && isBlank(script.charCodeAt(behind))) behind += 1;
    if (behind >= script.length || "\r\n<＜〈[/\\".includes(script.charAt(behind))) return at + delimiter.length;
  }
  return -1;
}
