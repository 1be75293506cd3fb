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
