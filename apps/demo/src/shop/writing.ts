import type { JsonObject } from "@toolglot/core";
import Database from "libsql";

/** What a write does besides its own work. */
export interface WriteOptions {
  /** Names the operation: the same key does it once, and gives the first outcome again. Without one it is just done. */
  operationKey?: string | undefined;
  now?: () => Date;
}

/** What the work of a write gets. */
export interface Writing {
  db: Database.Database;
  /** ISO time. */
  at: string;
}

/**
 * One write to the shop's file, all or nothing: what `work` throws takes back what it wrote. The key is noted in the same
 * transaction, so there is no moment at which the effect is there and the note is not: a process that was stopped in between
 * and wakes up after another one did its work finds the note, and changes nothing.
 */
export function write<Outcome extends JsonObject>(
  database: string,
  kind: string,
  { operationKey, now = () => new Date() }: WriteOptions,
  work: (writing: Writing) => Outcome,
): Outcome {
  const db = new Database(database, { timeout: 2000 });
  try {
    db.exec("BEGIN IMMEDIATE");
    try {
      const outcome = once(db, kind, operationKey, now().toISOString(), work);
      db.exec("COMMIT");
      return outcome;
    } catch (error) {
      db.exec("ROLLBACK");
      throw error;
    }
  } finally {
    db.close();
  }
}

function once<Outcome extends JsonObject>(
  db: Database.Database,
  kind: string,
  key: string | undefined,
  at: string,
  work: (writing: Writing) => Outcome,
): Outcome {
  if (key === undefined) return work({ db, at });
  const done = db.prepare("SELECT outcome FROM effects WHERE operation_key = ?").get(key) as
    | { outcome: string }
    | undefined;
  if (done) return JSON.parse(done.outcome) as Outcome;
  const outcome = work({ db, at });
  db.prepare("INSERT INTO effects (operation_key, kind, outcome, done_at) VALUES (?, ?, ?, ?)").run(
    key,
    kind,
    JSON.stringify(outcome),
    at,
  );
  return outcome;
}
