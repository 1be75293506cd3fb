import type { Principal } from "@toolglot/trp-core";
import type { ImportedServer, ServerView } from "./types.ts";

/** Returns servers as a principal has them. */
export function viewsFor(principal: Principal, servers: readonly ImportedServer[]): ServerView[] {
  return servers.map((server) => server.views?.of(principal) ?? server);
}
