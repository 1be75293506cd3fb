import { cutText } from "@toolglot/core/results";
import { bareLines } from "../../files/text.ts";
import { counted, several } from "../../messages.ts";
import type { ReadResult } from "./service.ts";
import type { EntryMeta, SelectedLines } from "./types.ts";

/** How a text is shown to the model. */
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
