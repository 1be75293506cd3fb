import { chainText } from "@toolglot/trp-core/store";
import type { Database } from "../database/database.ts";
import type { Row, Transaction } from "../database/transaction.ts";

/** Rows sealed in one transaction. */
const atOnce = 1_000;
/** How long after a call its rows are sealed, at the latest. Milliseconds. */
const everyMs = 500;
/** So many rows of this process don't wait that long. */
const soonFrom = 200;
/** How often this process looks for rows that others have left behind. Milliseconds. */
const sweepMs = 5_000;

/**
 * Writes the places of audit rows and events. A call writes its rows without one, so that no two calls share a row. The sealer then
 * takes what is committed, in order, and writes it into the chain of the audit log and into the outbox: numbers rise
 * by one in the order of sealing. One process at a time does so, whichever gets the lock of the head's row. Until then only
 * `entry` and the database's rights guard an audit row.
 */
export class Sealer {
  readonly #database: Database;
  readonly #onError: (error: Error) => void;
  #staged = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #isClosed = false;

  constructor(database: Database, onError: (error: Error) => void) {
    this.#database = database;
    this.#onError = onError;
    this.#wait(sweepMs);
  }

  /** Notes that this process has committed so many rows. */
  staged(count: number): void {
    const before = this.#staged;
    this.#staged += count;
    if (before === 0) this.#wait(everyMs);
    if (before < soonFrom && this.#staged >= soonFrom) this.#wait(0);
  }

  /** Seals everything that is committed now. */
  async seal(): Promise<void> {
    // One that has begun may have read before that.
    this.#next ??= (this.#running ?? Promise.resolve())
      .catch(() => undefined)
      .then(async () => {
        this.#next = undefined;
        this.#running = this.#sealAll("FOR UPDATE");
        await this.#running;
      });
    await this.#next;
  }

  /** Seals what is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    if (this.#staged > 0) await this.seal();
    await this.#running?.catch(() => undefined);
  }

  #wait(ms: number): void {
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#tick(), ms);
    this.#timer.unref();
  }

  /** Leaves it to the other process when one is at it. */
  async #tick(): Promise<void> {
    try {
      this.#running = this.#sealAll("FOR UPDATE SKIP LOCKED");
      await this.#running;
    } catch (error) {
      this.#onError(error as Error);
    }
    this.#wait(this.#staged > 0 ? everyMs : sweepMs);
  }

  async #sealAll(lock: string): Promise<void> {
    this.#staged = 0;
    for (const seal of [sealAudit, sealOutbox]) {
      while (await this.#database.write((tx) => seal(tx, lock))) {}
    }
  }
}

async function newRows(tx: Transaction, table: "audit" | "outbox", columns: string): Promise<Row[]> {
  return await tx.all(`SELECT id, at, ${columns} FROM @${table}_new ORDER BY id LIMIT ${atOnce}`);
}

/** Undefined when somebody else is at it, or when there is nothing to seal: a lock alone would be a commit to the disk. */
async function headOf(tx: Transaction, name: "audit" | "outbox", lock: string): Promise<Row | undefined> {
  const isToDo = `(SELECT id FROM @${name}_new ORDER BY id LIMIT 1) IS NOT NULL`;
  return await tx.get(`SELECT n, hash FROM @heads WHERE name = $1 AND ${isToDo} ${lock}`, name);
}

/** Returns whether there may be more. */
async function sealAudit(tx: Transaction, lock: string): Promise<boolean> {
  const head = await headOf(tx, "audit", lock);
  const rows = head ? await newRows(tx, "audit", "entry") : [];
  if (!head || rows.length === 0) return false;
  let last = head.hash === null ? undefined : { index: Number(head.n), hash: String(head.hash) };
  const chained = rows.map((row) => {
    const sealed = chainText(last, Number(row.at), String(row.entry));
    last = sealed;
    return sealed;
  });
  const insert = `INSERT INTO @audit (n, at, entry, prev_hash, hash)
    SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::text[], $4::text[], $5::text[])`;
  await tx.change(
    insert,
    chained.map(({ index }) => index),
    rows.map(({ at }) => Number(at)),
    rows.map(({ entry }) => String(entry)),
    chained.map(({ prevHash }) => prevHash),
    chained.map(({ hash }) => hash),
  );
  const end = chained.at(-1) as { index: number; hash: string };
  await tx.change("UPDATE @heads SET n = $1, hash = $2 WHERE name = 'audit'", end.index, end.hash);
  await dropNew(tx, "audit", rows);
  return rows.length === atOnce;
}

/** Returns whether there may be more. */
async function sealOutbox(tx: Transaction, lock: string): Promise<boolean> {
  const head = await headOf(tx, "outbox", lock);
  const rows = head ? await newRows(tx, "outbox", "event") : [];
  if (!head || rows.length === 0) return false;
  const n = Number(head.n);
  const insert = `INSERT INTO @outbox (n, at, event)
    SELECT $1 + n, at, event FROM unnest($2::bigint[], $3::text[]) WITH ORDINALITY AS new (at, event, n)`;
  const times = rows.map(({ at }) => Number(at));
  await tx.change(
    insert,
    n,
    times,
    rows.map(({ event }) => String(event)),
  );
  await tx.change("UPDATE @heads SET n = $1 WHERE name = 'outbox'", n + rows.length);
  await dropNew(tx, "outbox", rows);
  return rows.length === atOnce;
}

async function dropNew(tx: Transaction, table: "audit" | "outbox", rows: readonly Row[]): Promise<void> {
  await tx.change(
    `DELETE FROM @${table}_new WHERE id = ANY($1)`,
    rows.map(({ id }) => Number(id)),
  );
}
