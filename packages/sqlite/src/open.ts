import { connect } from "./connect.ts";
import { chooseDriver } from "./driver.ts";
import { GroupCommit } from "./group-commit.ts";
import type { Settings } from "./options.ts";
import { Transaction } from "./transaction.ts";

/** The parts that a store is built from. */
export interface Opened {
  name: string;
  durability: "process" | "disk";
  commits: GroupCommit;
  now: () => number;
}

/** Opens the file in this thread. `libsql`: the address of that package, when it can't be found from here. */
export async function openFile(settings: Settings, now: () => number, libsql?: string): Promise<Opened> {
  const { file, lockTimeoutMs, synchronous } = settings;
  const driver = await chooseDriver(settings.driver, libsql);
  const connection = await connect(driver, file, { synchronous, lockTimeoutMs });
  const name = `sqlite (${driver.name})`;
  const commits = new GroupCommit(connection, new Transaction(connection, file, now), { name, lockTimeoutMs });
  return { name, durability: synchronous === "full" ? "disk" : "process", commits, now };
}
