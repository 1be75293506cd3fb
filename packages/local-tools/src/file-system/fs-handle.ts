import type { EntryMeta } from "./types.ts";

/**
 * A view of a logical file system that can do what its grants say, and nothing else: see `DiskFileSystem.createHandle`.
 * Paths are logical and absolute; both a path and what it leads to through links must be granted. Rejects with core
 * `ToolError`s made for a model: `data.type` is `InvalidPath`, `AccessDenied`, `OutsideRoots`, `NotFound`, `NotAFile`,
 * `NotADirectory`, `AlreadyExists`, `TooLarge`, `BinaryFile`, `NotUtf8`, `InvalidInput`, `InvalidPattern`, `FileChanged` or
 * `WriteFailed`. No message holds a real path.
 */
export interface FsHandle {
  /** The prefixes of the grants, sorted. */
  readonly prefixes: string[];
  /** All files below a folder, or below every folder that may be listed; sorted by path. Links to folders are not followed. */
  list(prefix?: string, options?: { signal?: AbortSignal }): Promise<EntryMeta[]>;
  /** The files and folders right in a folder, sorted by path. */
  children(path: string): Promise<EntryMeta[]>;
  /** What there is to know of a file or folder. */
  file(path: string): Promise<EntryMeta>;
  /** A file's bytes. */
  readBinary(path: string): Promise<Uint8Array>;
  /** A file's text, as it stands but for a byte order mark; or `line` lines from line `index` on, counted from 0. */
  readFile(path: string, part?: { index?: number; line?: number }): Promise<string>;
  /**
   * The matches of a regular expression (flags `gm`) in a file's text. `overlap`: how many characters of a match the next
   * one may share. The pattern is the program's own: one that a model writes can be made to run for ever.
   */
  readRe(path: string, pattern: string, options?: { overlap?: number }): Promise<string[]>;
  /** Writes a file as a whole, with the folders it needs. `overwrite: false` refuses a file that exists. Default true. */
  write(path: string, data: string | Uint8Array, options?: { overwrite?: boolean }): Promise<EntryMeta>;
  /**
   * Reads a text, a byte order mark included, and writes what `change` makes of it. Nothing else is written to the file
   * through this file system in between; what another program writes is `FileChanged`.
   */
  update(path: string, change: (text: string) => string): Promise<EntryMeta>;
  /** Deletes a file, or a link to one. */
  delete(path: string): Promise<void>;
  /** A line for each prefix: `/workspace/: ls, stat, read, write, delete`. */
  describeGrantsMarkdown(): string;
}
