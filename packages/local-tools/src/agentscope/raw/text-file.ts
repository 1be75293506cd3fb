import { constants, type Stats } from "node:fs";
import { lstat, open, realpath, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { ignoring } from "@toolglot/internal";
import { localError } from "../../errors.ts";
import { replaceFile } from "../../files/file-operations.ts";
import { pinFolder } from "../../files/pinned-folder.ts";
import { decodeText, encodeText, linesOf, maxTextBytes, readWhole } from "../../files/text.ts";

/** A text file as it was read. */
export interface TextFile {
  /** Without the byte order mark. */
  text: string;
  bom: boolean;
  /** Lines with their ends. */
  lines: string[];
  /** What its lines end with; LF when it has none. */
  lineEnd: "\n" | "\r\n";
  stats: Stats;
}

/** Returns what is at a path, links followed. */
export async function kindOf(path: string): Promise<"missing" | "file" | "other"> {
  const found = await stat(path).catch(ignoring("ENOENT"));
  if (found === undefined) return "missing";
  return found.isFile() ? "file" : "other";
}

/** Reads a text file. Refused are directories and devices, other encodings than UTF-8, binary files and large ones. */
export async function readTextFile(path: string): Promise<TextFile> {
  await using handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  const stats = await handle.stat();
  if (!stats.isFile()) throw notAFile(path);
  const { text, bom } = decodeText(await readWhole({ handle, stats }, path, maxTextBytes), path);
  const lines = linesOf(text);
  return { text, bom, lines, lineEnd: lines[0]?.endsWith("\r\n") ? "\r\n" : "\n", stats };
}

/** Writes a file as a whole; of a link, the file that it leads to. Its folder must exist. */
export async function writeTextFile(path: string, text: string, before?: TextFile): Promise<void> {
  const bytes = encodeText(text, before?.bom === true);
  const target = await targetOf(path);
  using folder = await pinFolder(dirname(target));
  const name = basename(target);
  const now = before?.stats ?? (await folder.lstat(name).catch(() => undefined));
  if (now !== undefined && !now.isFile()) throw notAFile(path);
  await replaceFile(folder, name, bytes, { shown: path, before: now });
}

export function notAFile(path: string): Error {
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
