import type { MiddlewareHandler } from "hono";
import type { HostCheck } from "./hosts.ts";
import { refuse } from "./replies.ts";
import type { HostEnv } from "./types.ts";

/** Refuses what a page of another site, or a proxy that reads the head in another way, could send. Before anybody is identified. */
export function checkHead(hosts: HostCheck): MiddlewareHandler<HostEnv> {
  return async (context, next) => {
    const rawHeaders = context.env?.incoming?.rawHeaders ?? [];
    if (isTwice(rawHeaders, "host") || isTwice(rawHeaders, "authorization")) {
      return refuse(context, 400, "bad-request", "Send one Host and one Authorization header.");
    }
    const host = context.req.header("host") ?? new URL(context.req.url).host;
    if (!hosts.isHost(host)) {
      const message = "This host name is not served here. Name it in gateway.listen.allowedHosts, or set publicUrl.";
      return refuse(context, 403, "forbidden", message);
    }
    if (!hosts.isOrigin(context.req.header("origin"), host)) {
      const message = "Pages of this origin may not call. Name it in gateway.listen.allowedOrigins.";
      return refuse(context, 403, "forbidden", message);
    }
    if (hasToken(new URL(context.req.url).searchParams)) {
      const message =
        "A token in the address ends up in logs. Send it in the Authorization header, and revoke this one.";
      return refuse(context, 400, "token-in-query", message);
    }
    return next();
  };
}

/** Node takes the first of two (RFC 9112, 3.2); something in front of it may have gone by the other. */
function isTwice(rawHeaders: readonly string[], name: string): boolean {
  let count = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) if (rawHeaders[at]?.toLowerCase() === name) count++;
  return count > 1;
}

/** RFC 6750, 2.3 has the parameter; a token is none under any other name either. */
function hasToken(query: URLSearchParams): boolean {
  if (query.has("access_token")) return true;
  return [...query.values()].some((value) => /tg1_[a-z2-7]{8}_/.test(value));
}
