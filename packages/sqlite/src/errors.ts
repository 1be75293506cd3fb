import { ToolglotError } from "@toolglot/core";

/** Codes of the errors of a store on SQLite. Each has `data: { file }`, and what is named here. */
export type SqliteStoreErrorCode =
  /** The file can't be opened: its folder is missing, a right is missing, or it is no regular file or no store. */
  | "trp/store-open"
  /** `data: { version, known }`. A newer version of this package has written the file. */
  | "trp/store-version"
  /** `data: { waitedMs }`. Other processes held the lock for too long. Nothing was written. */
  | "trp/store-busy"
  /** SQLite failed (`cause`). Nothing was written. */
  | "trp/store-failed"
  /** `data: { problems }` when it is found at the start. SQLite can't make sense of the file (`cause`). Nothing is written any more until it is opened again. */
  | "trp/store-corrupt"
  /** The path names another file now, or none: nothing is written until it names the one that is open. */
  | "trp/store-replaced"
  /**
   * The thread of the store has ended (`cause`). Methods under way may have been written or not. Nothing is written any
   * more until the store is opened again.
   */
  | "trp/store-thread"
  /** `data: { table, key }`. A row can't be read. */
  | "trp/store-damaged"
  /** After `close()`. */
  | "trp/store-closed";

/** A runtime fault of a store on SQLite. */
export function storeError(
  code: SqliteStoreErrorCode,
  message: string,
  data: Record<string, unknown>,
  cause?: unknown,
): ToolglotError {
  return new ToolglotError(code, message, { data, cause });
}
