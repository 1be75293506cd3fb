import { setTimeout as pause } from "node:timers/promises";
import { Client } from "pg";
import type { PostgresServer } from "../../../../scripts/lib/postgres-server.mjs";
import type { Unrest } from "../../../trp-core/test/chaos/unrest.ts";

// What breaks in a database while routers work on it. Each has a connection of its own, which it spares, and which may break too.

const name = "unrest";
const between = (from: number, to: number): number => from + Math.random() * (to - from);

/** Does something again and again on a connection, and on another one when that broke. */
function again(url: string, what: string, act: (client: Client) => Promise<unknown>): Unrest {
  return async (isOver) => {
    let count = 0;
    while (!isOver()) {
      const client = new Client({ connectionString: url, application_name: name });
      client.on("error", () => {});
      try {
        await client.connect();
        while (!isOver()) {
          await act(client);
          count += 1;
        }
      } catch {
        await pause(100);
      } finally {
        await client.end().catch(() => {});
      }
    }
    return { [what]: count };
  };
}

/** Terminates a backend of a router, any of them, every 50 to 300 ms. */
export function terminating(url: string): Unrest {
  const sql = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND application_name <> '${name}' AND datname = current_database()
    ORDER BY random() LIMIT 1`;
  return again(url, "terminated", async (client) => {
    await pause(between(50, 300));
    await client.query(sql);
  });
}

/** Holds the locks of some sessions and of some operations that are under way, for a second. */
export function holdingLocks(url: string, schema: string): Unrest {
  return again(url, "locks held", async (client) => {
    await client.query("BEGIN");
    await client.query(`SELECT 1 FROM "${schema}".sessions ORDER BY random() LIMIT 1 FOR UPDATE`);
    const open = `SELECT 1 FROM "${schema}".operations WHERE state IN ('claimed', 'started') ORDER BY fence LIMIT 3 FOR UPDATE`;
    await client.query(open);
    await client.query("SELECT pg_sleep(1)");
    await client.query("COMMIT");
    await pause(between(100, 500));
  });
}

/** Crashes the server every so many milliseconds. */
export function restarting({ restart }: Pick<PostgresServer, "restart">, everyMs: number): Unrest {
  return async (isOver) => {
    let restarts = 0;
    for (let next = performance.now() + everyMs; !isOver(); await pause(50)) {
      if (performance.now() < next) continue;
      await restart("immediate");
      restarts += 1;
      next = performance.now() + everyMs;
    }
    return { restarts };
  };
}
