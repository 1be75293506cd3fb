/** One file of a change. `null`: there is none. */
export interface FileChange {
  /** Real path, inside the roots. */
  path: string;
  before: Uint8Array | null;
  after: Uint8Array | null;
  /** Permission bits of a file that is made; an existing file keeps its own. Default 0o644 less the umask. */
  mode?: number;
}

/** A change as it is kept. */
export interface ChangeRecord {
  id: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** `done`: written. `undone`: by a later change. `rolled-back`: failed or was interrupted, nothing is left of it. `conflict`: see `trouble`. `forgotten`: its contents were removed. */
  state: "done" | "undone" | "rolled-back" | "conflict" | "forgotten";
  files: { path: string; created: boolean; removed: boolean }[];
  /** The id of the change that this one undoes. */
  undoes?: string;
  /** Names of the user's values that its contents hold, as far as they were known when it was made. */
  values?: string[];
  /** Names of those that stand in what it wrote: a diff would show them to a process that does not know them. */
  writes?: string[];
  /** What could not be repaired, one sentence for each file. */
  trouble?: string[];
}

/** Writes sets of files all or nothing, and keeps what was there before. */
export interface ChangeJournal {
  /** What was repaired when it was opened. */
  readonly recovered: readonly ChangeRecord[];
  /**
   * Writes all of a change or nothing; resolves with its id. Each file must still hold `before`, else `FileChanged`. Rejects with a
   * `ToolError` (`localError`); after that the old content stands, or the record lists what does not.
   */
  commit(changes: readonly FileChange[], options?: { undoes?: string }): Promise<string>;
  /** Puts back what a change replaced. Default: the newest that is `done`, and no undoing itself. `UndoConflict` when a file was changed since. */
  undo(id?: string): Promise<{ id: string; undone: string; changes: FileChange[] }>;
  /**
   * Removes the contents of changes that hold a value: by its name, or as `holds` finds it. They are `forgotten`, and can't be undone.
   * Resolves with their number.
   */
  forget(name: string, holds: (bytes: Uint8Array) => boolean): Promise<number>;
  /** Newest first. */
  list(): Promise<ChangeRecord[]>;
  /** Repairs what a killed process left half done; done at opening, too. Resolves with what it repaired. */
  recover(): Promise<ChangeRecord[]>;
}
