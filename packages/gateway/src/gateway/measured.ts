import type { Router } from "@toolglot/trp-core";
import type { ImportedServer, ToolAnswer, ToolCall, ToolCallContext, ToolCalls } from "@toolglot/trp-mcp";
import { createGatewayMetrics, type GatewayMetrics } from "../http/metrics.ts";

/** Calls that are counted, and the counts. */
export interface Measured {
  calls: ToolCalls;
  metrics: Pick<GatewayMetrics, "contentType" | "text">;
  /** What is read whenever somebody looks. */
  readonly gauges: GatewayMetrics["gauges"];
  close(): void;
}

/** Counts calls of tools and the states of servers. */
export function measured(router: Router, calls: ToolCalls, servers: () => readonly ImportedServer[]): Measured {
  const metrics = createGatewayMetrics(router);
  const restarts = new Map<string, number>();
  const call = async (given: ToolCall, context: ToolCallContext): Promise<ToolAnswer> => {
    const began = performance.now();
    const answer = await calls.call(given, context);
    metrics.called(given.tool, answer.outcome, (performance.now() - began) / 1000);
    return answer;
  };
  const text = async (): Promise<string> => {
    for (const server of servers()) {
      const state = server.state();
      metrics.upstream(server.name, state.up);
      for (let counted = restarts.get(server.name) ?? 0; counted < state.restarts; counted++)
        metrics.restarted(server.name);
      restarts.set(server.name, state.restarts);
    }
    return metrics.text();
  };
  return {
    calls: { ...calls, call },
    metrics: { contentType: metrics.contentType, text },
    gauges: (read) => metrics.gauges(read),
    close: () => metrics.close(),
  };
}
