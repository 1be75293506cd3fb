import { createHash } from "node:crypto";
import { fromBase64 } from "@toolglot/internal";
import type { EncodedFile, MemoryFile } from "../../engine.ts";
import { sessionError } from "./errors.ts";

/** An image's entry for a file. */
export interface FileEntry {
  /** Under the folder. */
  path: string;
  bytes: number;
  /** The turn that made or changed it. */
  turn: number;
  /** The SHA-256 of its content, in hex. */
  hash: string;
}

/** Entries of files after a turn. `before`: those of the turn before it. */
export function listFiles(files: readonly MemoryFile[], before: readonly FileEntry[], turn: number): FileEntry[] {
  const known = new Map(before.map((entry) => [entry.path, entry]));
  return files.map(({ path, data }) => {
    const hash = createHash("sha256").update(data).digest("hex");
    const was = known.get(path);
    return was?.hash === hash ? was : { path, bytes: data.length, turn, hash };
  });
}

/** Throws `TypeError` when files can't lie beside those that are there, and `sandbox/session-too-large` when there is no room for them. */
export function checkRoom(
  more: readonly { path: string; bytes: number }[],
  { files, folders }: { files: readonly FileEntry[]; folders: readonly string[] },
  maxFileBytes: number,
): void {
  const all = new Map<string, number>(files.map(({ path, bytes }) => [path, bytes]));
  for (const { path, bytes } of more) all.set(path, bytes);
  const there = new Set(folders);
  for (const path of all.keys()) for (const parent of parentsOf(path)) there.add(parent);
  for (const path of all.keys()) {
    if (there.has(path)) throw new TypeError(`files: ${JSON.stringify(path)} would be a file and a folder.`);
  }
  const bytes = [...all.values()].reduce((sum, one) => sum + one, 0);
  if (bytes > maxFileBytes) {
    const message = `The session's files would have ${bytes} bytes, and may have ${maxFileBytes}: remove some, or raise maxFileBytes.`;
    throw sessionError("too-large", message, { bytes, max: maxFileBytes });
  }
}

/** Returns the files and folders of a session after one was written. Files are by path. */
export function withFile(
  { path, data }: EncodedFile,
  { files, folders }: { files: readonly MemoryFile[]; folders: readonly string[] },
): { files: MemoryFile[]; folders: string[] } {
  const others = files.filter((one) => one.path !== path);
  const all = [...others, { path, data: fromBase64(data) }];
  return {
    files: all.sort((a, b) => (a.path < b.path ? -1 : 1)),
    folders: [...new Set([...folders, ...parentsOf(path)])].sort(),
  };
}

/** Returns the folders that a path goes through. */
function parentsOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_, index) => parts.slice(0, index + 1).join("/"));
}
