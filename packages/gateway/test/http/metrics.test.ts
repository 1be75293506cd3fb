import { expect, it, onTestFinished } from "vitest";
import { createGatewayMetrics } from "../../src/http/metrics.ts";
import { rig } from "../rig.ts";

it("counts calls by server and tool, bounds the labels, and has the router's metrics too", async () => {
  const { router, ask } = await rig();
  const metrics = createGatewayMetrics(router);
  onTestFinished(() => metrics.close());
  metrics.called({ server: "shop", tool: "refund" }, { status: "pending", code: "TRP_4002" }, 0.2);
  for (let at = 0; at < 1_100; at++) metrics.called({ server: "shop", tool: `t${at}` }, { status: "done" }, 0.2);
  metrics.upstream("shop", true);
  metrics.restarted("shop");
  metrics.gauges({ sessions: () => 3, webhookPending: async () => 2 });
  await ask({ order: "A-1" });
  const text = await metrics.text();
  expect(text).toContain(
    'toolglot_gateway_calls_total{server="shop",tool="refund",status="pending",code="TRP_4002"} 1',
  );
  expect(text).toContain('toolglot_gateway_calls_total{server="other",tool="other",status="done",code=""} 101');
  expect(text).toContain('toolglot_gateway_upstream_up{server="shop"} 1');
  expect(text).toContain("toolglot_gateway_sessions 3");
  expect(text).toContain("toolglot_gateway_webhook_pending 2");
  expect(text).toMatch(/trp_approvals_pending\S* 1/);
  expect(text).toContain("process_cpu_seconds_total");
  expect(text.match(/toolglot_gateway_calls_total\{/g)).toHaveLength(1_001);
  expect(text).not.toContain("agent-7");
});
