import { ToolglotError } from "@toolglot/core";
import {
  createFetchHandler,
  createRouter,
  defaultPolicy,
  MemoryStore,
  type PolicyDecision,
  type PolicyEngine,
  principal,
  type Router,
  type RouterOptions,
} from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import { capabilityOf, Ledger } from "../capabilities.ts";
import type { RouterSetup, RouterUnderTest, TrpImplementation } from "../router-under-test.ts";
import type { PolicyData, PrincipalData } from "../vector.ts";

/** When every vector begins: 2025-10-09 in UTC. */
const start = 1_760_000_000_000;

/** Where a vector's data are. Whoever opens them again has the same, as another process would. */
interface Place {
  open(options: { now: () => number }): Promise<RouterStore>;
  /** Closes what was opened, and lets go of the data. */
  remove(): Promise<void>;
}

/** `@toolglot/trp-core` on a store: a router that takes over opens it anew. */
export function toolglotOn({ name, newPlace }: { name: string; newPlace(): Place }): TrpImplementation {
  return { name: `@toolglot/trp-core on ${name}`, open: (setup) => openRouter(setup, newPlace()) };
}

/** `@toolglot/trp-core` in memory. */
export const toolglot: TrpImplementation = toolglotOn({
  name: "memory",
  newPlace() {
    let store: MemoryStore | undefined;
    return {
      open: async (options) => (store ??= new MemoryStore(options)),
      remove: async () => store?.close(),
    };
  },
});

async function openRouter(setup: RouterSetup, place: Place): Promise<RouterUnderTest> {
  let now = start;
  const clock = () => now;
  let store = await place.open({ now: clock });
  const ledger = new Ledger();
  let options: RouterOptions = {
    capabilities: setup.capabilities.map((data) => capabilityOf(data, ledger)),
    allowVolatile: setup.allow_volatile ?? true,
    ...(setup.approval_secrets ? { approvalSecrets: setup.approval_secrets } : {}),
    ...(setup.pending_approvals === undefined ? {} : { pendingApprovals: setup.pending_approvals }),
    ...(setup.strict_epoch === undefined ? {} : { strictEpoch: setup.strict_epoch }),
    ...(setup.result_budget === undefined ? {} : { maxResultTokens: setup.result_budget }),
    limits: camelCase(setup.limits ?? {}),
    // Nothing happens by itself: the clock stands still unless a vector moves it.
    times: { recoverEveryMs: 0, pruneEveryMs: 0, ...camelCase(setup.times ?? {}, "Ms") },
  };
  const policy = () => (setup.policy ? withRules(setup.policy) : defaultPolicy());
  const open = (): Router => createRouter({ ...options, store, policy: policy() });
  let router = open();
  const routers = [router];
  const principals = new Map(Object.entries(setup.principals).map(([name, data]) => [name, principalOf(data)]));
  return {
    handle: (frame, who) => router.handle(frame, { principal: principalOf(who) }),
    async post({ body, bearer, method, contentType }) {
      const handler = createFetchHandler(router, {
        authenticate: (authorization) => principals.get(authorization?.replace(/^Bearer /, "") ?? ""),
      });
      const headers: Record<string, string> = { "content-type": contentType };
      if (bearer !== null) headers.authorization = `Bearer ${bearer}`;
      const response = await handler(
        new Request("http://router.test/trp/frame", { method, headers, ...(method === "POST" ? { body } : {}) }),
      );
      const text = await response.text();
      return { status: response.status, body: JSON.parse(text === "" ? "null" : text) };
    },
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    executions: (capId) => ledger.count(capId),
    release: (capId) => ledger.release(capId),
    register(capabilities) {
      router.registry.register(...capabilities.map((data) => capabilityOf(data, ledger)));
      options = {
        ...options,
        capabilities: [...(options.capabilities ?? []), ...capabilities.map((data) => capabilityOf(data, ledger))],
      };
    },
    unregister(capId) {
      router.registry.unregister(capId);
      options = { ...options, capabilities: (options.capabilities ?? []).filter((one) => one.capId !== capId) };
    },
    decide: (who, decision, id) => codeOf("trp/approval-", router.approvals[decision](principalOf(who), id)),
    async approvals(who) {
      const list = await router.approvals.list(principalOf(who));
      return list.map((one) => ({
        approval_id: one.id,
        cap_id: one.capId,
        args: one.args,
        fingerprint: one.fingerprint,
        requester: one.requester,
        status: one.status,
        expires_at_ms: one.expiresAt,
      }));
    },
    async inDoubt(who) {
      return (await router.operations.inDoubt(principalOf(who))).map(({ scope, key }) => ({ scope, key }));
    },
    resolve: (who, operation, to, value) =>
      codeOf(
        "trp/",
        router.operations.resolve(
          principalOf(who),
          { scope: operation.scope, key: operation.key },
          to === "done"
            ? { state: to, value: value as never }
            : to === "failed"
              ? { state: to, message: String(value) }
              : { state: to },
        ),
      ),
    async crash() {
      store = await place.open({ now: clock });
      router = open();
      routers.push(router);
    },
    async recover() {
      await router.recover();
    },
    async close() {
      ledger.releaseAll();
      await Promise.all(routers.map((one) => one.close({ graceMs: 0 })));
      await place.remove();
    },
  };
}

function principalOf({ id, tenant, roles, can_delete }: PrincipalData): ReturnType<typeof principal> {
  return principal({
    id,
    ...(tenant === undefined ? {} : { tenant }),
    ...(roles === undefined ? {} : { roles }),
    ...(can_delete === undefined ? {} : { canDelete: can_delete }),
  });
}

function withRules(rules: PolicyData[]): PolicyEngine {
  const fallback = defaultPolicy();
  const calls = new Map<PolicyData, number>();
  return {
    version: "vector",
    evaluate(input): PolicyDecision | Promise<PolicyDecision> {
      for (const rule of rules) {
        if (rule.cap_id !== input.capability.capId) continue;
        if (rule.phase !== undefined && rule.phase !== input.phase) continue;
        if (rule.after_calls !== undefined) {
          const count = (calls.get(rule) ?? 0) + (input.phase === "admission" ? 1 : 0);
          calls.set(rule, count);
          if (count <= rule.after_calls || input.phase !== "admission") continue;
        }
        return {
          decision: rule.decision,
          rule: "vector",
          reason: rule.reason,
          ...(rule.retry_after_ms === undefined ? {} : { retryAfterMs: rule.retry_after_ms }),
        };
      }
      return fallback.evaluate(input);
    },
  };
}

async function codeOf(prefix: string, done: Promise<unknown>): Promise<string> {
  try {
    await done;
    return "ok";
  } catch (error) {
    if (!ToolglotError.isInstance(error)) throw error;
    return error.code.replace(prefix, "").replace("trp/", "");
  }
}

function camelCase(fields: Record<string, number>, unit = ""): Record<string, number> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()) + unit,
      value,
    ]),
  );
}
