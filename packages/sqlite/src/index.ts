/** A storage on SQLite, which is also the store of a router for TRP (Tool Router Protocol). */

export type { DriverName } from "./drivers/types.ts";
export type { SqliteStoreErrorCode } from "./errors.ts";
export { openSqlite } from "./open-sqlite.ts";
export type { SqliteOptions } from "./options.ts";
