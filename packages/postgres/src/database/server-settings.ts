import { readOnly, storeError } from "../errors.ts";
import type { Settings } from "../options.ts";
import type { Reader } from "./transaction.ts";

const oldest = 150_000;

/**
 * Looks at the settings of the server that the promises depend on, of which any connection may find others. Returns what an
 * acknowledged write survives: with `fsync` or `full_page_writes` off only a crash of the process.
 */
export async function checkServer(
  reader: Reader,
  name: string,
  { requireSync }: Pick<Settings, "requireSync">,
): Promise<"process" | "disk"> {
  const sql = `SELECT version() AS version, current_setting('server_version_num')::int AS number,
    current_setting('fsync') AS fsync, current_setting('full_page_writes') AS pages,
    current_setting('synchronous_commit') AS commit, current_setting('synchronous_standby_names') AS standbys,
    current_setting('default_transaction_read_only') AS readonly, pg_is_in_recovery() AS standby,
    current_setting('default_transaction_isolation') AS isolation, current_setting('server_encoding') AS encoding,
    current_setting('client_min_messages') AS messages, current_setting('array_nulls') AS nulls,
    left((current_schemas(true))[1]::text, 3) <> 'pg_' AS shadowed`;
  const row = (await reader.get(sql)) ?? {};
  const refuse = (text: string): Error =>
    storeError("trp/store-open", `${name} can't be used: ${text}`, { database: name });
  if (Number(row.number) < oldest || /pglite/i.test(String(row.version))) {
    throw refuse(`it is ${String(row.version).slice(0, 60)}; PostgreSQL 15 or newer is needed.`);
  }
  if (row.standby === true || row.readonly === "on") throw readOnly(name);
  if (row.commit === "off")
    throw refuse("synchronous_commit is off, so that it would forget what it has acknowledged.");
  if (row.isolation !== "read committed") {
    const cure = "ALTER ROLE … SET default_transaction_isolation = 'read committed'";
    throw refuse(`its transactions are ${row.isolation}, which refuse each other's changes: ${cure}.`);
  }
  if (!["UTF8", "SQL_ASCII"].includes(String(row.encoding))) {
    throw refuse(
      `its encoding is ${row.encoding}, which has no letters of most languages: create it with ENCODING 'UTF8'.`,
    );
  }
  if (["error", "fatal", "panic"].includes(String(row.messages))) {
    throw refuse(`client_min_messages is ${row.messages}, so that it would not tell of commits that no standby has.`);
  }
  if (row.nulls !== "on") throw refuse("array_nulls is off, so that it takes what is missing for a text.");
  if (row.shadowed === true)
    throw refuse("other schemas come before pg_catalog in its search_path: their functions would be called.");
  if (!(await reader.isNamed())) {
    throw refuse(
      "a pooler does not pass application_name on, so that a statement whose connection is lost could not be ended, and might be done twice. Let the pooler pass it, or give the server's own address.",
    );
  }
  if (requireSync && (row.standbys === "" || row.commit === "local")) {
    throw refuse(
      "requireSync is set, but commits wait for no synchronous standby (synchronous_standby_names, synchronous_commit).",
    );
  }
  return row.fsync === "on" && row.pages === "on" ? "disk" : "process";
}

/** What is said when a write survives less than the disk. */
export function isVolatile(name: string): Error {
  return new Error(
    `${name} has fsync or full_page_writes off: a crash of its machine may take back what it has acknowledged.`,
  );
}
