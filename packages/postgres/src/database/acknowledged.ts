import { storeError } from "../errors.ts";
import type { Reader } from "./transaction.ts";

/** An operation whose row the database has acknowledged, and which nobody else may drop yet. */
interface Noted {
  id: Uint8Array;
  fence: number;
  ttlMs: number;
  /** Of `performance.now()`: until then the row is there, unless it was lost. */
  until: number;
}

const day = 24 * 60 * 60 * 1000;

/** How long a claim is held, and its outcome kept. Milliseconds. */
interface HeldFor {
  leaseMs: number;
  ttlMs?: number;
}

const keyOf = (id: Uint8Array): string => Buffer.from(id).toString("latin1");

/** So many are looked up on a new connection: the newest writes are those that an older copy lacks. */
const most = 64;
/** The meta entry that stops all processes, until a person has accepted the database as it is. */
const stopped = "lost_writes";

/**
 * Notices when the database has forgotten what it had acknowledged: a standby that lagged behind has become the primary, or a
 * backup was restored. Then an operation that was begun may look new, and would run twice.
 *
 * On each new connection the newest operations that this process knows to be written are looked up, with the highest fence and
 * the identity of the database's cluster.
 */
export class Acknowledged {
  readonly #noted = new Map<string, Noted>();
  #highest = 0;

  /** `leaseMs`: for so long no other process may end it. `since`: before the request was sent. */
  held(id: Uint8Array, fence: number, { leaseMs, ttlMs = day }: HeldFor, since: number): void {
    const key = keyOf(id);
    this.#highest = Math.max(this.#highest, fence);
    this.#noted.delete(key);
    this.#noted.set(key, { id, fence, ttlMs, until: since + leaseMs });
    if (this.#noted.size > most) this.#noted.delete(this.#noted.keys().next().value as string);
  }

  /** Its outcome stays for its time. `since`: before the request was sent. */
  ended(id: Uint8Array, since: number): void {
    const noted = this.#noted.get(keyOf(id));
    if (noted !== undefined) noted.until = since + noted.ttlMs;
  }

  /** Its row may go from now on. */
  leave(id: Uint8Array): void {
    this.#noted.delete(keyOf(id));
  }

  /** Forgets everything: the database is accepted as it is. */
  clear(): void {
    this.#noted.clear();
    this.#highest = 0;
  }

  /** Rejects with `trp/store-lost-writes` when something is missing. */
  async check(reader: Reader, database: string): Promise<void> {
    // Other connections may be well, and more is acknowledged while this one asks.
    const highest = this.#highest;
    const noted = [...this.#noted.values()].map((one) => ({ ...one }));
    await checkIdentity(reader, database);
    const [row] = await reader.all("SELECT last_value AS fence FROM @fences");
    if (Number(row?.fence) < highest) throw lost(database, `fence ${highest}`, `fence ${Number(row?.fence)}`);
    if (noted.length === 0) return;
    const sql = `SELECT n FROM unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS noted (id, fence, n)
      WHERE NOT EXISTS (SELECT 1 FROM @operations o WHERE o.id = noted.id AND o.fence >= noted.fence)`;
    const missing = await reader.all(
      sql,
      noted.map(({ id }) => id),
      noted.map(({ fence }) => fence),
    );
    // Whose time ended meanwhile, others may have dropped before the database was asked; and so may this process.
    const now = performance.now();
    const gone = missing.map(({ n }) => noted[Number(n) - 1] as Noted).filter((one) => this.#isKept(one, now));
    if (gone.length > 0) throw lost(database, `${noted.length} operations`, `${noted.length - gone.length} of them`);
  }

  #isKept({ id, fence }: Noted, now: number): boolean {
    const noted = this.#noted.get(keyOf(id));
    return noted !== undefined && noted.fence === fence && noted.until > now;
  }
}

/** Rejects with `trp/store-lost-writes` when the tables come from another cluster, or when another process has found a loss. */
export async function checkIdentity(reader: Reader, database: string): Promise<void> {
  const rows = await reader.all("SELECT name, value FROM @meta");
  const meta = new Map(rows.map(({ name, value }) => [String(name), String(value)]));
  const found = meta.get(stopped);
  if (found !== undefined) throw lost(database, "what was acknowledged", found);
  const [row] = await reader.all(identitySql);
  const before = meta.get("system_identifier");
  if (before !== undefined && before !== row?.id) throw lost(database, `cluster ${before}`, `cluster ${row?.id}`);
}

/** Texts that are written with the tables: see {@link checkIdentity}. */
export const identitySql: string = "SELECT system_identifier::text AS id FROM pg_control_system()";
export const noteIdentity: string = `INSERT INTO @meta (name, value) SELECT 'system_identifier', $1
  ON CONFLICT (name) DO NOTHING`;
export const noteLoss: string = `INSERT INTO @meta (name, value) VALUES ('${stopped}', $1) ON CONFLICT (name) DO NOTHING`;
export const acceptLoss: string = `DELETE FROM @meta WHERE name IN ('${stopped}', 'system_identifier')`;

function lost(database: string, expected: string, found: string): Error {
  const text = `${database} has forgotten what it had acknowledged (expected ${expected}, found ${found}): an older copy has taken its place. Nothing is begun, because it may have been done before. Compare with the other systems, then accept the database with acceptPostgres, or \`toolglot gateway accept store\`.`;
  return storeError("trp/store-lost-writes", text, { database, expected, found });
}
