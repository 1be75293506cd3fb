import { once } from "@toolglot/core/once";
import { openPostgres } from "@toolglot/postgres";
import type { RouterStore } from "@toolglot/trp-core/store";
import { atOnce, often } from "../measure.ts";
import { type Findings, figure } from "../report.ts";
import { inProcess } from "../trp/clients.ts";
import { crowd } from "../trp/load.ts";
import { readCapability, writeCapability } from "../trp/work.ts";
import { openPool, type Queries } from "./pg.ts";
import { forgottenSize, tableSizes } from "./sizes.ts";
import { countWire, type Wire } from "./wire.ts";

/** Work on a store, one after another. */
export interface Counted {
  what: string;
  call(): Promise<unknown>;
  close(): Promise<void>;
}

/** What is counted. */
export const works: Readonly<Record<string, (store: RouterStore) => Counted>> = {
  "a routed read": (store) => ({ what: "a routed read", ...inProcess("a read", store, readCapability) }),
  "a keyed write": (store) => ({ what: "a keyed write", ...inProcess("a write", store, writeCapability) }),
  "a once": (store) => {
    let count = 0;
    return {
      what: "a once",
      call: () => once(store.operations, { scope: "s", input: { n: ++count } }, () => ({ n: count })),
      close: () => store.close(),
    };
  },
};

/** The bytes of write-ahead log that a server has written so far. */
async function walBytes(queries: Queries): Promise<number> {
  const { rows } = await queries.query("select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::text as bytes");
  return Number(rows[0]?.bytes);
}

/**
 * Bytes of write-ahead log of one call, the sealing of its audit rows with it: the least of some rounds, since a server writes of its own as
 * well.
 */
export async function walPerCall(
  queries: Queries,
  store: RouterStore,
  call: () => Promise<unknown>,
  { calls, callers = 1 }: { calls: number; callers?: number },
): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await store.audit.head();
    const before = await walBytes(queries);
    await atOnce(callers, calls, call);
    await store.audit.head();
    found.push(((await walBytes(queries)) - before) / calls);
  }
  return Math.min(...found);
}

/** Counts and sizes of each work, on schemas of their own. */
export async function countedCosts(url: string): Promise<Findings> {
  const pool = openPool(url, 2);
  const told = countWire();
  const [columns, grown]: [string[][], string[][]] = [[], []];
  try {
    for (const [n, [what, begin]] of Object.entries(works).entries()) {
      const schema = `counted_${n}`;
      const store = await openPostgres({ url, schema });
      const { call, close } = begin(store);
      try {
        const counts = await perCall(told, call);
        const wal = await walPerCall(pool, store, call, { calls: often(300) });
        const walOfMany = await walPerCall(pool, store, call, { calls: often(2000), callers: crowd });
        columns.push([
          what,
          ...["statements", "round trips", "transactions", "wire"].map((kind) => figure(counts[kind as keyof Wire])),
          figure(wal),
          figure(walOfMany),
        ]);
        const calls = often(300) * 3 + often(2000) * 3 + 65;
        await store.audit.head();
        for (const { name, rows, copied } of await tableSizes(pool, schema)) {
          if (rows / calls > 0.1) grown.push([what, name, figure(rows / calls), figure(copied / rows)]);
        }
        if (what === "a keyed write") {
          grown.push([what, "operations, their outcome forgotten", "1.00", figure(await forgottenSize(pool, schema))]);
        }
      } finally {
        await close();
      }
    }
  } finally {
    await pool.end();
  }
  return {
    bars: [],
    tables: [
      {
        title: "Counted costs",
        note: "One caller, one call after another: callers at the same time share statements, round trips and transactions. A round trip: something is sent while nothing is under way on a connection. Bytes on the wire are both ways; those of the write-ahead log have the sealing of audit rows, and no images of whole pages, which each page needs once after a checkpoint.",
        columns: [
          "",
          "statements",
          "round trips",
          "transactions",
          "bytes on the wire",
          "bytes of WAL",
          `the same, ${crowd} callers`,
        ],
        rows: columns,
      },
      {
        title: "What a call leaves",
        note: `Rows after thousands of calls in one session, for each call, and the bytes of a row, with indexes, in a new copy of the table. A session remembers its last calls alone, so its calls don't grow.`,
        columns: ["", "table", "rows per call", "bytes per row"],
        words: [1],
        rows: grown,
      },
    ],
  };
}

/** The least of some rounds: now and then something else has its turn, as the sealing of audit rows. */
async function perCall(told: () => Wire, call: () => Promise<unknown>): Promise<Wire> {
  for (let n = 0; n < 20; n += 1) await call();
  const found: Wire[] = [];
  for (let round = 0; round < 9; round += 1) {
    const before = told();
    for (let n = 0; n < 5; n += 1) await call();
    const after = told();
    const kinds = Object.keys(after) as (keyof Wire)[];
    found.push(Object.fromEntries(kinds.map((kind) => [kind, (after[kind] - before[kind]) / 5])) as unknown as Wire);
  }
  const least = (kind: keyof Wire): number => Math.min(...found.map((one) => one[kind]));
  return {
    statements: least("statements"),
    "round trips": least("round trips"),
    transactions: least("transactions"),
    wire: least("wire"),
  };
}
