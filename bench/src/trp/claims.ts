import { closeSync, fdatasyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { openSqlite } from "@toolglot/sqlite";
import { MemoryStore } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import type { Peer } from "./load.ts";

let count = 0;

/** An operation from its claim to its end: what a keyed call costs the store, but for the frame itself. */
function operations(name: string, store: RouterStore): Peer {
  return {
    name,
    call: async () => {
      const key = { scope: "bench", key: `key-${++count}` };
      const started = await store.operations.start(
        { ...key, fingerprint: "f", owner: "bench", leaseMs: 10_000 },
        { data: {} },
      );
      if (started.status !== "claimed") throw new Error(`${name}: ${started.status}`);
      const finished = await store.operations.finish(started.claim, { state: "done", outcome: { line: "12 bis" } });
      if (!finished) throw new Error(`${name}: lost`);
    },
    close: () => store.close(),
  };
}

/** One durable write of a row's size, without any database: below this nothing durable can be, one after another. */
export function rawWrite(folder: string): Peer {
  const file = openSync(join(folder, "raw"), "w");
  const row = Buffer.alloc(400, "x");
  return {
    name: "400 bytes and fdatasync, no database",
    call: async () => {
      writeSync(file, row);
      fdatasyncSync(file);
    },
    close: async () => closeSync(file),
  };
}

/** The stores there are. */
export async function stores(folder: string): Promise<Peer[]> {
  const memory = new MemoryStore();
  const sqlite = await openSqlite({ file: join(folder, "claims.db") });
  return [
    operations(`${memory.name}: start and finish`, memory),
    operations(`${sqlite.name}: start and finish`, sqlite),
  ];
}
