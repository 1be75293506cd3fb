import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { openSqlite } from "@toolglot/sqlite";
import { MemoryStore } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { UsageError } from "../cli/usage-error.ts";

/** Where a router keeps what must outlive a request. */
export type StoreChoice = { kind: "memory" } | { kind: "sqlite"; path: string };

/** The default file. */
export function defaultStorePath(folder: string): string {
  return join(folder, "router.db");
}

/** Reads `memory`, `sqlite` or `sqlite:FILE`; `folder`: the data folder, `startFolder`: where a relative file is. Throws `UsageError`. */
export function readStoreChoice(text: string | undefined, folder: string, startFolder = "."): StoreChoice {
  if (text === undefined || text === "sqlite") return { kind: "sqlite", path: defaultStorePath(folder) };
  if (text === "memory") return { kind: "memory" };
  const path = /^sqlite:(.+)$/s.exec(text)?.[1];
  if (path === undefined) throw new UsageError(`--store must be memory or sqlite:FILE, not ${JSON.stringify(text)}.`);
  return { kind: "sqlite", path: resolve(startFolder, path) };
}

/** Opens the store, and makes its file on first use. */
export async function openChosenStore(choice: StoreChoice): Promise<RouterStore> {
  if (choice.kind === "memory") return new MemoryStore();
  mkdirSync(dirname(choice.path), { recursive: true, mode: 0o700 });
  return openSqlite({ file: choice.path });
}

/** Opens a store that must be there already. Throws `UsageError` when it is not, or keeps nothing between two commands. */
export async function openExistingStore(choice: StoreChoice): Promise<RouterStore> {
  if (choice.kind === "memory") {
    throw new UsageError("A memory store lives in its router alone: name a file with --store sqlite:FILE.");
  }
  if (!existsSync(choice.path)) {
    throw new UsageError(`There is no ${choice.path}: name the router's file with --store sqlite:FILE.`);
  }
  return openChosenStore(choice);
}
