import { errorText, sleep } from "@toolglot/internal";
import { storeClosed } from "@toolglot/trp-core/store";
import { type ClientConfig, Pool, type PoolClient, type PoolConfig, Client as PostgresClient, types } from "pg";
import { isGone, isReadOnly, readOnly, sqlStateOf, storeError } from "../errors.ts";
import { databaseName, type Settings } from "../options.ts";

/** One of the pool's connections. */
export interface Client extends PoolClient {
  readonly connectionName: string;
  /** Whether it was looked at before its first use. */
  isKnown: boolean;
  /** Whether the server gave up waiting for a synchronous standby. */
  readonly isNotReplicated: boolean;
}

/** A client whose connection has a name of its own, which the server knows: its backend is found by it, also through a pooler. */
class NamedClient extends PostgresClient {
  readonly connectionName: string;
  isKnown = false;
  isNotReplicated = false;

  constructor(config?: ClientConfig) {
    super(config);
    const { connectionParameters } = this as unknown as { connectionParameters: { application_name?: string } };
    // An address may name the application.
    const { application_name: given = "toolglot" } = connectionParameters;
    // The server shows question marks for all other characters.
    this.connectionName = `${given.slice(0, 20).replace(/[^ -~]/gu, "?")} ${crypto.randomUUID()}`;
    connectionParameters.application_name = this.connectionName;
    // The warning has a text in any language, and no code of its own.
    this.on("notice", ({ routine }) => {
      if (routine === "SyncRepWaitForLSN") this.isNotReplicated = true;
    });
  }
}

/** The type of PostgreSQL's `bigint`. All numbers of the store are whole and below 2^53. */
const int8 = 20;

/**
 * The connections of a store. Who asks for one while the database can't be reached waits, up to `retryForMs`; all waiters
 * together try at most once every few milliseconds, and not all routers at the same moment.
 */
export class Connections {
  /** The address without user and password. */
  readonly database: string;
  readonly #pool: Pool;
  readonly #retryForMs: number;
  #closing: Promise<void> | undefined;

  constructor({ url, pool, statementTimeoutMs, lockTimeoutMs, retryForMs, ssl, onError }: Settings) {
    this.database = databaseName(url);
    this.#retryForMs = retryForMs;
    const config: PoolConfig = {
      connectionString: url,
      max: pool,
      connectionTimeoutMillis: Math.max(1_000, retryForMs),
      idleTimeoutMillis: 30_000,
      keepAlive: true,
      // The statements of a transaction go out without waiting for one another's answers.
      pipeline: true,
      statement_timeout: statementTimeoutMs,
      lock_timeout: lockTimeoutMs,
      idle_in_transaction_session_timeout: statementTimeoutMs,
      // The server ends a statement before; this ends a connection on which nothing comes any more.
      query_timeout: 2 * statementTimeoutMs,
      Client: NamedClient,
      types: { getTypeParser: (oid, format) => (oid === int8 ? Number : types.getTypeParser(oid, format as "text")) },
      ...(ssl !== undefined && { ssl }),
    };
    this.#pool = new Pool(config);
    // One that ends between two statements of a transaction tells nobody but its listeners; the next statement fails.
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
    // An idle connection that ends: the next method opens another one.
    this.#pool.on("error", (error) => onError(error));
  }

  /** Returns the moment (of `performance.now()`) until which a method that begins now may wait. */
  deadline(): number {
    return performance.now() + this.#retryForMs;
  }

  /** Returns a connection, which must be given back. Rejects with `trp/store-unavailable`, `trp/store-open`, `trp/store-closed`. */
  async take(until: number): Promise<Client> {
    for (let attempt = 0; ; attempt += 1) {
      if (this.#closing) throw storeClosed("postgres");
      try {
        return (await this.#pool.connect()) as Client;
      } catch (error) {
        if (this.#closing) throw storeClosed("postgres");
        if (!isGone(error) || sqlStateOf(error) === "08P01" || speaksNoTls(error)) throw this.#notOpened(error);
        await this.again(attempt, until, error);
      }
    }
  }

  /** Waits before the next attempt, a little longer each time; throws `trp/store-unavailable` or `-readonly` when there is no time left. */
  async again(attempt: number, until: number, cause: unknown): Promise<void> {
    if (performance.now() >= until) {
      if (isReadOnly(cause)) throw readOnly(this.database, cause);
      const data = { database: this.database, waitedMs: this.#retryForMs, sqlState: sqlStateOf(cause) };
      const text = `${this.database} can't be reached: ${errorText(cause)}. Nothing was written.`;
      throw storeError("trp/store-unavailable", text, data, cause);
    }
    const maxMs = Math.min(500, 10 * 2 ** Math.min(attempt, 6), until - performance.now());
    await sleep(Math.max(1, maxMs * (0.5 + Math.random() / 2)));
  }

  /** Ends all connections, once those that are taken are given back. */
  close(): Promise<void> {
    this.#closing ??= this.#pool.end();
    return this.#closing;
  }

  #notOpened(error: unknown): Error {
    const cures: Readonly<Record<string, string>> = {
      "28P01": "Its user or password is wrong.",
      "28000": "Its user may not connect: see pg_hba.conf of the server.",
      "3D000": "There is no such database: create it.",
      "08P01": "A pooler refuses parameters of the session: see the part about poolers in the README.",
    };
    const noTls = "Its server speaks no TLS: take sslmode out of the address, or set ssl: false.";
    const why = speaksNoTls(error) ? noTls : (cures[sqlStateOf(error) ?? ""] ?? `${errorText(error)}.`);
    return storeError("trp/store-open", `${this.database} can't be opened: ${why}`, { database: this.database }, error);
  }
}

/** The driver's error for it has no code. */
function speaksNoTls(error: unknown): boolean {
  return error instanceof Error && /does not support SSL/.test(error.message);
}
