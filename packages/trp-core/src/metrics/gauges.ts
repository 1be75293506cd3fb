import { settleWithin, unsettled } from "@toolglot/internal";
import { Gauge, type Registry } from "prom-client";
import type { Router } from "../router/types.ts";
import type { RouterStore } from "../store/types.ts";

/** What is asked for whenever the metrics are read. */
export interface GaugeSources {
  routers(): readonly { router: Router; tenants: readonly string[] }[];
  /** Of servers, by transport. */
  connections(): ReadonlyMap<string, number>;
  storeFailed(operation: string, error: unknown): void;
}

type Samples = [labels: Record<string, string>, value: number][];

/** No more records than this are counted. */
const mostCounted = 1_000;
/** What takes longer is left out. Milliseconds. */
const patienceMs = 2_000;

/** Throws when the registry has a metric of one of the names already. */
export function createGauges(registry: Registry, sources: GaugeSources): void {
  const gauge = (name: string, help: string, labelNames: string[], read: () => Samples | Promise<Samples>): void => {
    new Gauge({
      name: `trp_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        // When all have left, nobody knows.
        const samples = sources.routers().length === 0 ? [] : await read();
        // All at once: the metrics may be read twice at the same time.
        this.reset();
        // Without labels it is 0 after that; what could not be found out is not 0.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of samples) this.set(labels, value);
      },
    });
  };
  /** Two routers on one store see the same. */
  const stores = (): Map<RouterStore, Set<string>> => {
    const found = new Map<RouterStore, Set<string>>();
    for (const { router, tenants } of sources.routers()) {
      found.set(router.store, new Set([...(found.get(router.store) ?? []), ...tenants]));
    }
    return found;
  };
  /** How many; undefined when the store does not say. */
  const count = async (operation: string, list: () => Promise<readonly unknown[]>): Promise<number | undefined> => {
    try {
      const found = await settleWithin(list(), { ms: patienceMs });
      if (found !== unsettled) return found.length;
      sources.storeFailed(operation, undefined);
    } catch (error) {
      sources.storeFailed(operation, error);
    }
    return undefined;
  };
  const load = (name: "running" | "waiting", help: string): void =>
    gauge(`calls_${name}`, help, [], () => {
      return [[{}, sources.routers().reduce((sum, { router }) => sum + router.load()[name], 0)]];
    });

  load("running", "Calls that run now");
  load("waiting", "Calls that wait for a place");
  gauge("connections", "Open connections", ["transport"], () =>
    [...sources.connections()].map(([transport, open]) => [{ transport }, open]),
  );
  gauge("ready", "1 when every router can serve", [], async () => {
    const whys = sources.routers().map(({ router }) => settleWithin(router.ready(), { ms: patienceMs }));
    const isReady = (await Promise.all(whys)).every((why) => why === undefined);
    return [[{}, isReady ? 1 : 0]];
  });
  gauge("operations_in_doubt", `Operations that a person must settle, ${mostCounted} at most`, [], async () => {
    let sum = 0;
    for (const { operations } of stores().keys()) {
      const filter = { states: ["in-doubt" as const], scopePrefix: '["trp",', limit: mostCounted };
      const found = await count("operations.list", () => operations.list(filter));
      if (found === undefined) return [];
      sum += found;
    }
    return [[{}, sum]];
  });
  const help = `Requests for approval that wait, ${mostCounted} at most of each tenant`;
  gauge("approvals_pending", help, ["tenant"], async () => {
    const sums = new Map<string, number>();
    for (const [{ approvals }, tenants] of stores()) {
      for (const tenant of tenants) {
        const filter = { tenant, status: "pending" as const, limit: mostCounted };
        const found = await count("approvals.list", () => approvals.list(filter));
        if (found !== undefined) sums.set(tenant, (sums.get(tenant) ?? 0) + found);
      }
    }
    return [...sums].map(([tenant, sum]) => [{ tenant }, sum]);
  });
}
