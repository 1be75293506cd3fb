import { migrateStore, readStoreAddress, shownStore } from "@toolglot/gateway/store";
import { defined } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import { UsageError } from "../cli/usage-error.ts";
import { loadPlaces } from "./config.ts";
import type { GatewayRun } from "./flags.ts";

/** Brings the tables of a store in PostgreSQL to this version, or with `--dry-run` prints the SQL of that. */
export async function migrate(run: GatewayRun<{ dryRun?: boolean; json?: boolean }>): Promise<number> {
  const { flags, host, say } = run;
  const { dryRun = false, json } = flags;
  const { store, postgres } = (await loadPlaces(run)).settings;
  const address = readStoreAddress(store);
  if (!("kind" in address && address.kind === "postgres")) throw new UsageError(say.migrate.notPostgres);
  const found = await migrateStore(store, { dryRun, ...defined({ postgres }) });
  const { from, to, statements } = found;
  if (json) host.stdout.write(`${JSON.stringify(found)}\n`);
  else {
    // What standard output gets can be given to psql.
    if (dryRun) for (const statement of statements) host.stdout.write(`${statement.replace(/;?\s*$/, "")};\n`);
    const words = say.migrate[dryRun ? "would" : "done"](shownStore(store), from, to);
    host[dryRun ? "stderr" : "stdout"].write(`${from === to ? say.migrate.current(shownStore(store), to) : words}\n`);
  }
  return exitCodes.answered;
}
