import type { Storage } from "@toolglot/core/storage";
import { openSqlite } from "../../src/index.ts";

/** Storages whose operation log several processes can share, by kind: opened by an address, such as a file's path. */
export const storages: Readonly<Record<string, (address: string) => Promise<Storage>>> = {
  sqlite: (file) => openSqlite({ file, lockTimeoutMs: 60_000 }),
};
