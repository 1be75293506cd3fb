import { constants, type Stats } from "node:fs";
import { lstat, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import type { ToolAnnotations } from "@toolglot/core";
import { ignoring } from "@toolglot/internal";
import { type DefinedTool, defineTool } from "@toolglot/toolkit";
import { localError } from "../../errors.ts";
import { replaceFile } from "../../files/file-operations.ts";
import { holdFolder } from "../../files/pinned-folder.ts";
import { decodeText, encodeText, linesOf, maxTextBytes, readWhole } from "../../files/text.ts";
import { runRaw } from "./guard.ts";
import { numberedLines, rangeText, readRange, viewAround } from "./line-ranges.ts";

/** Input of `view_text_file`. */
export interface ViewTextFileInput {
  file_path: string;
  /** First and last line, from 1, or from the end when negative. */
  ranges?: number[] | null;
}

/** Input of `write_text_file`. */
export interface WriteTextFileInput {
  file_path: string;
  content: string;
  ranges?: number[] | null;
}

/** Input of `insert_text_file`. */
export interface InsertTextFileInput {
  file_path: string;
  content: string;
  line_number: number;
}

const hints: ToolAnnotations = { openWorldHint: false, riskTier: "HIGH" };

/** `view_text_file`: a text file of the host, anywhere, with line numbers. Never registered by itself; guarded by `TOOLGLOT_DANGEROUS_TEXT_IO`. */
export const viewTextFile: DefinedTool<ViewTextFileInput> = defineTool({
  name: "view_text_file",
  description: "View a text file of this machine with line numbers, all of it or some lines.",
  args: {
    file_path: "string - The file",
    "ranges?":
      "integer[] | null - First and last line, both included, as [1, 100]; [-100, -1] are the last 100. Without it the whole file",
  },
  annotations: { title: "View a text file", ...hints, readOnlyHint: true, idempotentHint: true },
  execute: ({ file_path, ranges }) =>
    runRaw("view_text_file", file_path, async (path) => {
      await demandFile(path);
      const { lines } = await readTextFile(path);
      const range = ranges == null ? { start: 1, end: lines.length } : readRange(ranges, lines.length, path);
      const which = ranges == null ? "" : ` in ${rangeText(ranges)} lines`;
      return `The content of ${path}${which}:\n\`\`\`\n${numberedLines(lines, range)}\`\`\``;
    }),
});

/** `write_text_file`: all or some lines of a text file of the host, anywhere. Never registered by itself; guarded by `TOOLGLOT_DANGEROUS_TEXT_IO`. */
export const writeTextFile: DefinedTool<WriteTextFileInput> = defineTool({
  name: "write_text_file",
  description: "Create or overwrite a text file of this machine, or replace some of its lines.",
  args: {
    file_path: "string - The file",
    content: "string - The text",
    "ranges?":
      "integer[] | null - First and last line to replace, both included; negative counts from the end. Without it the whole file is overwritten",
  },
  annotations: {
    title: "Write a text file",
    ...hints,
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
  },
  execute: ({ file_path, content, ranges }) =>
    runRaw("write_text_file", file_path, async (path) => {
      const kind = await kindOf(path);
      if (kind === "other") throw notAFile(path);
      if (kind === "missing") {
        await writeWhole(path, content);
        const ignored =
          ranges == null ? "" : ` The ranges ${rangeText(ranges)} is ignored because the file does not exist.`;
        return `Create and write ${path} successfully.${ignored}`;
      }
      if (ranges == null) {
        await writeWhole(path, content);
        return `Overwrite ${path} successfully.`;
      }
      return replaceLines(path, content, ranges);
    }),
});

/** `insert_text_file`: lines into a text file of the host, anywhere. Never registered by itself; guarded by `TOOLGLOT_DANGEROUS_TEXT_IO`. */
export const insertTextFile: DefinedTool<InsertTextFileInput> = defineTool({
  name: "insert_text_file",
  description: "Insert text into a text file of this machine, as lines of their own.",
  args: {
    file_path: "string - The file",
    content: "string - The text",
    line_number: "integer - The line it begins at, from 1; one more than the file has lines appends it",
  },
  annotations: {
    title: "Insert into a text file",
    ...hints,
    readOnlyHint: false,
    destructiveHint: false,
    idempotentHint: false,
  },
  execute: ({ file_path, content, line_number }) =>
    runRaw("insert_text_file", file_path, async (path) => {
      if (!Number.isSafeInteger(line_number) || line_number <= 0) {
        throw localError("InvalidRange", `InvalidArgumentsError: The line number ${line_number} is invalid. `);
      }
      const kind = await kindOf(path);
      if (kind === "missing") {
        throw localError("NotFound", `InvalidArgumentsError: The target file ${path} does not exist. `);
      }
      if (kind === "other") throw notAFile(path);
      const file = await readTextFile(path);
      const { lines } = file;
      if (line_number > lines.length + 1) {
        const message = `The given line_number (${line_number}) is not in the valid range [1, ${lines.length + 1}].`;
        throw localError("InvalidRange", `InvalidArgumentsError: ${message}`);
      }
      const after = spliced(file, line_number - 1, line_number - 1, content);
      await writeWhole(path, after, file);
      const changed = linesOf(after);
      const view = viewAround(line_number, line_number, lines.length, changed.length);
      return [
        `Insert content into ${path} at line ${line_number} successfully. `,
        `The new content between lines ${view.start}-${view.end} is:\n`,
        `\`\`\`\n${numberedLines(changed, view)}\`\`\``,
      ].join("");
    }),
});

async function replaceLines(path: string, content: string, ranges: unknown): Promise<string> {
  const file = await readTextFile(path);
  const total = file.lines.length;
  const { start, end } = readRange(ranges, total, path);
  const after = spliced(file, start - 1, end, content);
  await writeWhole(path, after, file);
  const changed = linesOf(after);
  const view = viewAround(start, end, total, changed.length);
  return `Write ${path} successfully. The new content snippet:\n\`\`\`\n${numberedLines(changed, view)}\`\`\``;
}

/**
 * Returns the text with other lines in place of those from `from` up to `to`, counted from 0. They get the line ends of the file,
 * and are lines of their own: neither joined to their neighbours, nor with an empty one between. Whether the last line
 * ends in one stays as it was, where the lines reach the end.
 */
function spliced({ lines, lineEnd, text }: TextFile, from: number, to: number, content: string): string {
  const head = lines.slice(0, from).join("");
  const tail = lines.slice(to).join("");
  const written = content.replace(/\r?\n/g, () => lineEnd);
  if (written === "") return head + tail;
  const open = head !== "" && !head.endsWith("\n");
  const ended = written.endsWith("\n");
  const needsEnd = tail !== "" || (text.endsWith("\n") && text !== "");
  return `${head}${open ? lineEnd : ""}${written}${!ended && needsEnd ? lineEnd : ""}${tail}`;
}

async function demandFile(path: string): Promise<void> {
  const kind = await kindOf(path);
  if (kind === "missing") throw localError("NotFound", `Error: The file ${path} does not exist.`);
  if (kind === "other") throw notAFile(path);
}

interface TextFile {
  /** Without the byte order mark. */
  text: string;
  bom: boolean;
  /** Lines with their ends. */
  lines: string[];
  /** What its lines end with; LF when it has none. */
  lineEnd: "\n" | "\r\n";
  stats: Stats;
}

async function kindOf(path: string): Promise<"missing" | "file" | "other"> {
  const found = await stat(path).catch(ignoring("ENOENT"));
  if (found === undefined) return "missing";
  return found.isFile() ? "file" : "other";
}

/** Reads a text file. Refused are directories and devices, other encodings than UTF-8, binary files and large ones. */
async function readTextFile(path: string): Promise<TextFile> {
  await using handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = await handle.stat();
  if (!stats.isFile()) throw notAFile(path);
  const { text, bom } = decodeText(await readWhole({ handle, stats }, path, maxTextBytes), path);
  const lines = linesOf(text);
  return { text, bom, lines, lineEnd: lines[0]?.endsWith("\r\n") ? "\r\n" : "\n", stats };
}

/** Writes a file as a whole; of a link, the file that it leads to. Its folder must exist. */
async function writeWhole(path: string, text: string, before?: TextFile): Promise<void> {
  const bytes = encodeText(text, before?.bom === true);
  const target = await targetOf(path);
  using folder = holdFolder(dirname(target));
  const name = basename(target);
  const now = before?.stats ?? (await folder.lstat(name).catch(() => undefined));
  if (now !== undefined && !now.isFile()) throw notAFile(path);
  await replaceFile(folder, name, bytes, { shown: path, before: now });
}

function notAFile(path: string): Error {
  return localError("NotAFile", `Error: The path ${path} is not a file.`);
}

/** Returns the real path of what is to be written. A link that leads nowhere is refused: where it leads was not asked for. */
async function targetOf(path: string): Promise<string> {
  const wanted = resolve(path);
  const real = await realpath(wanted).catch(ignoring("ENOENT"));
  if (real !== undefined) return real;
  if ((await lstat(wanted).catch(() => undefined)) !== undefined) {
    throw localError("AccessDenied", `Error: The path ${path} is a link that leads nowhere.`);
  }
  return join(await realpath(dirname(wanted)), basename(wanted));
}
