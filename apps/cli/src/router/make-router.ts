import { setTimeout as sleep } from "node:timers/promises";
import type { Toolkit } from "@toolglot/toolkit";
import {
  type AnyCapability,
  bearerToken,
  type CheckpointSigner,
  capabilityOf,
  createRouter,
  type Principal,
  type Router,
} from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import type { OpenedModule } from "../modules/load-module.ts";
import { localAgent, localOperator, type RouterEnvironment } from "./environment.ts";
import { sameToken } from "./operator-token.ts";

/** What a router is made of. */
export interface RouterSetup {
  modules: readonly OpenedModule[];
  /** All tools, those of the modules among them. */
  toolkit: Toolkit;
  store: RouterStore;
  environment?: Pick<RouterEnvironment, "approvalSecret" | "baseSleepMs">;
  /** Signs checkpoints of the audit log. Default: none are written. */
  signer?: CheckpointSigner | undefined;
}

/** Creates a router over tools. It also works on a store that keeps nothing; the command line says so at its start. */
export function makeRouter({ modules, toolkit, store, environment, signer }: RouterSetup): Router {
  const { approvalSecret, baseSleepMs = 0 } = environment ?? {};
  const policy = modules.find((one) => one.policy)?.policy;
  return createRouter({
    store,
    capabilities: capabilitiesOf(modules, toolkit, baseSleepMs),
    ...(policy && { policy: policy() }),
    allowVolatile: true,
    ...(signer && { checkpoints: { signer } }),
    ...(approvalSecret !== undefined && { approvalSecrets: [approvalSecret] }),
  });
}

/** Returns what modules say that a router offers; of all other tools, each as a capability. */
function capabilitiesOf(modules: readonly OpenedModule[], toolkit: Toolkit, baseSleepMs: number): AnyCapability[] {
  const own = modules.filter(({ capabilities }) => capabilities);
  const names = new Set(own.flatMap(({ tools }) => tools.map(({ name }) => name)));
  const others = toolkit.tools().filter(({ name }) => !names.has(name));
  const all = [
    ...own.flatMap(({ capabilities }) => capabilities?.() ?? []),
    ...others.map((tool) =>
      capabilityOf(tool, { capId: `cap.own.${tool.name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, "_")}.v1` }),
    ),
  ];
  if (baseSleepMs === 0) return all;
  // A call that is stopped meanwhile does nothing.
  return all.map((capability) => ({
    ...capability,
    async execute(args, context) {
      await sleep(baseSleepMs, undefined, { signal: context.signal });
      return await capability.execute?.(args, context);
    },
  }));
}

/**
 * Returns the principal of an `Authorization` header. Without tokens, every caller without the operator's token is the local agent;
 * with tokens, a caller without one of them has no principal.
 */
export function identify(
  tokens: RouterEnvironment["tokens"],
  operatorToken: string | undefined,
): (authorization: string | undefined) => Principal | undefined {
  if (tokens) return (authorization) => tokens(bearerToken(authorization));
  return (authorization) => {
    const token = bearerToken(authorization);
    const operator = token !== undefined && operatorToken !== undefined && sameToken(token, operatorToken);
    return operator ? localOperator : localAgent;
  };
}
