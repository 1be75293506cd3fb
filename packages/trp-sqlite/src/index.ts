/** A durable store and operation log on SQLite for the TRP (Tool Router Protocol) router. */

export type { DriverName } from "./driver.ts";
export type { SqliteStoreErrorCode } from "./errors.ts";
export type { SqliteOptions } from "./open.ts";
export { openSqliteOperationLog, type SqliteOperationLog } from "./sqlite-operation-log.ts";
export { openSqliteStore } from "./sqlite-store.ts";
