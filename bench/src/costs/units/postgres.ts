import { randomUUID } from "node:crypto";
import { openPostgres } from "@toolglot/postgres";
import { walPerCall, works } from "../../postgres/counted.ts";
import { openPool } from "../../postgres/pg.ts";
import { countWire } from "../../postgres/wire.ts";
import type { Unit } from "../meter.ts";

/** One caller, one call after another, each on a schema of its own; on the server that {@link guardCosts} has started. */
export const units = (): Unit[] =>
  Object.entries(works).map(([what, begin]) => ({
    name: `${what}, on PostgreSQL`,
    async ready() {
      const url = process.env.TOOLGLOT_POSTGRES_URL;
      if (!url) throw new TypeError("no TOOLGLOT_POSTGRES_URL");
      const schema = `costs_${randomUUID().replaceAll("-", "")}`;
      const pool = openPool(url, 1);
      const counts = countWire();
      const store = await openPostgres({ url, schema });
      const { call, close } = begin(store);
      return {
        once: call,
        isElsewhere: true,
        counts: () => ({ ...counts() }),
        figures: async () => ({ WAL: await walPerCall(pool, store, call, { calls: 100 }) }),
        async close() {
          await close();
          await pool.query(`drop schema "${schema}" cascade`);
          await pool.end();
        },
      };
    },
  }));
