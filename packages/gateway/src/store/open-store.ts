import { dirname } from "node:path";
import { ToolglotError } from "@toolglot/core";
import { checkKeys, errorText } from "@toolglot/internal";
import { makeFolder } from "@toolglot/internal/node";
import { MemoryStore } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import type { PostgresSettings } from "../config/settings.ts";
import { readStoreAddress, type StoreAddress, shownStore, withoutPassword } from "./address.ts";

/** How a store is opened. */
export interface OpenStoreOptions {
  /** Of a store in PostgreSQL. */
  postgres?: PostgresSettings;
  /** Whether the store must be there: its tables are not made or changed. Default false. */
  existing?: boolean;
  /** Gets faults of connections that no call reports. */
  onError?(error: Error): void;
}

/** What became of the tables of a store. */
export interface StoreMigration {
  /** Versions of the schema. The same: there was nothing to do. */
  from: number;
  to: number;
  /** SQL, in its order. */
  statements: string[];
}

/**
 * Opens the store that a setting names: `sqlite:PATH`, `postgres://…` or `memory`. A file is made, and its folder, for its owner alone; so
 * are the tables in a database. What a kind of store needs is loaded with the first of it.
 *
 * @throws `ToolglotError` `gateway/store`, without the password of the address.
 */
export async function openStore(setting: string, options: OpenStoreOptions = {}): Promise<RouterStore> {
  checkKeys("openStore", options, "postgres:object existing:boolean onError:function");
  const { postgres, existing = false, onError } = options;
  return atStore(setting, async (address) => {
    if (address.kind === "memory") return new MemoryStore();
    if (address.kind === "sqlite") {
      makeFolder(dirname(address.path));
      const { openSqlite } = await import("@toolglot/sqlite");
      return openSqlite({ file: address.path });
    }
    const { openPostgres } = await import("@toolglot/postgres");
    return openPostgres({
      ...postgres,
      url: address.url,
      ...(existing && { migrate: "check" as const }),
      ...(onError && { onError }),
    });
  });
}

/**
 * Brings the tables of a store in PostgreSQL to this version; with `dryRun`, only returns what that would take. Rejects as {@link openStore},
 * also for other kinds of stores, which need none of it.
 */
export async function migrateStore(
  setting: string,
  options: Pick<OpenStoreOptions, "postgres"> & { dryRun?: boolean } = {},
): Promise<StoreMigration> {
  checkKeys("migrateStore", options, "postgres:object dryRun:boolean");
  const { postgres, dryRun = false } = options;
  return atStore(setting, async (address) => {
    if (address.kind !== "postgres") throw new Error("only a store in PostgreSQL has tables to migrate");
    const { migratePostgres } = await import("@toolglot/postgres");
    return migratePostgres({ ...postgres, url: address.url, dryRun });
  });
}

/**
 * Takes a store in PostgreSQL as it is now, after it was found to have forgotten what it had acknowledged (`trp/store-lost-writes`). Rejects
 * as {@link migrateStore}.
 */
export async function acceptStore(setting: string, options: Pick<OpenStoreOptions, "postgres"> = {}): Promise<void> {
  checkKeys("acceptStore", options, "postgres:object");
  const { postgres } = options;
  await atStore(setting, async (address) => {
    if (address.kind !== "postgres") throw new Error("only a store in PostgreSQL can have lost writes");
    const { acceptPostgres } = await import("@toolglot/postgres");
    await acceptPostgres({ ...postgres, url: address.url });
  });
}

/** Works on the store of a setting, and names it when that fails. */
async function atStore<Value>(setting: string, work: (address: StoreAddress) => Promise<Value>): Promise<Value> {
  const address = readStoreAddress(setting);
  if (!("kind" in address)) {
    throw new ToolglotError("gateway/store", `The address of the store ${address.message}. ${address.cure}`);
  }
  try {
    return await work(address);
  } catch (error) {
    const said = errorText(error);
    const reason = address.kind === "postgres" ? withoutPassword(said, address) : said;
    // A cause may hold the whole address.
    const cause = address.kind === "postgres" ? {} : { cause: error };
    throw new ToolglotError("gateway/store", `The store ${shownStore(setting)} can't be used: ${reason}`, cause);
  }
}
