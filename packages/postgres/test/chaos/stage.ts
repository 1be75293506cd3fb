import { openPostgres } from "@toolglot/postgres";
import { type PostgresServer, startPostgres } from "../../../../scripts/lib/postgres-server.mjs";
import type { Bundled } from "../../../trp-core/test/chaos/bundle.ts";
import type { Stage } from "../../../trp-core/test/chaos/cast.ts";
import type { Unrest } from "../../../trp-core/test/chaos/unrest.ts";
import type { Broken } from "./points.ts";
import { holdingLocks, restarting, terminating } from "./unrest.ts";

type Options = Parameters<typeof openPostgres>[0];

/** What a router process opens, and how its commits fare: the argument of `processes/router.ts`. */
export interface Opened {
  options: Options;
  /** So many of its commits end in a broken connection. */
  ambiguous?: number;
  /** Where it fails, once. */
  broken?: Broken;
}

/** Of a hundred commits, so many end in a broken connection. */
const ambiguous = 0.02;

/** Routers on a database; `unrest`: what breaks beside them. */
export function stageOn(
  scripts: Pick<Bundled, "path">,
  options: Options,
  unrest: Unrest[],
  share: number = ambiguous,
): Stage {
  const opened: Opened = { options, ambiguous: share };
  return { scripts, store: JSON.stringify(opened), open: () => openPostgres(options), unrest };
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
