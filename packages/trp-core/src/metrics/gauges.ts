import { settleWithin, unsettled } from "@toolglot/internal";
import { Gauge, type Registry } from "prom-client";
import type { Router } from "../router/types.ts";
import type { RouterStore } from "../store/types.ts";

/** Where the gauges get their values whenever the metrics are read. */
export interface GaugeSources {
  routers(): readonly { router: Router; tenants: readonly string[] }[];
  /** The number of open connections by transport, for example `ws`. */
  connections(): ReadonlyMap<string, number>;
  storeFailed(operation: string, error: unknown): void;
}

type Samples = [labels: Record<string, string>, value: number][];

/** Counting stops at this many records. */
const maxCounted = 1_000;
/** A gauge whose query takes longer than this is left out. Milliseconds. */
const patienceMs = 2_000;

/** Registers the gauges. Throws when the registry already has a metric of one of these names. */
export function createGauges(registry: Registry, sources: GaugeSources): void {
  const gauge = (name: string, help: string, labelNames: string[], read: () => Samples | Promise<Samples>): void => {
    new Gauge({
      name: `trp_${name}`,
      help,
      labelNames,
      registers: [registry],
      async collect() {
        // After the last router has left there is no value to report.
        const samples = sources.routers().length === 0 ? [] : await read();
        // No `await` from here on, because the metrics may be read twice at the same time.
        this.reset();
        // `reset` sets a gauge without labels to 0. An unknown value must not be shown as 0.
        if (labelNames.length === 0) this.remove();
        for (const [labels, value] of samples) this.set(labels, value);
      },
    });
  };
  /** The different stores of the routers: two routers on one store must not count its records twice. */
  const stores = (): Map<RouterStore, Set<string>> => {
    const found = new Map<RouterStore, Set<string>>();
    for (const { router, tenants } of sources.routers()) {
      found.set(router.store, new Set([...(found.get(router.store) ?? []), ...tenants]));
    }
    return found;
  };
  /** The number of records; undefined when the store fails or does not answer in time. */
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
  gauge("operations_in_doubt", `Operations that a person must settle, ${maxCounted} at most`, [], async () => {
    let sum = 0;
    for (const { operations } of stores().keys()) {
      const filter = { states: ["in-doubt" as const], scopePrefix: '["trp",', limit: maxCounted };
      const found = await count("operations.list", () => operations.list(filter));
      if (found === undefined) return [];
      sum += found;
    }
    return [[{}, sum]];
  });
  const help = `Requests for approval that wait, ${maxCounted} at most of each tenant`;
  gauge("approvals_pending", help, ["tenant"], async () => {
    const sums = new Map<string, number>();
    for (const [{ approvals }, tenants] of stores()) {
      for (const tenant of tenants) {
        const filter = { tenant, status: "pending" as const, limit: maxCounted };
        const found = await count("approvals.list", () => approvals.list(filter));
        if (found !== undefined) sums.set(tenant, (sums.get(tenant) ?? 0) + found);
      }
    }
    return [...sums].map(([tenant, sum]) => [{ tenant }, sum]);
  });
}
