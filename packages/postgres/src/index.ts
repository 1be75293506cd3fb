/** A storage on PostgreSQL, which is also the store of any number of routers for TRP (Tool Router Protocol). */

export type { PostgresStoreErrorCode } from "./errors.ts";
export { acceptPostgres, migratePostgres, openPostgres } from "./open-postgres.ts";
export type { PostgresOptions } from "./options.ts";
