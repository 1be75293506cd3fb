import type { OperationLog } from "../operation-log.ts";

/**
 * Where everything is kept that has to survive: conversations, the variables of programs, what was done once. Agents, sandboxes,
 * toolkits and routers take one as their option `storage`. It holds what was said and done, as it is: keep it as private as that.
 *
 * Names of logs and blobs are texts of 1 to 400 bytes (in UTF-8) without lone surrogates; those of different packages begin with different
 * words and a slash (`agent/`, `sandbox/`). All methods reject with a `TypeError` for another name. They work without their object, so
 * that a storage around another one is `{ ...storage, blobs: { ...storage.blobs, put } }`.
 */
export interface Storage {
  /** What survives: `none` forgets at exit, `process` survives a crash of the process, `disk` one of the machine. */
  readonly durability: "none" | "process" | "disk";
  /** What has to happen once. */
  readonly operations: OperationLog;
  /** Lines that are only added. */
  readonly logs: LogStore;
  /** Bytes under a name. */
  readonly blobs: BlobStore;
  /** Returns the time by which leases and expiry count, in milliseconds since the epoch. */
  now(): number;
  /** Releases files and connections. What was resolved before is kept. */
  close(): Promise<void>;
}

/**
 * Logs, each a list of lines. A writer passes how many lines it knows, so of two writers who know the same lines one is refused: this
 * is what fences a process that was stopped while another one took over.
 */
export interface LogStore {
  /**
   * Adds lines behind the first `at` ones, and resolves once they are as durable as {@link Storage.durability}. Resolves to `false`, and
   * adds nothing, when the log has more or fewer lines than `at`. A crash during the call may leave the first lines of several.
   *
   * @throws `TypeError` when a line holds a line break or a lone surrogate.
   */
  append(name: string, lines: readonly string[], at: number): Promise<boolean>;
  /** Reads all lines. Resolves to `undefined` when there is no such log. */
  read(name: string): Promise<string[] | undefined>;
  /** Removes a log: with `at`, only one of so many lines. Its next line is the first one again. */
  delete(name: string, at?: number): Promise<void>;
  /** Lists the names that begin with a text, in any order. */
  list(prefix: string): AsyncIterable<string>;
}

/** Bytes under names. */
export interface BlobStore {
  /** Writes the bytes of a name, all of them or none, in place of earlier ones. Resolves once they survive. */
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Reads the bytes of a name. Resolves to `undefined` when there are none. */
  get(name: string): Promise<Uint8Array | undefined>;
  /** Removes the bytes of a name, if there are any. */
  delete(name: string): Promise<void>;
  /** Lists the names that begin with a text, in any order. */
  list(prefix: string): AsyncIterable<string>;
}
