import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { openStore, readStoreAddress, shownStore } from "@toolglot/gateway/store";
import type { RouterStore } from "@toolglot/trp-core/store";
import { UsageError } from "../cli/usage-error.ts";

/** Where a router keeps what must outlive a request: an address as `sqlite:FILE`, `postgres://…` or `memory`. */
export interface StoreChoice {
  kind: "memory" | "sqlite" | "postgres";
  address: string;
  /** Of a file. */
  path?: string;
}

/** The default file. */
export function defaultStorePath(folder: string): string {
  return join(folder, "router.db");
}

/**
 * Reads `memory`, `sqlite`, `sqlite:FILE` or `postgres://…`; `folder`: the data folder, `startFolder`: where a relative file is. Throws
 * `UsageError`.
 */
export function readStoreChoice(text: string | undefined, folder: string, startFolder = "."): StoreChoice {
  if (text === undefined || text === "sqlite") return fileChoice(defaultStorePath(folder));
  const found = readStoreAddress(text);
  if (!("kind" in found)) throw new UsageError(`--store ${found.message}. ${found.cure}`);
  return found.kind === "sqlite" ? fileChoice(resolve(startFolder, found.path)) : { kind: found.kind, address: text };
}

/** The choice of a file. */
export function fileChoice(path: string): StoreChoice {
  return { kind: "sqlite", address: `sqlite:${path}`, path };
}

/** Opens the store, and makes its file or its tables on first use. */
export async function openChosenStore({ address }: StoreChoice): Promise<RouterStore> {
  return openStore(address);
}

/** Opens a store that must be there already. Throws `UsageError` when it is not, or keeps nothing between two commands. */
export async function openExistingStore({ kind, address, path }: StoreChoice): Promise<RouterStore> {
  if (kind === "memory") {
    throw new UsageError(
      "A memory store lives in its router alone: name one that lasts, as --store sqlite:FILE or postgres://….",
    );
  }
  if (path !== undefined && !existsSync(path)) {
    throw new UsageError(`There is no ${shownStore(address)}: name the router's file with --store sqlite:FILE.`);
  }
  return openStore(address, { existing: true });
}
