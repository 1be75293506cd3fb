import { checkWords } from "@toolglot/internal";
import { connect, type Synchronous } from "./connect.ts";
import { chooseDriver, type DriverName } from "./driver.ts";
import { GroupCommit } from "./group-commit.ts";
import { prepareFile } from "./store-file.ts";
import { Transaction } from "./transaction.ts";

/** Options of {@link openSqliteStore} and {@link openSqliteOperationLog}. */
export interface SqliteOptions {
  /** Path of the file. Made, for its owner alone (0600), when there is none; its folder must exist. */
  file: string;
  /** Milliseconds since the epoch. Default `Date.now`. */
  now?: () => number;
  /** How long a method waits for a lock that another process holds, before it rejects. Milliseconds. Default 5,000. */
  lockTimeoutMs?: number;
  /**
   * `full` (default): a commit is on the disk when its promise is fulfilled. `normal`: it survives a crash of the process;
   * one of the machine may take the last commits back, so that an effect could happen twice.
   */
  synchronous?: Synchronous;
  /** Default: `node:sqlite` where the runtime has it, else `libsql`. Both write the same files. */
  driver?: DriverName;
}

/** What a store and an operation log are made of. */
export interface Opened {
  name: string;
  durability: "process" | "disk";
  commits: GroupCommit;
  now: () => number;
}

export async function openFile(options: SqliteOptions): Promise<Opened> {
  checkWords("the options of the store", options, "file now lockTimeoutMs synchronous driver", ["file"]);
  const { now = Date.now, lockTimeoutMs = 5_000, synchronous = "full" } = options;
  if (synchronous !== "full" && synchronous !== "normal") {
    throw new TypeError(`synchronous must be "full" or "normal", not ${JSON.stringify(synchronous)}`);
  }
  if (!(lockTimeoutMs >= 0)) throw new TypeError("lockTimeoutMs must be a number of milliseconds, 0 or more");
  const driver = await chooseDriver(options.driver);
  const file = prepareFile(options.file);
  const connection = await connect(driver, file, { synchronous, lockTimeoutMs });
  const name = `sqlite (${driver.name})`;
  const commits = new GroupCommit(connection, new Transaction(connection, file, now), { name, lockTimeoutMs });
  return { name, durability: synchronous === "full" ? "disk" : "process", commits, now };
}
