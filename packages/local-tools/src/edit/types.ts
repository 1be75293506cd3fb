/** One replacement. */
export interface FileTextEdit {
  /** Must occur exactly once, unless `all`. Empty only for a file that does not exist yet, or is empty. */
  find: string;
  replace: string;
  /** Replace every occurrence; at least one. Default false. */
  all?: boolean;
}

/** Replacements in one file, made in order: each sees what those before it left. */
export interface FileEdits {
  /** Relative to the first root, or absolute inside a root. */
  src: string;
  /**
   * The encoding of the file, such as `gbk`. Default: found out; a new file is UTF-8. A new file in UTF-16, or in `utf-8-bom`, begins
   * with a byte order mark.
   */
  encoding?: string;
  edits: readonly FileTextEdit[];
}

/** Outcome of one file. */
export interface FileOutcome {
  /** As the model should call it: relative to the first root when inside it. */
  path: string;
  /** Every `src` that named it, as written. */
  sources: readonly string[];
  created: boolean;
  /** The encoding that it was written in; undefined for UTF-8. */
  encoding?: string;
  /** Replacements made. */
  replacements: number;
  /** Unified diff; its first lines and a note when it is long. */
  diff: string;
  added: number;
  removed: number;
  /** The time-stamped copy made first, for protected files. */
  backup?: string;
  /** What was done otherwise than written: a find that differs in indentation or in what no reader sees, line ends adapted. */
  notes: string[];
}

/** Outcome of a set of edits: all of them were made. */
export interface EditOutcome {
  /** Names the change for `undo`; undefined when no file changed. */
  id: string | undefined;
  files: FileOutcome[];
}

/** Result of an undo. */
export interface UndoOutcome {
  id: string;
  files: { path: string; diff: string; removed: boolean }[];
}
