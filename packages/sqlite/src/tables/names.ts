import type { Row } from "../drivers/types.ts";
import type { Transaction } from "../transaction.ts";

// Names and lines are BLOBs of UTF-8, not TEXT: bindings cut a text at a NUL. Their order is that of their bytes.

/** Logs or blobs, with what `list` is made of: an answer of a thread is a promise, so names come in pages. */
export type Paged<Store extends Listing> = Store & {
  /** Reads the names behind `after` that begin with `prefix`, in order and at most {@link maxNames}. */
  page(prefix: string, after?: string): Promise<string[]>;
};

interface Listing {
  list(prefix: string): AsyncIterable<string>;
}

/** Names in a page. */
const maxNames = 200;
const encoder = new TextEncoder();
const noBytes = new Uint8Array(new ArrayBuffer(1), 0, 0);
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Returns the same store with `list` over its pages. */
export function listed<Store extends Listing>(store: Omit<Paged<Store>, "list">): Paged<Store> {
  async function* list(prefix: string): AsyncIterable<string> {
    let after: string | undefined;
    do {
      const names: string[] = await store.page(prefix, after);
      yield* names;
      after = names.length < maxNames ? undefined : names.at(-1);
    } while (after !== undefined);
  }
  return { ...store, list } as Paged<Store>;
}

/** Reads a page of names; see {@link Paged}. */
export function pageOf(tx: Transaction, table: "logs" | "blobs", prefix: string, after?: string): string[] {
  const names: string[] = [];
  let row = after === undefined ? nextName(tx, table, ">=", prefix) : nextName(tx, table, ">", after);
  while (row !== undefined && names.length < maxNames) {
    const name = textOf(tx, row, "name", table);
    if (!name.startsWith(prefix)) break;
    names.push(name);
    row = nextName(tx, table, ">", name);
  }
  return names;
}

/** A log has many rows of its name, so each name is looked up behind the one before. */
function nextName(tx: Transaction, table: string, than: ">" | ">=", name: string): Row | undefined {
  return tx.get(`SELECT name FROM ${table} WHERE name ${than} ? ORDER BY name LIMIT 1`, bytesOf(name));
}

/** Returns the form of a name or a line in its column. */
export function bytesOf(text: string): Uint8Array {
  return boundBytes(encoder.encode(text));
}

/** Returns the same bytes in a form that a binding takes: node:sqlite makes NULL of bytes that are nowhere in memory. */
export function boundBytes(bytes: Uint8Array): Uint8Array {
  return bytes.length === 0 ? noBytes : bytes;
}

/** Reads a name or a line from its column. Throws `trp/store-damaged` when it is no text. */
export function textOf(tx: Transaction, row: Row, column: string, table: string): string {
  try {
    return decoder.decode(row[column] as Uint8Array);
  } catch {
    throw tx.damaged(table, column);
  }
}
