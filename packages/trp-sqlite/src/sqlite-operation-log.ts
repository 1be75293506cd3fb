import type { OperationLog } from "@toolglot/core";
import type { Opened } from "./open.ts";
import { prune } from "./prune.ts";
import { Expectations } from "./tables/expectations.ts";
import { operationSteps, operationsBySteps } from "./tables/operation-steps.ts";
import { sqliteOperations } from "./tables/operations.ts";

/** Core's operation log on a file, without a router. */
export interface SqliteOperationLog extends OperationLog {
  /** For people: `sqlite (libsql)`. */
  readonly name: string;
  readonly durability: "process" | "disk";
  /** Drops expired records. */
  prune(): Promise<void>;
  /** Finishes the methods that were called and closes the file. Later calls reject with `trp/store-closed`. */
  close(): Promise<void>;
}

/** Core's operation log on a file that was opened in this thread. */
export function sqliteOperationLog({ name, durability, commits }: Opened): SqliteOperationLog {
  const { claim, renew, begin, doubt, read } = sqliteOperations(commits, durability);
  const { finish } = operationsBySteps(operationSteps(commits, new Expectations()));
  return {
    ...{ name, durability, claim, renew, begin, finish, doubt, read },
    prune: () => prune(commits),
    close: () => commits.close(),
  };
}
