import { cutText } from "@toolglot/core/results";
import { localError } from "../../errors.ts";
import { bareLines } from "../../files/text.ts";
import { counted, inMessage, several } from "../../messages.ts";
import type { EntryMeta, LineSelection, ReadResult, SelectedLines } from "./types.ts";

export interface TextFormat {
  numbers: boolean;
  header: boolean;
}

/** UTF-16 units of file text that one answer holds at most; whole lines, but for a first one that is longer. */
const maxChars = 100_000;

/** Returns lines of a file as AgentScope shows them, numbered as they are in the file. */
export function linesText(selected: SelectedLines, format: TextFormat): string {
  const { from, total } = selected;
  const { shown, note } = fitted(selected, maxChars);
  const isPart = shown.length > 0 && shown.length < total;
  const range = isPart ? [`lines: ${from}-${from + shown.length - 1} of ${total}`] : [];
  return [...headOf(shown.length, format, range), ...bodyOf(shown, from, format), ...note].join("\n");
}

/** Several files, each under its path. */
export function filesText(results: readonly ReadResult[], format: TextFormat): string {
  let room = maxChars;
  const sections = results.map((result) => {
    if (!result.ok) return `## ${result.path} (error)\n${result.error}`;
    const lines = bareLines(result.content);
    const { shown, note } = fitted({ lines, from: 1, total: lines.length }, room);
    room = Math.max(0, room - shown.reduce((sum, line) => sum + line.length + 1, 0));
    const head = headOf(lines.length, format);
    return [`## ${result.path}`, ...head, ...bodyOf(shown, 1, format), ...note].join("\n");
  });
  return sections.length === 0 ? "<empty>" : sections.join("\n\n");
}

/** `path: …`, `size: …`, `updated_at: …`, and the kind. */
export function metaText({ path, kind, size, updatedAt }: EntryMeta): string {
  return `path: ${path}\nsize: ${size}\nupdated_at: ${updatedAt}\nkind: ${kind}`;
}

/** Returns one line each; a name with a line end in it can't be taken for two. */
export function listText(lines: readonly string[]): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is shown otherwise.
  const plain = (line: string): string => line.replace(/[\0-\x1f\x7f]/g, (one) => JSON.stringify(one).slice(1, -1));
  return lines.map(plain).join("\n") || "<empty>";
}

function headOf(count: number, { numbers, header }: TextFormat, more: readonly string[] = []): readonly string[] {
  return header ? [`line_count: ${count}`, `format: ${numbers ? "line{N}: <content>" : "raw"}`, ...more] : [];
}

function bodyOf(lines: readonly string[], from: number, { numbers }: TextFormat): readonly string[] {
  return numbers ? lines.map((line, index) => `line${from + index}: ${line}`) : lines;
}

/** The lines that there is room for, and a note when some are left out. */
function fitted({ lines, from, total }: SelectedLines, room: number): { shown: readonly string[]; note: string[] } {
  let length = 0;
  let count = 0;
  for (const line of lines) {
    if (length + line.length >= room) break;
    length += line.length + 1;
    count++;
  }
  if (count === lines.length) return { shown: lines, note: [] };
  if (count > 0 || room < maxChars) {
    const left = several(lines.length - count, "line");
    return {
      shown: lines.slice(0, count),
      note: [`[cut: ${left} of ${counted(total)} left out; go on with start_line ${from + count}]`],
    };
  }
  const first = lines[0] as string;
  const left = several(lines.length - 1, "line");
  return {
    shown: [cutText(first, room)],
    note: [`[cut: line ${from} has ${first.length} characters; the rest of it and ${left} left out]`],
  };
}

/** Picks lines. Throws `InvalidRange` for a start that the text hasn't, or that is 0, and for no lines at all. */
export function selectLines(text: string, selection: LineSelection, path: string): SelectedLines {
  const { startLine = 1, readLines } = selection;
  if (!Number.isInteger(startLine) || startLine === 0) {
    const cure = "lines are counted from 1, or from the end with -1.";
    throw localError("InvalidRange", `Invalid argument 'start_line' (value=${startLine}): ${cure}`);
  }
  if (readLines !== undefined && (!Number.isInteger(readLines) || readLines <= 0)) {
    throw localError("InvalidRange", `Invalid argument 'read_lines' (value=${readLines}): it must be 1 or more.`);
  }
  const all = bareLines(text);
  const from = startLine < 0 ? Math.max(1, all.length + 1 + startLine) : startLine;
  if (from > 1 && from > all.length) {
    throw localError(
      "InvalidRange",
      `${inMessage(path)} has only ${several(all.length, "line")}: there is no line ${from}.`,
    );
  }
  return { lines: all.slice(from - 1, from - 1 + (readLines ?? all.length)), from, total: all.length };
}

/** Returns the text as it is, or `line` of its lines from line `index` on, counted from 0, joined by LF. */
export function textSlice(text: string, { index, line }: { index?: number; line?: number }): string {
  if (index === undefined && line === undefined) return text;
  if (index !== undefined && (!Number.isInteger(index) || index < 0)) throw invalid("index", index);
  if (line !== undefined && (!Number.isInteger(line) || line <= 0)) throw invalid("line", line);
  const start = index ?? 0;
  return bareLines(text)
    .slice(start, line === undefined ? undefined : start + line)
    .join("\n");
}

/** Returns all matches; with `overlap`, the next one is looked for so many characters before the end of the last. */
export function readMatches(text: string, pattern: string, overlap = 0): string[] {
  if (!Number.isInteger(overlap) || overlap < 0) throw invalid("overlap", overlap);
  const expression = compiled(pattern);
  const found: string[] = [];
  for (let at = 0; at <= text.length; ) {
    expression.lastIndex = at;
    const match = expression.exec(text);
    if (match === null) break;
    found.push(match[0]);
    at = match.index + Math.max(1, match[0].length - overlap);
  }
  return found;
}

function compiled(pattern: string): RegExp {
  try {
    return new RegExp(pattern, "gm");
  } catch (error) {
    throw localError("InvalidPattern", `${JSON.stringify(pattern)} is no regular expression.`, {}, error);
  }
}

function invalid(argument: string, value: unknown): Error {
  return localError("InvalidInput", `Invalid argument '${argument}' (value=${JSON.stringify(value)})`);
}
