import { ToolglotError } from "@toolglot/core";
import { errorText } from "@toolglot/internal";

/** Codes of the errors of a store on PostgreSQL. Each has `data: { database }`, its address without a password, and what is named here. */
export type PostgresStoreErrorCode =
  /** The database can't be opened: the address, the password or the name of the database is wrong, or a right is missing. */
  | "trp/store-open"
  /** `data: { version, known }`. The tables are of a version that this package can't use. Nothing was written. */
  | "trp/store-version"
  /** Others held a lock for too long, or changed the same rows again and again. Nothing was written. */
  | "trp/store-busy"
  /** `data: { sqlState }`. PostgreSQL refused a statement (`cause`). Nothing was written. */
  | "trp/store-failed"
  /** `data: { table, key }`. A row can't be read. */
  | "trp/store-damaged"
  /** `data: { waitedMs, sqlState }`. The database could not be reached within `retryForMs`. Nothing was written. */
  | "trp/store-unavailable"
  /** `data: { what }`. The connection ended before the answer to a write, and whether it was committed could not be learned. */
  | "trp/store-unsettled"
  /** The database takes no writes: it is a standby, or its transactions are read-only. Nothing was written. */
  | "trp/store-readonly"
  /** `data: { expected, found }`. The database has forgotten what it had acknowledged: an older copy has taken its place. */
  | "trp/store-lost-writes"
  /** After `close()`. */
  | "trp/store-closed";

/** A runtime fault of a store on PostgreSQL. */
export function storeError(
  code: PostgresStoreErrorCode,
  message: string,
  data: Record<string, unknown>,
  cause?: unknown,
): ToolglotError {
  return new ToolglotError(code, message, { data, cause });
}

/** Returns the SQLSTATE of an error that PostgreSQL sent; undefined for all other errors. */
export function sqlStateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && "severity" in (error as object) ? code : undefined;
}

/** Thrown inside a transaction when another one was faster. The same transaction is then run again. */
export class Overtaken extends Error {
  override readonly name = "Overtaken";
}

/**
 * Thrown when the server gave up waiting for a synchronous standby, because a time was over: it then answers as if all was well. The
 * commit holds here, and may be lost in a failover.
 */
export class NotReplicated extends Error {
  override readonly name = "NotReplicated";
  override readonly message = "the wait for a synchronous standby was given up";
}

/** SQLSTATEs after which the same transaction may well succeed: serialization, deadlock, lock not available. */
const collisions = new Set(["40001", "40P01", "55P03"]);

/** Whether others stood in the way, so that the same transaction is to be run again. */
export function isCollision(error: unknown): boolean {
  return error instanceof Overtaken || collisions.has(sqlStateOf(error) ?? "");
}

/**
 * Whether the connection has ended, or none could be made, so that another one is to be tried: the server shuts down or
 * starts, a backend was terminated, there are too many connections, the network failed, or it leads to a standby.
 */
export function isGone(error: unknown): boolean {
  if (error instanceof NotReplicated || isReadOnly(error)) return true;
  const state = sqlStateOf(error);
  if (state !== undefined) return state.startsWith("08") || /^57P0[1235]$|^25P03$|^53300$/.test(state);
  if (error instanceof TypeError || !(error instanceof Error)) return false;
  const { code } = error as { code?: unknown };
  if (typeof code === "string") return goneCodes.has(code);
  return /connection|timeout exceeded when trying to connect|timeout expired|query read timeout/i.test(error.message);
}

const goneCodes = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "ENOENT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ENOTFOUND", "EAI_AGAIN", "ECONNABORTED"],
]);

/** Whether the database has forgotten what it had acknowledged. */
export function isLost(error: unknown): boolean {
  return ToolglotError.isInstance(error) && error.code === "trp/store-lost-writes";
}

/** Whether the database takes no writes now. */
export function isReadOnly(error: unknown): boolean {
  return sqlStateOf(error) === "25006" || (ToolglotError.isInstance(error) && error.code === "trp/store-readonly");
}

/** The error for a database that takes no writes now. */
export function readOnly(database: string, cause?: unknown): ToolglotError {
  const text = `${database} takes no writes: it is a standby, or its transactions are read-only. Give the address of the primary.`;
  return storeError("trp/store-readonly", text, { database }, cause);
}

/** The error for a connection that ended before the answer, when what it did could not be found out. */
export function unsettled(database: string, what: string, cause: unknown): ToolglotError {
  const text = `The connection to ${database} ended in ${JSON.stringify(what)}, and whether it was committed is not known.`;
  return storeError("trp/store-unsettled", text, { database, what }, cause);
}

/** The error for others that stood in the way too often. */
export function busy(database: string, cause: unknown): ToolglotError {
  const text = `Rows of ${database} were locked or changed by others for too long. Nothing was written.`;
  return storeError("trp/store-busy", text, { database, sqlState: sqlStateOf(cause) }, cause);
}

/** Returns the error that a method's caller gets for one that a statement, or a caller's mistake, ended with. */
export function failed(database: string, error: unknown): unknown {
  if (ToolglotError.isInstance(error) || (error instanceof TypeError && sqlStateOf(error) === undefined)) return error;
  if (isReadOnly(error)) return readOnly(database, error);
  const data = { database, sqlState: sqlStateOf(error) };
  return storeError("trp/store-failed", `${database} failed: ${errorText(error)}`, data, error);
}

/** Whether one item of a statement for several may be the reason of an error: PostgreSQL refused it, or others held a lock. */
export function mayBeOfOne(error: unknown): boolean {
  return ToolglotError.isInstance(error) && ["trp/store-failed", "trp/store-busy"].includes(error.code);
}

/**
 * Whether the backend does not know a statement that was prepared, or knows another one by its name: it is not the one that the
 * statement was prepared on. Nothing was run.
 */
export function isUnprepared(error: unknown): boolean {
  return ["26000", "42P05"].includes(sqlStateOf(error) ?? "");
}
