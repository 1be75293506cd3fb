import { mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ToolglotError } from "@toolglot/core";
import { openSqlite } from "@toolglot/sqlite";
import { MemoryStore } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";

/**
 * Opens the store that a setting names: `sqlite:PATH` or `memory`. The file is made, and its folder, for its owner alone. Rejects with
 * `ToolglotError` `gateway/store`.
 */
export async function openStore(setting: string): Promise<RouterStore> {
  if (setting === "memory") return new MemoryStore();
  const path = /^sqlite:(.+)$/s.exec(setting)?.[1];
  if (path === undefined) {
    const scheme = /^[a-z]+/.exec(setting)?.[0] ?? "";
    const message = `This version has no store for ${scheme}://: use sqlite:PATH, or memory.`;
    throw new ToolglotError("gateway/store", message);
  }
  try {
    mkdirSync(dirname(resolve(path)), { recursive: true, mode: 0o700 });
    return await openSqlite({ file: path });
  } catch (error) {
    throw new ToolglotError("gateway/store", `The store ${path} can't be opened: ${(error as Error).message}`, {
      cause: error,
    });
  }
}
