import { checkKeys } from "@toolglot/internal";
import type { RouterStore } from "@toolglot/trp-core/store";
import {
  Acknowledged,
  acceptLoss,
  checkIdentity,
  identitySql,
  noteIdentity,
  noteLoss,
} from "./database/acknowledged.ts";
import { DatabaseClock } from "./database/clock.ts";
import { Database } from "./database/database.ts";
import { migrate, pendingMigrations } from "./database/migrate.ts";
import { Connections } from "./database/pool.ts";
import { checkServer, isVolatile } from "./database/server-settings.ts";
import { isLost } from "./errors.ts";
import { checkOptions, type PostgresOptions, type Settings } from "./options.ts";
import { postgresStore } from "./postgres-store.ts";

/**
 * Opens a storage in a PostgreSQL database (15 or newer): a `Storage` for agents, sandboxes and toolkits, and the store of
 * routers, in one. Any number of processes on any number of machines may share it. Its tables are in a schema of their own.
 *
 * Rejects with `TypeError` for invalid options, and with `ToolglotError`: `trp/store-open` when the database can't be opened or
 * used, `trp/store-version` when its tables are of another version, `trp/store-unavailable` when it can't be reached for
 * `retryForMs`, `trp/store-readonly`, and `trp/store-lost-writes`. Methods reject with these and with `trp/store-busy` or
 * `trp/store-failed`, where nothing was written, with `trp/store-damaged`, `trp/store-closed`, and with
 * `trp/store-unsettled`, where the write may have happened or not.
 *
 * @example
 * ```ts
 * const store = await openPostgres({ url: "postgres://app@db.internal/app" });
 * const router = createRouter({ capabilities, store });
 * await store.logs.append("app/visits", ["ann"], 0);
 * await router.close();
 * await store.close();
 * ```
 */
export function openPostgres(options: PostgresOptions): Promise<RouterStore> {
  return openStore(options, true);
}

/** The same; `isFast`: see `Opened`. */
export async function openStore(options: PostgresOptions, isFast: boolean): Promise<RouterStore> {
  const settings = checkOptions(options);
  const database = connect(settings);
  try {
    const durability = await serverOf(database, settings);
    await migrate(database.connections, settings);
    await noteCluster(database).catch((error: unknown) => {
      if (!isLost(error) || settings.onLostWrites === "stop") throw error;
      settings.onError(error as Error);
    });
    const acknowledged = watch(database, settings, durability);
    const clock = new DatabaseClock(database, settings.onError);
    if (settings.now === undefined) await clock.start();
    return postgresStore({ database, settings, durability, clock, acknowledged, isFast });
  } catch (error) {
    await database.close();
    throw error;
  }
}

/**
 * Makes the tables, or brings them up to date. With `dryRun`, returns the SQL that would do so. Rejects as
 * {@link openPostgres} does.
 */
export async function migratePostgres(
  options: PostgresOptions & { dryRun?: boolean },
): Promise<{ from: number; to: number; statements: string[] }> {
  const { dryRun = false, ...rest } = options;
  checkKeys("migratePostgres", { dryRun }, "dryRun:boolean");
  const settings: Settings = { ...checkOptions(rest), migrate: "auto" };
  const database = connect(settings);
  try {
    const pending = await pendingMigrations(database.connections, settings);
    if (!dryRun && pending.statements.length > 0) await migrate(database.connections, settings);
    return pending;
  } finally {
    await database.close();
  }
}

/**
 * Accepts a database that has forgotten what it had acknowledged (`trp/store-lost-writes`), as it is now. Processes that had
 * stopped go on. Call it after a person has looked what was lost.
 */
export async function acceptPostgres(options: PostgresOptions): Promise<void> {
  const settings = checkOptions(options);
  const database = connect(settings);
  try {
    await serverOf(database, settings);
    await database.write((tx) => tx.change(acceptLoss));
    await noteCluster(database);
  } finally {
    await database.close();
  }
}

function connect(settings: Settings): Database {
  return new Database(new Connections(settings), settings);
}

async function serverOf(database: Database, settings: Settings): Promise<"process" | "disk"> {
  const { database: name } = database.connections;
  const durability = await database.read((reader) => checkServer(reader, name, settings));
  if (durability === "process") settings.onError(isVolatile(name));
  return durability;
}

/** From now on each new connection is looked at: whether it leads to the database that has acknowledged what this process knows. */
function watch(database: Database, settings: Settings, durability: "process" | "disk"): Acknowledged {
  const { onLostWrites, onError } = settings;
  const acknowledged = new Acknowledged();
  const name = database.connections.database;
  database.onConnect = async (reader) => {
    // First: a standby that lags behind has lost nothing.
    if ((await checkServer(reader, name, settings)) !== durability && durability === "disk") onError(isVolatile(name));
    await acknowledged.check(reader, name).catch(async (error: unknown) => {
      if (!isLost(error)) throw error;
      acknowledged.clear();
      onError(error as Error);
      if (onLostWrites === "report") return;
      database.stop(error);
      const { expected, found } = (error as { data: Record<string, unknown> }).data;
      await reader.all(noteLoss, `expected ${String(expected)}, found ${String(found)}`);
    });
  };
  database.isAccepted = async (reader) => {
    await checkIdentity(reader, name);
    return true;
  };
  return acknowledged;
}

/** Notes which cluster the tables are in; rejects when it was another one. */
async function noteCluster(database: Database): Promise<void> {
  await database.write(async (tx) => {
    const [row] = await tx.all(identitySql);
    await tx.change(noteIdentity, String(row?.id));
    await checkIdentity(tx, database.connections.database);
  });
}
