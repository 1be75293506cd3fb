import { bearerToken, type CheckpointSigner, createRouter, type Principal, type Router } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { demoCapabilities } from "../capabilities/index.ts";
import { demoPolicy } from "../capabilities/policy.ts";
import type { DemoStore } from "../data/store.ts";
import { localAgent, localOperator, type RouterEnvironment } from "./environment.ts";
import { sameToken } from "./operator-token.ts";

/** What a router of the demo is made of. */
export interface RouterSetup {
  data: DemoStore;
  store: RouterStore;
  environment?: Pick<RouterEnvironment, "approvalSecret" | "baseSleepMs">;
  /** Signs checkpoints of the audit log. Default: none are written. */
  signer?: CheckpointSigner | undefined;
}

/** A router over the demo's data. It also works on a store that keeps nothing; the demo says so at its start. */
export function makeRouter({ data, store, environment, signer }: RouterSetup): Router {
  const { approvalSecret, baseSleepMs = 0 } = environment ?? {};
  return createRouter({
    store,
    capabilities: demoCapabilities(data, { baseSleepMs }),
    policy: demoPolicy(),
    allowVolatile: true,
    ...(signer && { checkpoints: { signer } }),
    ...(approvalSecret !== undefined && { approvalSecrets: [approvalSecret] }),
  });
}

/**
 * The principal of an `Authorization` header. Without tokens, every caller without the operator's token is the local agent;
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
