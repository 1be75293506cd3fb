import { ToolglotError } from "@toolglot/core";
import { checkKeys } from "@toolglot/internal";
import { Registry } from "prom-client";
import type { MetricsPage } from "../http/types.ts";
import type { Principal } from "../identity/types.ts";
import type { Router } from "../router/types.ts";
import { Counters } from "./counters.ts";
import { createGauges } from "./gauges.ts";

/** Options of {@link routerMetrics}. */
export interface RouterMetricsOptions {
  /** Where the metrics are, of `prom-client`. Default: one of their own. Those of several routers in one add up. */
  registry?: Registry;
  /** Who may read `GET /metrics`. Default: principals with the role `metrics`. */
  mayRead?: (who: Principal) => boolean;
  /** Whose waiting approvals are counted (`trp_approvals_pending`). Default: `default`, the tenant of principals without one. */
  tenants?: readonly string[];
}

/** The metrics of a router: for servers (option `metrics`), or as text. */
export interface RouterMetrics extends Required<MetricsPage> {
  /** The one that was given, or its own. */
  readonly registry: Registry;
  /** Returns all of the registry, in the text format of Prometheus. */
  text(): Promise<string>;
  /** Counts no more of the router. What was counted stays in the registry. */
  close(): void;
}

/**
 * Prometheus metrics of a router, through `prom-client`: the events of the TRP v0.1 draft (14.2) as counters, how long frames, calls
 * and capabilities take, what waits for people, what the store could not do. `serveHttp(router, { metrics })` shows them at `GET
 * /metrics`. No label holds a session, a principal, a key or an argument, and every label has few values: the `cap_id` of a capability
 * that is not registered is `unknown`.
 *
 * Throws `TypeError` for options that can't be, and the error of `prom-client` when the registry has a metric of the same name.
 *
 * @example
 * ```ts
 * const server = await serveHttp(router, { authenticate, metrics: routerMetrics(router) });
 * ```
 */
export function routerMetrics(router: Router, options: RouterMetricsOptions = {}): RouterMetrics {
  if (typeof router?.subscribe !== "function") throw new TypeError("router must be a Router, as createRouter makes it");
  checkKeys("routerMetrics", options, "registry:object mayRead:function tenants:string[]");
  const { registry = new Registry(), mayRead = hasMetricsRole, tenants = ["default"] } = options;
  if (typeof registry?.metrics !== "function") throw new TypeError("registry must be a Registry of prom-client");
  if (typeof mayRead !== "function") throw new TypeError("mayRead must be a function of (who)");
  if (!(Array.isArray(tenants) && tenants.every((tenant) => typeof tenant === "string"))) {
    throw new TypeError("tenants must be a list of names");
  }
  const shared = sharedOf(registry);
  const leave = shared.join(router, tenants);
  return {
    registry,
    get contentType(): string {
      return registry.contentType;
    },
    text: () => registry.metrics(),
    mayRead,
    refused: (code) => shared.counters.refused(code),
    connections: shared.connections,
    close: leave,
  };
}

function hasMetricsRole({ roles }: Principal): boolean {
  return roles.includes("metrics");
}

/** The metrics in one registry, of all its routers. */
interface Shared {
  readonly counters: Counters;
  join(router: Router, tenants: readonly string[]): () => void;
  connections: RouterMetrics["connections"];
}

const known = new WeakMap<Registry, Shared>();

function sharedOf(registry: Registry): Shared {
  const before = known.get(registry);
  // They are gone from a registry that was cleared.
  if (before !== undefined && registry.getSingleMetric("trp_frames_total") !== undefined) return before;
  const made = makeShared(registry);
  known.set(registry, made);
  return made;
}

function makeShared(registry: Registry): Shared {
  // One that is there twice is counted once.
  const joined = new Map<Router, { members: Set<{ tenants: readonly string[] }>; unsubscribe: () => void }>();
  const open = new Set<{ transport: string; count: () => number }>();
  const before = new Set(registry.getMetricsAsArray().map(({ name }) => name));
  try {
    const counters = new Counters(registry);
    createGauges(registry, {
      routers: () =>
        [...joined].map(([router, { members }]) => ({ router, tenants: [...members].flatMap((one) => one.tenants) })),
      connections() {
        const sums = new Map<string, number>();
        for (const { transport, count } of open) sums.set(transport, (sums.get(transport) ?? 0) + count());
        return sums;
      },
      storeFailed(operation, error) {
        counters.storeFailed(operation, ToolglotError.isInstance(error) ? error.code : "trp/store-failed");
      },
    });
    return {
      counters,
      join(router, tenants) {
        const member = { tenants };
        const one = joined.get(router) ?? {
          members: new Set(),
          unsubscribe: router.subscribe((event) => counters.note(router, event)),
        };
        joined.set(router, one);
        one.members.add(member);
        return () => {
          if (!one.members.delete(member) || one.members.size > 0) return;
          one.unsubscribe();
          joined.delete(router);
        };
      },
      connections(transport, count) {
        const entry = { transport, count };
        open.add(entry);
        return () => void open.delete(entry);
      },
    };
  } catch (error) {
    // Half of them are of no use to anybody.
    for (const { name } of registry.getMetricsAsArray()) if (!before.has(name)) registry.removeSingleMetric(name);
    throw error;
  }
}
