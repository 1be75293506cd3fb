import { getConnInfo } from "@hono/node-server/conninfo";
import { ToolglotError } from "@toolglot/core";
import { createFetchHandler, type Router } from "@toolglot/trp-core";
import { type Context, Hono, type MiddlewareHandler } from "hono";
import { cors } from "hono/cors";
import type { Authenticator } from "../identity/authenticator.ts";
import type { ApprovalsPage } from "../page/approvals-page.tsx";
import type { SecretMask } from "../secrets/mask.ts";
import { checkHead } from "./guards.ts";
import { type HostRules, hostCheck, hostName, isLoopback } from "./hosts.ts";
import { mcpRoute } from "./mcp-route.ts";
import { type Readiness, readinessOf } from "./readiness.ts";
import { refuse, refuseRpc } from "./replies.ts";
import type { HostEnv, McpGate, ReadinessCheck } from "./types.ts";

/** What a gateway's HTTP side is made of. */
export interface HttpAppOptions {
  mcp: McpGate;
  auth: Authenticator;
  router: Router;
  mask: SecretMask;
  /** `path`: of the MCP server, default `/mcp`. */
  listen: HostRules & { path?: string };
  /** The text of `GET /metrics`. `open`: callers on this machine need no token; others need one with the role `metrics`. */
  metrics?: { contentType: string; text(): Promise<string>; open?: boolean };
  /** What else a server needs to be ready, besides the store and the file of tokens. */
  readiness?: () => readonly ReadinessCheck[] | Promise<readonly ReadinessCheck[]>;
  /** The page for people, mounted at `/approvals`. */
  page?: Pick<ApprovalsPage, "routes" | "close">;
  /** Where people log in at servers, mounted at `/connect`. */
  connect?: Hono<HostEnv>;
  /** Gets a line about an error that no answer shows. */
  log?(line: string): void;
}

/** The HTTP side of a gateway, for any server that takes `(Request) => Response`. */
export interface HttpApp {
  fetch(request: Request, bindings?: HostEnv["Bindings"]): Promise<Response>;
  /** Serves on, while `/readyz` says that it will soon be gone, and each answer is the last on its connection. */
  drain(): void;
  /** Refuses new requests with 503, `/readyz` too, and ends the streams of the page. */
  close(): void;
}

/**
 * Creates the HTTP side of a gateway: the MCP path, `/trp/approvals…` and `/trp/operations…`, `/approvals`, `/healthz`,
 * `/readyz`, `/metrics` and `/.well-known/oauth-protected-resource`. `Host` and `Origin` are checked before anybody is
 * identified. Throws `TypeError` for a path that can't be.
 */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { mcp, auth, router, mask, listen, metrics, page, connect, readiness = () => [], log = () => {} } = options;
  const { path = "/mcp" } = listen;
  if (!/^(?:\/[\w.~-]+)+$/.test(path)) throw new TypeError(`listen.path must be a path as /mcp, not ${path}`);
  const hosts = hostCheck(listen);
  const app = new Hono<HostEnv>();
  let going: "draining" | "shutting down" | undefined;

  const originOf = ({ req }: Context): string =>
    listen.publicUrl === undefined ? new URL(req.url).origin : new URL(listen.publicUrl).origin;
  const identify: MiddlewareHandler<HostEnv> = async (context, next) => {
    const who = await auth.authenticate(context.req.header("authorization"));
    if (who === undefined) {
      const metadata = `${originOf(context)}/.well-known/oauth-protected-resource${path}`;
      context.header("www-authenticate", `Bearer resource_metadata="${metadata}"`);
      const message = "Send a valid token: Authorization: Bearer tg1_…";
      return context.req.path === path
        ? refuseRpc(context, 401, -32000, message)
        : refuse(context, 401, "unauthenticated", message);
    }
    context.set("identity", who);
    return next();
  };

  app.onError((error, context) => {
    log(mask.mask(`${context.req.method} ${context.req.path}: ${error.stack ?? error.message}`));
    // The message may name files.
    return ToolglotError.isInstance(error)
      ? refuse(context, 503, "unavailable", "The server can't answer at the moment; its log says why.")
      : refuse(context, 500, "internal", "Something went wrong in the server.");
  });
  app.notFound((context) => refuse(context, 404, "not-found", "There is nothing at this path."));
  app.use(async (context, next) => {
    await next();
    // The next request finds another gateway, or this one's successor.
    if (going !== undefined) context.header("connection", "close");
  });
  app.get("/healthz", (context) => context.json({ status: "ok" }, 200, { "cache-control": "no-store" }));
  app.use(checkHead(hosts));

  const check = readinessOf(router, async () => {
    const fault = auth.fault();
    return [{ name: "tokens", ok: fault === undefined, ...(fault && { message: fault }) }, ...(await readiness())];
  });
  app.get("/readyz", async (context) => {
    const { ready, checks } = going === undefined ? await check() : leaving(going);
    const failed = checks.find(({ ok }) => !ok);
    const reason = failed && (failed.message ?? failed.name);
    const body = { ready, status: ready ? "ready" : "unready", ...(reason && { reason }), checks };
    return context.json(mask.maskData(body), ready ? 200 : 503, { "cache-control": "no-store" });
  });
  app.use(async (context, next) => {
    if (going === "shutting down") {
      return refuse(context, 503, "closing", "The server is shutting down.");
    }
    return next();
  });

  const metadata = (context: Context): Response =>
    context.json({
      resource: `${originOf(context)}${path}`,
      ...(auth.issuer !== undefined && { authorization_servers: [auth.issuer] }),
      bearer_methods_supported: ["header"],
    });
  app.get("/.well-known/oauth-protected-resource", metadata);
  app.get(`/.well-known/oauth-protected-resource${path}`, metadata);

  if (metrics !== undefined) {
    app.get("/metrics", async (context) => {
      if (!(metrics.open === true && isLocal(context))) {
        const refused = await identify(context, async () => {});
        if (refused) return refused;
        if (!context.get("identity").principal.roles.includes("metrics")) {
          return refuse(context, 403, "forbidden", "The metrics need a token with the role metrics.");
        }
      }
      const text = mask.mask(await metrics.text());
      return context.text(text, 200, { "content-type": metrics.contentType, "cache-control": "no-store" });
    });
  }

  const trp = createFetchHandler(router, {
    authenticate: async (authorization) => (await auth.authenticate(authorization))?.principal,
    allowedOrigins: [...listen.allowedOrigins, ...(listen.publicUrl ? [new URL(listen.publicUrl).origin] : [])],
  });
  for (const known of ["/trp/approvals", "/trp/approvals/*", "/trp/operations/*"]) {
    app.all(known, identify, async ({ req }) => masked(await trp(req.raw), mask));
  }

  app.use(
    path,
    cors({
      // Those that may not call were refused before.
      origin: (origin) => origin,
      allowMethods: ["GET", "POST", "DELETE"],
      exposeHeaders: ["mcp-session-id", "mcp-protocol-version", "www-authenticate"],
      maxAge: 600,
    }),
  );
  app.all(path, identify, mcpRoute(mcp));
  if (page !== undefined) app.route("/approvals", page.routes);
  if (connect !== undefined) app.route("/connect", connect);

  return {
    fetch: async (request, bindings = {}) => app.fetch(request, bindings),
    drain() {
      going ??= "draining";
    },
    close() {
      going = "shutting down";
      page?.close();
    },
  };
}

function leaving(message: string): Readiness {
  return { ready: false, checks: [{ name: "gateway", ok: false, message }] };
}

/** Whether nobody but this machine sends it. What a proxy on this machine passes on has another name for the host. */
function isLocal(context: Context<HostEnv>): boolean {
  if (context.env.incoming === undefined) return false;
  const { address } = getConnInfo(context).remote;
  const isForwarded = ["forwarded", "x-forwarded-for", "x-forwarded-host", "via"].some((name) =>
    context.req.header(name),
  );
  const host = hostName(context.req.header("host"));
  return address !== undefined && isLoopback(address) && host !== undefined && isLoopback(host) && !isForwarded;
}

/** The arguments of a request for approval may hold what was filled in from a secret. */
async function masked(response: Response, mask: SecretMask): Promise<Response> {
  if (!response.headers.get("content-type")?.startsWith("application/json")) return response;
  const text = await response.text();
  const body = text === "" ? text : JSON.stringify(mask.maskData(JSON.parse(text)));
  return new Response(body === "" ? null : body, { status: response.status, headers: response.headers });
}
