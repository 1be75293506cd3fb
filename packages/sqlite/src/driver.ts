import { libsqlDriver } from "./drivers/libsql.ts";
import { nodeSqliteDriver } from "./drivers/node-sqlite.ts";
import type { Driver, DriverName } from "./drivers/types.ts";

/** Throws `TypeError` for an unknown name, and for `node:sqlite` when the runtime does not have it. */
export function checkDriver(wanted: DriverName | undefined): void {
  if (wanted !== undefined && wanted !== "node:sqlite" && wanted !== "libsql") {
    throw new TypeError(`driver must be "node:sqlite" or "libsql", not ${JSON.stringify(wanted)}`);
  }
  if (wanted === "node:sqlite" && !nodeSqliteDriver()) {
    throw new TypeError("this runtime has no node:sqlite: leave the driver out");
  }
}

/**
 * The binding to use: the wanted one, or Node's own where the runtime has it (Node 22.13), else libsql. Throws as
 * {@link checkDriver} does. `libsql`: the address of that package, where its name is not found.
 */
export async function chooseDriver(wanted?: DriverName, libsql?: string): Promise<Driver> {
  checkDriver(wanted);
  return (wanted === "libsql" ? undefined : nodeSqliteDriver()) ?? (await libsqlDriver(libsql));
}

/** SQLite's primary result code (the lowest byte), in whichever field the binding has it. */
function resultCode(error: unknown): number | undefined {
  if (typeof error !== "object" || error === null) return undefined;
  const { errcode, rawCode, code } = error as { errcode?: unknown; rawCode?: unknown; code?: unknown };
  const extended = typeof errcode === "number" ? errcode : rawCode;
  if (typeof extended === "number") return extended & 0xff;
  if (typeof code !== "string") return undefined;
  if (code.startsWith("SQLITE_BUSY")) return busy;
  if (code.startsWith("SQLITE_CORRUPT")) return corrupt;
  return code.startsWith("SQLITE_LOCKED") ? locked : undefined;
}

const busy = 5;
const locked = 6;
const corrupt = 11;
const notADatabase = 26;

/** Checks whether another process holds the lock, so that the statement must be tried again. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === busy || code === locked;
}

/** Whether SQLite can't read the contents of the file. */
export function isCorrupt(error: unknown): boolean {
  const code = resultCode(error);
  return code === corrupt || code === notADatabase;
}

export function isNoDatabase(error: unknown): boolean {
  return resultCode(error) === notADatabase;
}
