import { closeSync, openSync, readSync } from "node:fs";
import { pathToFileURL } from "node:url";
import { isObject, parseJson } from "@toolglot/internal";
import type { RecordTaker } from "./log-records.ts";

/** Whether a file is an SQLite database, by its first bytes. */
export function isDatabase(file: string): boolean {
  const descriptor = openSync(file, "r");
  try {
    const head = Buffer.alloc(16);
    readSync(descriptor, head, 0, 16, 0);
    return head.toString("latin1") === "SQLite format 3\0";
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads the database of opencode as messages like those of `opencode export`. Nothing is written, not even the files that SQLite keeps beside
 * a database: so what stands only in its write-ahead log is not seen. Undefined where no driver is installed. Throws what the driver does,
 * as for a database of another kind.
 */
export async function openDatabase(file: string): Promise<((taker: RecordTaker) => void) | undefined> {
  const open = await driver();
  if (!open) return undefined;
  return (taker) => {
    const database = open(`${pathToFileURL(file).href}?mode=ro&immutable=1`);
    try {
      readMessages(database, taker);
    } finally {
      database.close();
    }
  };
}

/** A row for each part; ids rise with time. One query, and one that sorts no more than the parts of a message: the memory stays flat. */
const rows = `SELECT message.id, message.session_id AS session, message.data AS info, part.data AS part
  FROM message LEFT JOIN part ON part.message_id = message.id ORDER BY message.id, part.id`;

function readMessages(database: Database, taker: RecordTaker): void {
  let last: { id: string; session: string; info: unknown; parts: unknown[] } | undefined;
  const flush = (): void => {
    if (!last) return;
    const { id, session: conversation, info, parts } = last;
    if (!isObject(info)) taker.unread(1);
    else taker.record({ line: 1, pointer: `/message/${id}`, value: { info: { id, ...info }, parts, conversation } });
  };
  for (const { id, session, info, part } of database.prepare(rows).iterate()) {
    if (id !== last?.id) {
      flush();
      last = { id: String(id), session: String(session), info: parseJson(String(info)), parts: [] };
    }
    last?.parts.push(parseJson(String(part)));
  }
  flush();
}

/** What both bindings have. */
interface Database {
  prepare(sql: string): { iterate(): Iterable<Record<string, unknown>> };
  close(): void;
}
type Bindings = { DatabaseSync: new (file: string, options: { readOnly: true }) => Database };

/** Node's own binding where there is one, else libsql. */
async function driver(): Promise<((address: string) => Database) | undefined> {
  const own = process.getBuiltinModule?.("node:sqlite") as Bindings | undefined;
  if (own?.DatabaseSync) return (address) => new own.DatabaseSync(address, { readOnly: true });
  // Native code that people install or leave: nobody can bundle it.
  const name = "libsql";
  try {
    const { default: Libsql } = (await import(name)) as { default: new (file: string) => Database };
    return (address) => new Libsql(address);
  } catch {
    return undefined;
  }
}
