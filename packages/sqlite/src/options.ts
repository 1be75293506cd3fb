import { checkKeys } from "@toolglot/internal";
import type { Synchronous } from "./connect.ts";
import { checkDriver } from "./driver.ts";
import type { DriverName } from "./drivers/types.ts";
import { prepareFile } from "./store-file.ts";

/** Options of {@link openSqlite}. */
export interface SqliteOptions {
  /** Path of the file. A missing file is created with rights for its owner alone (0600); its folder must exist. */
  file: string;
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** How long a method waits for a lock that another process holds, before it rejects. Milliseconds. Default 5,000. */
  lockTimeoutMs?: number;
  /**
   * `full` (default): a commit is on the disk when its promise is fulfilled. `normal`: it survives a crash of the
   * process; one of the machine may take the last commits back, so that an effect could happen twice.
   */
  synchronous?: Synchronous;
  /** Default: `node:sqlite` where the runtime has it, else `libsql`. Both write the same files. */
  driver?: DriverName;
}

/** The checked options, in the form that a thread gets. */
export interface Settings {
  /** Absolute; it exists. */
  file: string;
  lockTimeoutMs: number;
  synchronous: Synchronous;
  driver: DriverName | undefined;
}

/** Checks the options, and creates the file when there is none. Throws `TypeError` for invalid options. */
export function checkOptions(options: SqliteOptions): Settings {
  checkKeys(
    "the options of the store",
    options,
    'file:string now:function lockTimeoutMs:number synchronous:"full"|"normal" driver:"node:sqlite"|"libsql"',
    ["file"],
  );
  const { lockTimeoutMs = 5_000, synchronous = "full", driver } = options;
  if (synchronous !== "full" && synchronous !== "normal") {
    throw new TypeError(`synchronous must be "full" or "normal", not ${JSON.stringify(synchronous)}`);
  }
  if (!(lockTimeoutMs >= 0)) throw new TypeError("lockTimeoutMs must be a number of milliseconds, 0 or more");
  checkDriver(driver);
  return { file: prepareFile(options.file), lockTimeoutMs, synchronous, driver };
}
