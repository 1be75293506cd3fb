import type { Storage } from "@toolglot/core/storage";
import { openPostgres } from "../../../postgres/src/index.ts";
import { openSqlite } from "../../src/index.ts";

/** Storages whose operation log several processes can share, by kind: opened by an address: a file's path, or a URL, `#` and a schema. */
export const storages: Readonly<Record<string, (address: string) => Promise<Storage>>> = {
  async postgres(address) {
    const [url = "", schema = ""] = address.split("#");
    return await openPostgres({ url, schema, pool: 4, lockTimeoutMs: 60_000, statementTimeoutMs: 60_000 });
  },
  sqlite: (file) => openSqlite({ file, lockTimeoutMs: 60_000 }),
};
