import { once } from "@toolglot/core/once";
import { openPostgres } from "@toolglot/postgres";
import type { RouterStore } from "@toolglot/trp-core/store";
import { often } from "../measure.ts";
import { type Findings, figure } from "../report.ts";
import { inProcess } from "../trp/clients.ts";
import { readCapability, writeCapability } from "../trp/work.ts";
import { openPool, type Queries } from "./pg.ts";
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

/** Counts of one call. `WAL`: bytes. */
export type Counts = Wire & { WAL: number };

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
  calls: number,
): Promise<number> {
  const found: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    await store.audit.head();
    const before = await walBytes(queries);
    for (let n = 0; n < calls; n += 1) await call();
    await store.audit.head();
    found.push(((await walBytes(queries)) - before) / calls);
  }
  return Math.min(...found);
}

/** What a table has grown by with each call: rows, and bytes with its indexes. */
interface Growth {
  table: string;
  rows: number;
  bytes: number;
}

async function sizes(queries: Queries, schema: string): Promise<Map<string, [rows: number, bytes: number]>> {
  const { rows } = await queries.query(
    `select relname, pg_total_relation_size(c.oid)::text as bytes, (xpath('/row/n/text()',
       query_to_xml(format('select count(*) as n from %I.%I', $1::text, relname), false, true, '')))[1]::text as rows
     from pg_class c join pg_namespace s on s.oid = relnamespace where nspname = $1 and relkind = 'r' order by relname`,
    [schema],
  );
  return new Map(rows.map((row) => [String(row.relname), [Number(row.rows), Number(row.bytes)]]));
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
        const wal = await walPerCall(pool, store, call, often(500));
        columns.push([
          what,
          ...["statements", "round trips", "transactions", "wire"].map((kind) => figure(counts[kind as keyof Wire])),
          figure(wal),
        ]);
        for (const { table, rows, bytes } of await growth(pool, schema, store, call))
          grown.push([what, table, figure(rows), figure(bytes)]);
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
        note: "One caller, one call after another. A round trip: something is sent while nothing is under way on a connection. Bytes on the wire are both ways; those of the write-ahead log have the sealing of audit rows, and no images of whole pages, which each page needs once after a checkpoint.",
        columns: ["", "statements", "round trips", "transactions", "bytes on the wire", "bytes of WAL"],
        rows: columns,
      },
      {
        title: "What a call leaves",
        note: "Rows and bytes by which tables grow, indexes with them, over thousands of calls.",
        columns: ["", "table", "rows per call", "bytes per call"],
        words: [1],
        rows: grown,
      },
    ],
  };
}

/** The least of some rounds: now and then something else has its turn, as the sealing of audit rows. */
export async function perCall(told: () => Wire, call: () => Promise<unknown>): Promise<Wire> {
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

async function growth(
  queries: Queries,
  schema: string,
  store: RouterStore,
  call: () => Promise<unknown>,
): Promise<Growth[]> {
  const calls = often(4000);
  const settled = async () => {
    await store.audit.head();
    for (const table of (await sizes(queries, schema)).keys())
      await queries.query(`vacuum analyze "${schema}"."${table}"`);
    return await sizes(queries, schema);
  };
  const before = await settled();
  for (let n = 0; n < calls; n += 1) await call();
  const after = await settled();
  return [...after]
    .map(([table, [rows, bytes]]) => {
      const [rowsBefore = 0, bytesBefore = 0] = before.get(table) ?? [];
      return { table, rows: (rows - rowsBefore) / calls, bytes: (bytes - bytesBefore) / calls };
    })
    .filter(({ rows, bytes }) => rows > 0.005 || bytes > 1);
}
