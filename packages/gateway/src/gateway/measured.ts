import type { Router } from "@toolglot/trp-core";
import type { ImportedServer, ToolAnswer, ToolCall, ToolCallContext, ToolCalls } from "@toolglot/trp-mcp";
import type { GatewayMetrics } from "../http/metrics.ts";

/** What is measured of a gateway. */
export interface MeasuredParts {
  router: Router;
  calls: ToolCalls;
  servers(): readonly ImportedServer[];
  /** What is read whenever somebody looks. */
  gauges: Parameters<GatewayMetrics["gauges"]>[0];
}

/** Calls that are counted from the moment on from which somebody can read the counts. */
export interface Measured {
  calls: ToolCalls;
  /** Begins to count. */
  metrics(): Promise<Pick<GatewayMetrics, "contentType" | "text">>;
  close(): void;
}

/** Counts calls of tools and the states of servers. */
export function measured({ router, calls, servers, gauges }: MeasuredParts): Measured {
  let metrics: GatewayMetrics | undefined;
  const restarts = new Map<string, number>();
  const call = async (given: ToolCall, context: ToolCallContext): Promise<ToolAnswer> => {
    const began = performance.now();
    const answer = await calls.call(given, context);
    metrics?.called(given.tool, answer.outcome, (performance.now() - began) / 1000);
    return answer;
  };
  const text = async (all: GatewayMetrics): Promise<string> => {
    for (const server of servers()) {
      const state = server.state();
      all.upstream(server.name, state.up);
      for (let counted = restarts.get(server.name) ?? 0; counted < state.restarts; counted++)
        all.restarted(server.name);
      restarts.set(server.name, state.restarts);
    }
    return all.text();
  };
  return {
    calls: {
      ...calls,
      call: (given, context) => (metrics === undefined ? calls.call(given, context) : call(given, context)),
    },
    async metrics() {
      // A client that starts the gateway over stdio has no use for it.
      const { createGatewayMetrics } = await import("../http/metrics.ts");
      if (metrics === undefined) {
        metrics = createGatewayMetrics(router);
        metrics.gauges(gauges);
      }
      const all = metrics;
      return { contentType: all.contentType, text: () => text(all) };
    },
    close: () => metrics?.close(),
  };
}
