import { countOf, linesOf } from "./lines.ts";
import type { ReadResult } from "./service.ts";
import type { EntryMeta, SelectedLines } from "./types.ts";

/** How a text is shown to the model. */
export interface TextFormat {
  numbers: boolean;
  header: boolean;
}

/** UTF-16 units of file text that one answer holds at most; whole lines, but for a first one that is longer. */
const maxChars = 100_000;

/** Lines of a file as AgentScope shows them, numbered as they are in the file. */
export function linesText({ lines, from, total }: SelectedLines, format: TextFormat): string {
  const { shown, note } = fitted(lines, from, total, maxChars);
  const isPart = shown.length < total;
  const head = format.header ? headOf(shown.length, format) : [];
  if (format.header && isPart && shown.length > 0) head.push(`lines: ${from}-${from + shown.length - 1} of ${total}`);
  const body = format.numbers ? shown.map((line, index) => `line${from + index}: ${line}`) : shown;
  return [...head, ...body, ...note].join("\n");
}

/** Several files, each under its path. */
export function filesText(results: readonly ReadResult[], format: TextFormat): string {
  let room = maxChars;
  const sections = results.map((result) => {
    if (!result.ok) return `## ${result.path} (error)\n${result.error}`;
    const lines = linesOf(result.content);
    const { shown, note } = fitted(lines, 1, lines.length, room);
    room = Math.max(0, room - shown.reduce((sum, line) => sum + line.length + 1, 0));
    const head = format.header ? headOf(lines.length, format) : [];
    const body = format.numbers ? shown.map((line, index) => `line${index + 1}: ${line}`) : shown;
    return [`## ${result.path}`, ...head, ...body, ...note].join("\n");
  });
  return sections.length === 0 ? "<empty>" : sections.join("\n\n");
}

/** `path: …`, `size: …`, `updated_at: …`, and the kind. */
export function metaText({ path, kind, size, updatedAt }: EntryMeta): string {
  return `path: ${path}\nsize: ${size}\nupdated_at: ${updatedAt}\nkind: ${kind}`;
}

/** One line each; a name with a line end in it can't be taken for two. */
export function listText(lines: readonly string[]): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is shown otherwise.
  const plain = (line: string): string => line.replace(/[\0-\x1f\x7f]/g, (one) => JSON.stringify(one).slice(1, -1));
  return lines.map(plain).join("\n") || "<empty>";
}

function headOf(count: number, { numbers }: TextFormat): string[] {
  return [`line_count: ${count}`, `format: ${numbers ? "line{N}: <content>" : "raw"}`];
}

/** The lines that there is room for, and a note when some are left out. */
function fitted(
  lines: readonly string[],
  from: number,
  total: number,
  room: number,
): { shown: readonly string[]; note: string[] } {
  let length = 0;
  let count = 0;
  while (count < lines.length && length + (lines[count] as string).length < room) {
    length += (lines[count] as string).length + 1;
    count += 1;
  }
  if (count === lines.length) return { shown: lines, note: [] };
  const next = from + count;
  if (count > 0 || room < maxChars) {
    const note = `[cut: ${countOf(lines.length - count)} of ${total} left out; go on with start_line ${next}]`;
    return { shown: lines.slice(0, count), note: [note] };
  }
  const first = lines[0] as string;
  const end = /[\ud800-\udbff]/.test(first.charAt(room - 1)) ? room - 1 : room;
  const note = `[cut: line ${from} has ${first.length} characters; the rest of it and ${countOf(lines.length - 1)} left out]`;
  return { shown: [first.slice(0, end)], note: [note] };
}
