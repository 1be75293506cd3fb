import type { Principal } from "../identity/types.ts";
import { errorReply, jsonHeaders } from "./messages.ts";
import type { HttpReply, MetricsPage } from "./types.ts";

/** Creates the error for what is no page. */
export const metricsCure = { metrics: "routerMetrics() of @toolglot/trp-core/metrics makes it." } as const;

/** Replies with the page, or with 403 to a principal who may not read it. Never rejects. */
export async function metricsReply(page: MetricsPage, who: Principal): Promise<HttpReply> {
  try {
    if (page.mayRead(who) !== true) return errorReply(403, "forbidden", "This caller may not read the metrics.");
    const body = await page.text();
    return { status: 200, headers: { ...jsonHeaders, "content-type": page.contentType }, body };
  } catch {
    return errorReply(500, "internal", "The metrics could not be collected.");
  }
}
