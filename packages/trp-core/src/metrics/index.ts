/** Prometheus metrics of a router, through `prom-client`. */

export { type RouterMetrics, type RouterMetricsOptions, routerMetrics } from "./router-metrics.ts";
