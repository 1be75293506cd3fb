/** A durable store and operation log on SQLite for the TRP (Tool Router Protocol) router. */

export type { DriverName } from "./drivers/types.ts";
export type { SqliteStoreErrorCode } from "./errors.ts";
export { openSqliteOperationLog, openSqliteStore } from "./open-store.ts";
export type { SqliteOptions } from "./options.ts";
export type { SqliteOperationLog } from "./sqlite-operation-log.ts";
