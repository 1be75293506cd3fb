import { openPostgres } from "@toolglot/postgres";
import { type PostgresServer, startPostgres } from "../../../../scripts/lib/postgres-server.mjs";
import type { Bundled } from "../../../trp-core/test/chaos/bundle.ts";
import type { Stage } from "../../../trp-core/test/chaos/cast.ts";
import type { Unrest } from "../../../trp-core/test/chaos/unrest.ts";
import { holdingLocks, restarting, terminating } from "./unrest.ts";

/** What a router process is told to open. */
export type Opened = Parameters<typeof openPostgres>[0];

/** Routers on a database; `unrest`: what breaks beside them. */
export function stageOn(scripts: Pick<Bundled, "path">, options: Opened, unrest: Unrest[]): Stage {
  return { scripts, store: JSON.stringify(options), open: (text) => openPostgres(JSON.parse(text)), unrest };
}

/** All that breaks in a database that is one server: backends, locks, and the server itself every `restartMs`. */
export function allUnrest(server: PostgresServer, schema: string, restartMs: number): Unrest[] {
  return [terminating(server.url), holdingLocks(server.url, schema), restarting(server, restartMs)];
}

/** Does something with a server of its own. */
export async function withServer<T>(act: (server: PostgresServer) => Promise<T>): Promise<T> {
  const server = await startPostgres();
  try {
    return await act(server);
  } finally {
    await server.remove();
  }
}
