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

function readMessages(database: Database, taker: RecordTaker): void {
  // Only ids are sorted: what does not fit into the memory would be written to a temporary file.
  database.prepare("PRAGMA temp_store = MEMORY").all();
  const messages = database.prepare("SELECT id, session_id FROM message ORDER BY session_id, time_created, id");
  const messageOf = database.prepare("SELECT data FROM message WHERE id = ?");
  const partsOf = database.prepare("SELECT data FROM part WHERE message_id = ? ORDER BY id");
  for (const { id = "", session_id: conversation } of messages.iterate() as Iterable<Record<string, string>>) {
    const [info, ...parts] = [...messageOf.all(id), ...partsOf.all(id)].map((row) =>
      parseJson((row as { data: string }).data),
    );
    if (!isObject(info)) taker.unread(1);
    else taker.record({ line: 1, pointer: `/message/${id}`, value: { info: { id, ...info }, parts, conversation } });
  }
}

/** What both bindings have. */
interface Database {
  prepare(sql: string): { iterate(): Iterable<unknown>; all(...values: string[]): unknown[] };
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
