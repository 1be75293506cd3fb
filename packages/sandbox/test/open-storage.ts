import type { Storage } from "@toolglot/core/storage";
import { openPostgres } from "@toolglot/postgres";
import { openSqlite } from "@toolglot/sqlite";
import { folderStorage } from "@toolglot/storage";

/** Opens a storage at its place, in whatever process: an address of PostgreSQL, `#` and a schema; a file that ends in `.sqlite`; a folder. */
export async function openStorage(place: string): Promise<Storage> {
  const [url = "", schema = ""] = place.split("#");
  if (url.startsWith("postgres")) return await openPostgres({ url, schema });
  return place.endsWith(".sqlite") ? await openSqlite({ file: place, lockTimeoutMs: 60_000 }) : folderStorage(place);
}
