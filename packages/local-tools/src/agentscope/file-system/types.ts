/** What a handle may do. In AgentScope's words, which are data: they stand in configuration files. */
export type Operation = "list" | "file" | "read_binary" | "read_file" | "read_re" | "write" | "delete";

/** What a grant may name: an operation, `read` for all three of reading, or `stat` for `file`. */
export type GrantOperation = Operation | "read" | "stat";

/** Operations on everything below a folder, or on one file. */
export interface Grant {
  /** A logical path as `/workspace/` or `/workspace/reports/`; whole names, so that `/workspace/rep` is not `/workspace/report`. */
  prefix: string;
  ops: Iterable<GrantOperation>;
}

/** A namespace of the logical file system. */
export type NamespaceName = "userinput" | "workspace" | "internal";

/** What there is to know of an entry. */
export interface EntryMeta {
  /** Logical. */
  path: string;
  kind: "file" | "directory";
  /** Bytes; 0 for a directory. */
  size: number;
  /** ISO 8601, UTC. */
  updatedAt: string;
}

/** One replacement of {@link FileDomainService.editFile}: `oldText` must occur exactly once. */
export interface TextReplacement {
  oldText: string;
  newText: string;
}

/** Which lines of a text: `startLine` from 1, or from the end when negative (-1 is the last one). */
export interface LineSelection {
  /** Default 1. */
  startLine?: number | undefined;
  /** How many. Default: all that follow. */
  readLines?: number | undefined;
}

/** Some lines of a text. */
export interface SelectedLines {
  lines: string[];
  /** Number of the first of them, from 1. */
  from: number;
  /** Lines of the whole text. */
  total: number;
}

/**
 * A view of a logical file system that can do what its grants say, and nothing else: see `DiskFileSystem.createHandle`.
 * Paths are logical and absolute; both a path and what it leads to through links must be granted. Rejects with core
 * `ToolError`s made for a model: `data.type` is `InvalidPath`, `AccessDenied`, `OutsideRoots`, `NotFound`, `NotAFile`,
 * `NotADirectory`, `AlreadyExists`, `TooLarge`, `BinaryFile`, `NotText`, `InvalidInput`, `InvalidPattern`, `FileChanged` or
 * `WriteFailed`. No message holds a real path.
 */
export interface FsHandle {
  /** The prefixes of the grants, sorted. */
  readonly prefixes: string[];
  /** Returns all files below a folder, or below every folder that may be listed; sorted by path. Links to folders are not followed. */
  list(prefix?: string, options?: { signal?: AbortSignal }): Promise<EntryMeta[]>;
  /** Returns the files and folders right in a folder, sorted by path. */
  children(path: string): Promise<EntryMeta[]>;
  /** Returns what there is to know of a file or folder. */
  file(path: string): Promise<EntryMeta>;
  /** Returns a file's bytes. */
  readBinary(path: string): Promise<Uint8Array>;
  /** Returns a file's text, as it stands but for a byte order mark; or `line` lines from line `index` on, counted from 0. */
  readFile(path: string, part?: { index?: number; line?: number }): Promise<string>;
  /**
   * Returns the matches of a regular expression (flags `gm`) in a file's text. `overlap`: how many characters of a match the next
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
  /** Returns a line for each prefix: `/workspace/: ls, stat, read, write, delete`. */
  describeGrantsMarkdown(): string;
}

/** What reading one of several files gave. */
export type ReadResult =
  | { path: string; ok: true; content: string }
  | { path: string; ok: false; error: string; reason: unknown };
