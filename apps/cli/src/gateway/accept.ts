import { acceptTools, type GatewaySettings } from "@toolglot/gateway";
import { acceptStore, shownStore } from "@toolglot/gateway/store";
import { defined } from "@toolglot/internal";
import { exitCodes } from "../cli/exit-codes.ts";
import { loadPlaces } from "./config.ts";
import type { GatewayRun } from "./flags.ts";
import { onGatewayStore } from "./on-gateway-store.ts";

/**
 * Accepts a server's tools, or one of them, as they were listed last. `what`: `SERVER` or `SERVER/TOOL`, names as they are; or `store`, where
 * no server is called so: then the store is taken as it is, though it has forgotten something.
 */
export async function accept(run: GatewayRun, what: string): Promise<number> {
  const { settings, servers, disabled } = await loadPlaces(run);
  const isServer = [...servers.map(({ name }) => name), ...disabled].includes(what);
  return what === "store" && !isServer ? acceptTheStore(run, settings) : acceptToolsOf(run, what);
}

async function acceptTheStore(
  { host, say }: GatewayRun,
  { store, postgres }: Pick<GatewaySettings, "store" | "postgres">,
): Promise<number> {
  await acceptStore(store, defined({ postgres }));
  host.stdout.write(`${say.accept.store(shownStore(store))}\n`);
  return exitCodes.answered;
}

function acceptToolsOf(run: GatewayRun, what: string): Promise<number> {
  return onGatewayStore(run, async ({ router, config, operator }) => {
    const names = [...config.servers.map(({ name }) => name), ...config.disabled];
    // A server's name may have a slash in it, and so may a tool's.
    const server = names.find((name) => what === name || what.startsWith(`${name}/`)) ?? what.split("/", 1)[0] ?? "";
    const tool = what === server ? undefined : what.slice(server.length + 1);
    const accepted = await acceptTools(router.store, server, { tool, by: operator.id });
    const { done, none } = run.say.accept;
    run.host.stdout.write(`${accepted.length === 0 ? none(what) : done(accepted)}\n`);
    return exitCodes.answered;
  });
}
