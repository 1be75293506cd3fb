import { openPostgres } from "@toolglot/postgres";
import { inProcessTransport } from "@toolglot/trp-client";
import { createRouter, principal } from "@toolglot/trp-core";
import { askedCalls } from "../measure.ts";
import { atMost, type Findings, figure, type Run } from "../report.ts";
import { calling } from "../trp/clients.ts";
import { writeCapability } from "../trp/work.ts";
import { openPool } from "./pg.ts";
import { startServer } from "./server.ts";
import { type TableSize, tableSizes } from "./sizes.ts";

const schema = "bloat";
const callers = 16;
/** A client says hello anew after so many calls: sessions come and go too. */
const callsPerSession = 500;
/** How long the server may be behind with dead rows: what is kept lives many times longer, as it does with a day and the usual minute. */
const settings = { autovacuum_naptime: "3s", autovacuum_vacuum_cost_delay: "0" };
const keptMs = 45_000;
/** How often the rows are counted meanwhile: what is pruned leaves room, so a table is compared with the time when it had most. */
const samples = 12;

/**
 * Measures how much larger the tables are than what is in them, after many keyed calls whose records were kept for a while and then pruned.
 */
export async function measureBloat({ root, progress }: Run): Promise<Findings> {
  const calls = askedCalls(2_000);
  const server = await startServer(root, settings);
  const pool = openPool(server.url, 2);
  try {
    const store = await openPostgres({ url: server.url, schema });
    const times = {
      keyTtlMs: keptMs,
      keyMemoryMs: 1000,
      auditTtlMs: keptMs,
      sessionTtlMs: 2 * keptMs,
      pruneEveryMs: 3_000,
    };
    const router = createRouter({ store, capabilities: [writeCapability], times, checkpoints: { everyMs: 3_000 } });
    const begun = performance.now();
    let count = 0;
    const most = new Map<string, TableSize>();
    const sample = async (): Promise<void> => {
      for (const size of await tableSizes(pool, schema)) {
        const { rows, copied } = most.get(size.name) ?? size;
        most.set(size.name, { ...size, rows: Math.max(rows, size.rows), copied: Math.max(copied, size.copied) });
      }
    };
    const call = async (): Promise<void> => {
      while (count < calls) {
        const client = calling("bloat", inProcessTransport(router, principal({ id: "bench" })), writeCapability);
        for (let n = 0; n < callsPerSession && count < calls; n += 1) {
          const place = ++count;
          await client.call();
          if (place % Math.ceil(calls / samples) !== 0) continue;
          progress(`${place} calls`);
          await sample();
        }
        await client.close();
      }
    };
    await Promise.all(Array.from({ length: callers }, call));
    const seconds = (performance.now() - begun) / 1000;
    await sample();
    await router.close();
    await store.close();
    return findings([...most.values()], calls, seconds);
  } finally {
    await pool.end();
    await server.remove();
  }
}

function findings(all: readonly TableSize[], calls: number, seconds: number): Findings {
  const sum = (of: (table: TableSize) => number): number => all.reduce((total, table) => total + of(table), 0);
  const ratio = sum(({ bytes }) => bytes) / sum(({ copied }) => copied);
  const mb = (bytes: number): string => `${figure(bytes / 1e6)} MB`;
  return {
    bars: [
      atMost(
        `size of all tables and indexes beside copies of their rows when there were most, after ${figure(calls)} keyed calls`,
        ratio,
        2,
        "×",
      ),
    ],
    tables: [
      {
        title: "Bloat",
        note: `${figure(calls)} keyed calls by ${callers} callers in ${figure(seconds)} s, with records kept for ${keptMs / 1000} s, then pruned every 3 s; autovacuum looks every 3 s. As with a day, and the usual minute, what is dead for the moment is little beside what lives.`,
        columns: ["", "rows at most", "size", "size of a copy then", "ratio"],
        rows: all
          .filter(({ bytes }) => bytes > 200_000)
          .map(({ name, rows, bytes, copied }) => [
            name,
            figure(rows),
            mb(bytes),
            mb(copied),
            `${figure(bytes / copied)}×`,
          ]),
      },
    ],
  };
}
