import { createHash, randomBytes } from "node:crypto";
import { type ServerType, serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { onTestFinished } from "vitest";

/** How an authorization server of a test behaves; a test may change it at any time. */
export interface Behaviour {
  /** What its metadata says besides; undefined takes a member away. */
  metadata: Record<string, unknown>;
  /** What its answers have as `iss`; undefined: nothing. */
  iss: string | undefined;
  /** Seconds that access tokens last, the first one and those after it. */
  firstLifeS: number;
  laterLifeS: number;
  /** Whether a refresh token is given. */
  renews: boolean;
  /** What `/token` and `/revoke` answer instead of what they should. */
  tokenFault: { status: number; body: string } | undefined;
  /** Redirects `/token` there. */
  movedTo: string | undefined;
  /** Whether it lets the person in. */
  refuses: boolean;
  /** Answers of `/token` that come before the device's tokens. */
  devicePending: string[];
  /** How long it takes to renew. */
  slowMs: number;
  takesDocuments: boolean;
}

interface Grant {
  user: string;
  clientId: string;
  resource: string;
  scope: string;
  family: string;
}

/** An authorization server on this machine: RFC 6749 with PKCE, 7009, 7591, 8414, 8628, 9207; refresh tokens are used once. */
export interface AuthorizationServer {
  issuer: string;
  behaviour: Behaviour;
  /** All that came to `/token`, without secrets left out: a test looks for them elsewhere. */
  tokenRequests: Record<string, string>[];
  registrations: Record<string, unknown>[];
  /** Registered clients by id, with their redirection addresses. */
  clients: Map<string, { redirects: string[]; secret?: string }>;
  /** Every token, code and secret that it ever gave out. */
  secrets: Set<string>;
  /** Whose an access token is, and for which resource; undefined when it is not good. */
  check(accessToken: string): Grant | undefined;
  /** Access tokens end now; refresh tokens stay good. */
  expireAccess(): void;
  /** Refresh tokens end, too. */
  expireAll(): void;
  /** The person says yes to the device's code. */
  allowDevice(user: string): void;
}

export async function authorizationServer(): Promise<AuthorizationServer> {
  const behaviour: Behaviour = {
    metadata: {},
    iss: undefined,
    firstLifeS: 3600,
    laterLifeS: 3600,
    renews: true,
    tokenFault: undefined,
    movedTo: undefined,
    refuses: false,
    devicePending: [],
    slowMs: 0,
    takesDocuments: false,
  };
  const codes = new Map<string, Grant & { challenge: string; redirectUri: string }>();
  const access = new Map<string, Grant & { until: number }>();
  const refresh = new Map<string, Grant & { isUsed: boolean }>();
  const devices = new Map<string, Omit<Grant, "user"> & { user?: string }>();
  const state: Omit<AuthorizationServer, "issuer"> = {
    behaviour,
    tokenRequests: [],
    registrations: [],
    clients: new Map(),
    secrets: new Set(),
    check: (token) => {
      const grant = access.get(token);
      return grant !== undefined && grant.until > Date.now() ? grant : undefined;
    },
    expireAccess: () => access.clear(),
    expireAll: () => {
      access.clear();
      refresh.clear();
    },
    allowDevice: (user) => {
      for (const device of devices.values()) device.user = user;
    },
  };
  const fresh = (kind: string): string => {
    const made = `${kind}-${randomBytes(24).toString("base64url")}`;
    state.secrets.add(made);
    return made;
  };
  const issue = (grant: Grant, lifeS: number): object => {
    const token = fresh("access");
    access.set(token, { ...grant, until: Date.now() + lifeS * 1000 });
    const again = behaviour.renews ? fresh("refresh") : undefined;
    if (again !== undefined) refresh.set(again, { ...grant, isUsed: false });
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: lifeS,
      scope: grant.scope,
      ...(again !== undefined && { refresh_token: again }),
    };
  };
  const app = new Hono();
  let issuer = "";
  const metadata = (): object => ({
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/revoke`,
    device_authorization_endpoint: `${issuer}/device`,
    response_types_supported: ["code"],
    code_challenge_methods_supported: ["plain", "S256"],
    token_endpoint_auth_methods_supported: ["none", "client_secret_basic", "client_secret_post"],
    client_id_metadata_document_supported: behaviour.takesDocuments,
    ...behaviour.metadata,
  });
  app.get("/.well-known/oauth-authorization-server", (context) => context.json(metadata()));
  app.post("/register", async (context) => {
    const asked = (await context.req.json()) as Record<string, unknown>;
    state.registrations.push(asked);
    const id = `client-${randomBytes(8).toString("hex")}`;
    const secret = asked.token_endpoint_auth_method === "none" ? undefined : fresh("secret");
    state.clients.set(id, { redirects: asked.redirect_uris as string[], ...(secret !== undefined && { secret }) });
    return context.json({ ...asked, client_id: id, ...(secret !== undefined && { client_secret: secret }) }, 201);
  });
  app.get("/authorize", (context) => {
    const asked = (name: string): string => context.req.query(name) ?? "";
    const client = state.clients.get(asked("client_id"));
    const isDocument = behaviour.takesDocuments && asked("client_id").startsWith("https://");
    const redirectUri = asked("redirect_uri");
    if (!isDocument && client?.redirects.includes(redirectUri) !== true) return context.text("unknown client", 400);
    if (asked("code_challenge_method") !== "S256" || asked("code_challenge") === "" || asked("resource") === "") {
      return context.text("no challenge, or no resource", 400);
    }
    const back = new URL(redirectUri);
    back.searchParams.set("state", asked("state"));
    if (behaviour.iss !== undefined) back.searchParams.set("iss", behaviour.iss);
    if (behaviour.refuses) back.searchParams.set("error", "access_denied");
    else {
      const code = fresh("code");
      codes.set(code, {
        user: context.req.header("x-test-user") ?? "somebody",
        clientId: asked("client_id"),
        resource: asked("resource"),
        scope: asked("scope"),
        family: randomBytes(4).toString("hex"),
        challenge: asked("code_challenge"),
        redirectUri,
      });
      back.searchParams.set("code", code);
    }
    return context.redirect(back.href);
  });

  /** Who asks, when they prove it. */
  function clientOf(context: Context, form: Record<string, string>): string | undefined {
    const basic = /^Basic (.+)$/.exec(context.req.header("authorization") ?? "")?.[1];
    const [id = "", secret] =
      basic === undefined
        ? [form.client_id, form.client_secret]
        : Buffer.from(basic, "base64").toString("utf8").split(":").map(decodeURIComponent);
    const known = state.clients.get(id);
    if (behaviour.takesDocuments && id.startsWith("https://")) return id;
    return known !== undefined && known.secret === secret ? id : undefined;
  }
  const refuse = (context: Context, error: string, status: 400 | 401 = 400): Response =>
    context.json({ error, error_description: "as the test wants it" }, status);

  app.post("/device", async (context) => {
    const form = (await context.req.parseBody()) as Record<string, string>;
    const clientId = clientOf(context, form);
    if (clientId === undefined) return refuse(context, "invalid_client", 401);
    const code = fresh("device");
    const { resource = "", scope = "" } = form;
    devices.set(code, { clientId, resource, scope, family: randomBytes(4).toString("hex") });
    return context.json({
      device_code: code,
      user_code: "WDJB-MJHT",
      verification_uri: `${issuer}/enter`,
      expires_in: 600,
      interval: 0,
    });
  });
  app.post("/token", async (context) => {
    if (behaviour.movedTo !== undefined) return context.redirect(behaviour.movedTo, 307);
    const form = (await context.req.parseBody()) as Record<string, string>;
    state.tokenRequests.push(form);
    const { tokenFault } = behaviour;
    if (tokenFault !== undefined) {
      const sent = tokenFault.body.replaceAll("{sent}", JSON.stringify(form).replaceAll('"', "'"));
      return new Response(sent, { status: tokenFault.status, headers: { "content-type": "application/json" } });
    }
    const clientId = clientOf(context, form);
    if (clientId === undefined) return refuse(context, "invalid_client", 401);
    if (form.grant_type === "authorization_code") {
      const grant = codes.get(form.code ?? "");
      codes.delete(form.code ?? "");
      const challenge = createHash("sha256")
        .update(form.code_verifier ?? "")
        .digest("base64url");
      const isSame =
        grant?.clientId === clientId && grant.resource === form.resource && grant.redirectUri === form.redirect_uri;
      if (!isSame || grant.challenge !== challenge) return refuse(context, "invalid_grant");
      return context.json(issue(grant, behaviour.firstLifeS));
    }
    if (form.grant_type === "refresh_token") {
      if (behaviour.slowMs > 0) await new Promise((resolve) => setTimeout(resolve, behaviour.slowMs));
      const grant = refresh.get(form.refresh_token ?? "");
      if (grant?.clientId !== clientId || grant.resource !== form.resource) return refuse(context, "invalid_grant");
      if (grant.isUsed) {
        // Somebody has stolen it, or two have renewed: nobody of them gets anything any more.
        for (const tokens of [access, refresh] as Map<string, Grant>[]) {
          for (const [token, { family }] of tokens) if (family === grant.family) tokens.delete(token);
        }
        return refuse(context, "invalid_grant");
      }
      grant.isUsed = true;
      return context.json(issue(grant, behaviour.laterLifeS));
    }
    const pending = behaviour.devicePending.shift();
    if (pending !== undefined) return refuse(context, pending);
    const device = devices.get(form.device_code ?? "");
    if (device?.clientId !== clientId || device.resource !== form.resource) return refuse(context, "invalid_grant");
    if (device.user === undefined) return refuse(context, "authorization_pending");
    devices.delete(form.device_code ?? "");
    return context.json(issue({ ...device, user: device.user }, behaviour.firstLifeS));
  });
  app.post("/revoke", async (context) => {
    const form = (await context.req.parseBody()) as Record<string, string>;
    if (clientOf(context, form) === undefined) return refuse(context, "invalid_client", 401);
    access.delete(form.token ?? "");
    refresh.delete(form.token ?? "");
    return context.body(null, 200);
  });
  issuer = await listening(app);
  return { issuer, ...state };
}

/** Serves an app until the test is over. Resolves with its origin. */
export async function listening(app: { fetch(request: Request): Response | Promise<Response> }): Promise<string> {
  let server: ServerType | undefined;
  const port = await new Promise<number>((resolve) => {
    server = serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, (info) => resolve(info.port));
  });
  onTestFinished(() => {
    if (server !== undefined && "closeAllConnections" in server) server.closeAllConnections();
    return new Promise((resolve) => server?.close(() => resolve()));
  });
  return `http://127.0.0.1:${port}`;
}
