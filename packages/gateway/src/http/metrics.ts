import type { Router } from "@toolglot/trp-core";
import { routerMetrics } from "@toolglot/trp-core/metrics";
import type { Outcome } from "@toolglot/trp-mcp";
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";

/** Different tools that have a label of their own; further ones are counted as `other`. */
const maxTools = 1_000;

/** Upper bounds in seconds, from a call that is answered from memory to one that waits for a person. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300];

/** What a gateway counts besides what its router does. */
export interface GatewayMetrics {
  readonly registry: Registry;
  readonly contentType: string;
  text(): Promise<string>;
  /** A call of a tool has been answered. */
  called(tool: { server: string; tool: string }, outcome: Pick<Outcome, "status" | "code">, seconds: number): void;
  upstream(server: string, isUp: boolean): void;
  restarted(server: string): void;
  /** What is counted when somebody looks: sessions of clients, and webhook events that wait. */
  gauges(read: { sessions?(): number; webhookPending?(): number | Promise<number> }): void;
  /** Counts the router no more. */
  close(): void;
}

/**
 * Creates the metrics of a gateway: those of its router (`routerMetrics`), of the process, and its own, which have the labels
 * `server` and `tool`. No label holds a principal, an argument or an id. Each call makes a registry of its own.
 */
export function createGatewayMetrics(router: Router, options: { tenants?: readonly string[] } = {}): GatewayMetrics {
  const registry = new Registry();
  const ofRouter = routerMetrics(router, { registry, ...options });
  collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const calls = new Counter({
    ...{ name: "toolglot_gateway_calls_total", help: "Calls of tools by how they ended", registers },
    labelNames: ["server", "tool", "status", "code"],
  });
  const times = new Histogram({
    ...{ name: "toolglot_gateway_call_duration_seconds", help: "From a call to its answer", registers, buckets },
    labelNames: ["server", "tool"],
  });
  const up = new Gauge({
    ...{ name: "toolglot_gateway_upstream_up", help: "Whether a server can be called", registers },
    labelNames: ["server"],
  });
  const restarts = new Counter({
    ...{ name: "toolglot_gateway_upstream_restarts_total", help: "Starts of a server after its first", registers },
    labelNames: ["server"],
  });
  const known = new Set<string>();
  const labels = ({ server, tool }: { server: string; tool: string }): { server: string; tool: string } => {
    const name = `${server}\0${tool}`;
    if (known.has(name)) return { server, tool };
    if (known.size >= maxTools) return { server: "other", tool: "other" };
    known.add(name);
    return { server, tool };
  };
  return {
    registry,
    contentType: registry.contentType,
    text: () => registry.metrics(),
    called(tool, { status, code = "" }, seconds) {
      const of = labels(tool);
      calls.inc({ ...of, status, code });
      times.observe(of, seconds);
    },
    upstream: (server, isUp) => up.set({ server }, isUp ? 1 : 0),
    restarted: (server) => restarts.inc({ server }),
    gauges({ sessions, webhookPending }) {
      const gauge = (name: string, help: string, read: () => number | Promise<number>): void => {
        const one: Gauge = new Gauge({ name, help, registers, collect: async () => one.set(await read()) });
      };
      if (sessions) gauge("toolglot_gateway_sessions", "Sessions of clients", sessions);
      if (webhookPending)
        gauge("toolglot_gateway_webhook_pending", "Events that the webhook waits for", webhookPending);
    },
    close: () => ofRouter.close(),
  };
}
