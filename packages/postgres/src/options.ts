import type { ConnectionOptions } from "node:tls";
import { checkKeys, errorText } from "@toolglot/internal";
import { Client } from "pg";

/** Options of {@link openPostgres}. */
export interface PostgresOptions {
  /**
   * `postgres://user:password@host:5432/database`, or with a socket `postgres:///database?host=/run/postgresql`. One
   * address: DNS or a pooler chooses the primary.
   */
  url: string;
  /** The schema that holds the tables. It is made when it is missing. Lower-case letters, digits and `_`. Default `toolglot`. */
  schema?: string;
  /** The most connections that this store opens. Default 10. */
  pool?: number;
  /**
   * The address of the connection that hears what other processes have changed, so that who waits for that needn't ask so often. It must
   * be direct when `url` is that of a pooler, which forgets who listens. Indexes of a later version are made there, too. `false`: there
   * is none. Default: `url`.
   */
  listenUrl?: string | false;
  /**
   * What is done when the tables are missing or of an older version. `auto` (default): they are made or brought up to date.
   * `check`: the store does not open. `off`: nothing is looked at.
   */
  migrate?: "auto" | "check" | "off";
  /** How long one statement may take. Milliseconds. Default 10,000. */
  statementTimeoutMs?: number;
  /** How long a statement waits for the lock of a row. Milliseconds. Default 5,000. */
  lockTimeoutMs?: number;
  /** How long a method waits for a database that can't be reached, or takes no writes. Milliseconds. Default 5,000. */
  retryForMs?: number;
  /** Refuses to open unless commits wait for a synchronous standby. Only then an acknowledged write survives a failover. Default false. */
  requireSync?: boolean;
  /**
   * What is done once the database has forgotten what it had acknowledged. `stop` (default): every method rejects with
   * `trp/store-lost-writes` until the store is opened again. `report`: `onError` gets the error, and all goes on.
   */
  onLostWrites?: "stop" | "report";
  /** Milliseconds since the epoch, in place of the database's clock: for tests. */
  now?: () => number;
  /** TLS, as `pg` takes it. Default: as the address says (`sslmode`). */
  ssl?: boolean | ConnectionOptions;
  /** Gets errors that belong to no method: of idle connections, of work in the background. Default: they are dropped. */
  onError?: (error: Error) => void;
}

/** The checked options. */
export type Settings = Required<Omit<PostgresOptions, "now" | "ssl">> & Pick<PostgresOptions, "now" | "ssl">;

/** Checks the options. Throws `TypeError` for invalid ones. */
export function checkOptions(options: PostgresOptions): Settings {
  checkKeys(
    "the options of the store",
    options,
    'url:text schema:text pool:size listenUrl:text|false migrate:"auto"|"check"|"off" statementTimeoutMs:size lockTimeoutMs:size retryForMs:count requireSync:boolean onLostWrites:"stop"|"report" now:function ssl:boolean|object onError:function',
    ["url"],
  );
  const { url, schema = "toolglot", now, ssl } = options;
  if (!/^postgres(ql)?:\/\//.test(url)) {
    throw new TypeError('url must begin with "postgres://" or "postgresql://"');
  }
  for (const [name, address] of Object.entries({ url, listenUrl: options.listenUrl || url })) {
    try {
      new Client({ connectionString: address });
    } catch (error) {
      // The error itself may hold the password.
      const cure = "characters such as @ / ? # % in a user or a password must be percent-encoded (%40 for @)";
      throw new TypeError(`${name} can't be read (${errorText(error)}): ${cure}`);
    }
  }
  if (!/^[a-z_][a-z0-9_]{0,62}$/.test(schema)) {
    throw new TypeError(`schema must be lower-case letters, digits and _, at most 63, not ${JSON.stringify(schema)}`);
  }
  return {
    url,
    schema,
    pool: options.pool ?? 10,
    listenUrl: options.listenUrl ?? url,
    migrate: options.migrate ?? "auto",
    statementTimeoutMs: options.statementTimeoutMs ?? 10_000,
    lockTimeoutMs: options.lockTimeoutMs ?? 5_000,
    retryForMs: options.retryForMs ?? 5_000,
    requireSync: options.requireSync ?? false,
    onLostWrites: options.onLostWrites ?? "stop",
    onError: options.onError ?? (() => undefined),
    ...(now !== undefined && { now }),
    ...(ssl !== undefined && { ssl }),
  };
}

/** Returns the address without user and password, for messages: `host:5432/database`. */
export function databaseName(url: string): string {
  try {
    const { host, pathname, searchParams } = new URL(url);
    return `${host || (searchParams.get("host") ?? "localhost")}${pathname}`;
  } catch {
    return "the address";
  }
}
