import { existsSync } from "node:fs";
import { userInfo } from "node:os";
import { ToolglotError } from "@toolglot/core";
import { auditFieldsOf, type GatewayConfig, nameTools } from "@toolglot/gateway";
import { openStore } from "@toolglot/gateway/store";
import { defined } from "@toolglot/internal";
import { createRouter, type Principal, principal, type Router } from "@toolglot/trp-core";
import { UsageError } from "../cli/usage-error.ts";
import { loadPlaces } from "./config.ts";
import type { GatewayRun } from "./flags.ts";

/** A gateway's store, with a router that runs nothing. */
export interface AtStore {
  router: Router;
  config: GatewayConfig;
  /** The person at this terminal: who can write the store may decide. */
  operator: Principal;
}

/** Works on the store of a gateway, whether that runs or not. Rejects with `ToolglotError` `gateway/store` when there is none. */
export async function onGatewayStore<Value>(run: GatewayRun, work: (at: AtStore) => Promise<Value>): Promise<Value> {
  const config = await loadPlaces(run);
  const { store: setting, postgres, tenant, approvals } = config.settings;
  const { tenant: wanted } = run.flags as { tenant?: string };
  if (setting === "memory") throw new UsageError(run.say.memoryStore);
  const path = /^sqlite:(.+)$/s.exec(setting)?.[1];
  if (path !== undefined && !existsSync(path)) throw new ToolglotError("gateway/store", run.say.noStore(path));
  const store = await openStore(setting, { existing: true, ...defined({ postgres }) });
  const servers = [...config.servers.map(({ name }) => name), ...config.disabled];
  const router = createRouter({
    store,
    auditFields: auditFieldsOf({ tool: await nameTools(store, servers) }),
    times: { recoverEveryMs: 0, pruneEveryMs: 0 },
    // The gateway that runs tells of decisions, whoever makes them.
    outbox: approvals.webhook !== undefined,
  });
  const operator = principal({ id: operatorName(), roles: ["approver"], tenant: wanted ?? tenant });
  try {
    return await work({ router, config, operator });
  } finally {
    await router.close({ graceMs: 0 });
    await store.close();
  }
}

/** Not a name that a caller could have: nobody decides about requests of their own. */
function operatorName(): string {
  try {
    return `terminal:${userInfo().username}`;
  } catch {
    return "terminal";
  }
}
