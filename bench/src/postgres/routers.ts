import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { start } from "../processes.ts";
import type { Peer, window } from "../trp/load.ts";

/** See router-process.ts. */
const script = join(dirname(fileURLToPath(import.meta.url)), "router-process.mjs");

/** What a process says of one window. */
export type Told = Awaited<ReturnType<typeof window>> & { waits: number[] };

/** Routers in processes of their own, each with its share of the callers. */
export interface Routers extends Peer {
  readonly pids: readonly number[];
}

/** Starts a router for each schema: the same name for routers that share everything. */
export async function startRouters(name: string, url: string, schemas: readonly string[]): Promise<Routers> {
  const more = process.argv.filter((one) => one === "--quick");
  const routers = schemas.map((schema) => start([script, url, schema, ...more]));
  await Promise.all(routers.map(({ said }) => said(/^ready$/)));
  return {
    name,
    pids: routers.map(({ pid }) => pid),
    async call() {
      throw new Error(`${name} is called in windows`);
    },
    async window(_, callers, ms, waits) {
      const told = await Promise.all(
        routers.map(({ ask }) => ask(`${callers / routers.length} ${ms}`) as Promise<Told>),
      );
      for (const one of told) waits.push(...one.waits);
      return {
        calls: told.reduce((sum, { calls }) => sum + calls, 0),
        ms: Math.max(...told.map((one) => one.ms)),
      };
    },
    async close() {
      await Promise.all(routers.map(({ end }) => end(true)));
    },
  };
}
