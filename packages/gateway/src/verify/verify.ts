import { isObject } from "@toolglot/internal";
import type { GatewayConfig } from "../config/config-types.ts";
import type { VerifyResult } from "./types.ts";

/**
 * Runs a configuration against servers in this process and stores that are thrown away, and finds out which guarantees hold with it: with
 * the configuration's policy, servers and tools, the gateway's own parts, and eight processes of its own. No server of the configuration is
 * started, and nothing of its state is read or written. Takes some seconds. What can't be checked for a fault is `FAIL`, with the fault.
 * Throws `TypeError` for what is no configuration.
 *
 * @example
 * ```ts
 * const results = await verify(await loadConfig({ files: ["toolglot.json"] }));
 * results.filter(({ state }) => state === "FAIL"); // []
 * ```
 */
export function verify(config: Pick<GatewayConfig, "settings" | "servers">): Promise<VerifyResult[]> {
  if (!isObject(config?.settings) || !Array.isArray(config.servers)) {
    throw new TypeError("verify takes a configuration, as loadConfig returns it");
  }
  return checked(config);
}

/** A gateway that serves has no use for the checks' servers, stores and binding of SQLite: they are loaded here. */
async function checked(config: Pick<GatewayConfig, "settings" | "servers">): Promise<VerifyResult[]> {
  const [{ verifyParts }, { ownParts }] = await Promise.all([import("./checks.ts"), import("./parts.ts")]);
  return verifyParts(config, ownParts);
}
