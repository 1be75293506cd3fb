import { createHash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import Database from "libsql";
import { parseCsv } from "./csv.ts";
import { type DemoDocument, readDocuments } from "./documents.ts";
import { sourceFolder } from "./paths.ts";

/** The tables, in the order in which their references allow them to be filled. */
export const tableNames: readonly string[] = ["customers", "products", "orders", "order_items", "refunds", "tickets"];

/** The demo's data in its scratch folder: a folder of documents and one SQLite file. */
export interface DemoStore {
  folder: string;
  /** Path of the SQLite file. */
  database: string;
  documents: DemoDocument[];
  /** True when this call made the data, or made it anew. */
  fresh: boolean;
}

/**
 * Opens the data folder and fills it on first use, after an update of the sources, or with `reset`. What a program wrote
 * before (tickets, deletions) stays until then. Documents that a user added stay in any case.
 */
export function openStore(folder: string, options: { reset?: boolean } = {}): DemoStore {
  const source = sourceFolder();
  const version = sourceVersion(source);
  const stamp = join(folder, "version");
  const database = join(folder, "shop.db");
  const documents = join(folder, "documents");
  const fresh =
    options.reset === true || !existsSync(database) || !existsSync(stamp) || readFileSync(stamp, "utf8") !== version;
  if (fresh) {
    mkdirSync(documents, { recursive: true });
    for (const name of readdirSync(join(source, "documents"))) {
      copyFileSync(join(source, "documents", name), join(documents, name));
    }
    buildDatabase(source, database);
    writeFileSync(stamp, version);
  }
  return { folder, database, documents: readDocuments(documents), fresh };
}

function sourceVersion(source: string): string {
  const hash = createHash("sha256");
  for (const folder of [source, join(source, "documents")]) {
    for (const name of readdirSync(folder).sort()) {
      if (name.includes(".")) hash.update(`${name}\n`).update(readFileSync(join(folder, name)));
    }
  }
  return hash.digest("hex");
}

/** Builds beside the final place and renames, so that a second process never opens half a database. */
function buildDatabase(source: string, path: string): void {
  const draft = `${path}.${process.pid}.new`;
  rmSync(draft, { force: true });
  const db = new Database(draft);
  db.exec(readFileSync(join(source, "schema.sql"), "utf8"));
  db.exec("BEGIN");
  for (const table of tableNames) {
    for (const record of parseCsv(readFileSync(join(source, `${table}.csv`), "utf8"))) {
      const columns = Object.keys(record);
      const values = Object.values(record).map((value) => (value === "" ? null : value));
      // Column affinity turns numeric text into numbers.
      db.prepare(`INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`).run(
        ...values,
      );
    }
  }
  db.exec("COMMIT");
  db.close();
  for (const suffix of ["-wal", "-shm", "-journal"]) rmSync(path + suffix, { force: true });
  renameSync(draft, path);
}
