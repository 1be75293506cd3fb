/** What this package needs of a SQLite binding: synchronous, one connection per object. */
export interface Driver {
  readonly name: DriverName;
  open(file: string): Connection;
}

/** The SQLite binding: the runtime's own, or the package `libsql`. Both write the same files. */
export type DriverName = "node:sqlite" | "libsql";

export interface Connection {
  exec(sql: string): void;
  prepare(sql: string): Statement;
  close(): void;
}

export interface Statement {
  run(parameters: readonly Value[]): void;
  /** Runs it and returns how many rows it changed. */
  change(parameters: readonly Value[]): number;
  /** The first row. */
  get(parameters: readonly Value[]): Row | undefined;
  all(parameters: readonly Value[]): Row[];
}

export type Value = null | number | string | Uint8Array;
export type Row = Record<string, Value>;
