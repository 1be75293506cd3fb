import { scratchFolder } from "@toolglot/internal/testing/scratch";
import { createRouter, defineCapability, type Principal, principal, type Router } from "@toolglot/trp-core";
import type { ResponseFrame } from "@toolglot/trp-core/frames";
import { onTestFinished } from "vitest";
import { storeUnderTest } from "../../trp-core/test/store-kinds.ts";
import type { Authenticator } from "../src/identity/authenticator.ts";
import { createAuthenticator } from "../src/identity/authenticator.ts";
import { openTokens, type Tokens } from "../src/identity/tokens.ts";
import { createSecretMask, type SecretMask } from "../src/secrets/mask.ts";

/** A router with two capabilities, tokens in a file, and who may do what. */
export interface Rig {
  router: Router;
  tokens: Tokens;
  auth: Authenticator;
  mask: SecretMask;
  /** Arguments of the refunds that were made. */
  refunds: object[];
  /** Header values. */
  agent: string;
  approver: string;
  agentPrincipal: Principal;
  /** Calls a capability as the agent. */
  call(args: object, options?: { capId?: string; who?: Principal; key?: string }): Promise<ResponseFrame>;
  /** Calls it, and returns the id of the request for approval that it waits for. */
  ask(args: object): Promise<string>;
}

export const secret = "sk-live-0123456789";

const refund = "cap.mcp.shop.refund.v1";
const lost = "cap.mcp.shop.lost.v1";

/** `given`: a router of another making, instead of one on the store. */
export async function rig(
  store?: NonNullable<Parameters<typeof createRouter>[0]>["store"],
  given?: Router,
): Promise<Rig> {
  const refunds: object[] = [];
  const router = given ?? createRouter({ store: store ?? (await storeUnderTest()), allowVolatile: true, outbox: true });
  router.registry.register(
    defineCapability({
      capId: refund,
      name: "refund",
      description: "Pays an order back.",
      riskTier: "HIGH",
      ioClass: "WRITE",
      effect: "opaque",
      args: { order: "string - Which order", "note?": "string - Why" },
      execute: (args) => ({ paid: refunds.push(args) }),
    }),
    defineCapability({
      capId: lost,
      name: "lost",
      description: "Its answer never comes.",
      riskTier: "MEDIUM",
      ioClass: "WRITE",
      effect: "opaque",
      args: { order: "string - Which order" },
      execute: () => {
        throw new Error("the connection was lost");
      },
    }),
  );
  const tokens = await openTokens((await scratchFolder()).at("tokens.json"), { watchMs: 20 });
  const auth = await createAuthenticator({ tokens });
  const mask = createSecretMask([["SHOP_KEY", secret]]);
  onTestFinished(async () => {
    tokens.close();
    await router.close({ graceMs: 0 });
  });
  const agentPrincipal = principal({ id: "agent-7" });
  const agent = `Bearer ${(await tokens.add({ principal: "agent-7" })).token}`;
  const approver = `Bearer ${(await tokens.add({ principal: "ada", roles: ["approver"] })).token}`;
  let count = 0;
  const call: Rig["call"] = async (args, { capId = refund, who = agentPrincipal, key } = {}) => {
    const base = {
      trp_version: "0.1",
      trace_id: "t1",
      timestamp_ms: 0,
      session_id: null,
      catalog_epoch: null,
      seq: null,
    };
    const id = `${count++}`;
    const payload = { agent_id: "test", supported_versions: ["0.1"] };
    const hello = await router.handle(
      { ...base, frame_type: "HELLO_REQ", frame_id: `h${id}`, payload },
      { principal: who },
    );
    const { session_id, catalog_epoch } = hello;
    return router.handle(
      {
        ...base,
        ...{ frame_type: "CALL_REQ", frame_id: `f${id}`, session_id, catalog_epoch, seq: 1 },
        payload: {
          call_id: `c${id}`,
          idempotency_key: key ?? `k${id}`,
          idx: [refund, lost].indexOf(capId),
          cap_id: capId,
          timeout_ms: 5_000,
          args,
        },
      },
      { principal: who },
    );
  };
  return {
    ...{ router, tokens, auth, mask, refunds, agent, approver, agentPrincipal, call },
    async ask(args) {
      await call(args);
      const [newest] = await router.approvals.list(agentPrincipal, { status: "pending" });
      if (newest === undefined) throw new Error("no request for approval was made");
      return newest.id;
    },
  };
}

export { lost };
