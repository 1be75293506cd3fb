import type { RouterStore } from "@toolglot/trp-core/store";
import { seenTools } from "@toolglot/trp-mcp";

/** Returns the tool behind a capability, by the names that its owner knows. */
export type NameTool = (capId: string) => { server: string; tool: string; title?: string } | undefined;

/** What can be read from the id of a capability when nobody knows the tool any more. */
export const toolFromId: NameTool = (capId) => {
  const [, server, tool] = /^cap\.mcp\.([^.]+)\.(.+)\.v\d+$/.exec(capId) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
};

/**
 * Reads the names of servers' tools as gateways on a store have seen them, also when none runs. What was not seen, as with `pin: "off"`, is
 * named as far as the capability's id says. Rejects when the store does.
 */
export async function nameTools(store: Pick<RouterStore, "blobs">, servers: readonly string[]): Promise<NameTool> {
  const known = new Map<string, { server: string; tool: string }>();
  for (const server of servers) {
    for (const [capId, tool] of await seenTools(store, server)) known.set(capId, { server, tool });
  }
  return (capId) => known.get(capId) ?? toolFromId(capId);
}
