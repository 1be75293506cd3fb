import { randomBytes } from "node:crypto";
import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import { checkKeys, nearest } from "@toolglot/internal";
import type { Principal } from "@toolglot/trp-core";
import type { Hono } from "hono";
import type { HostEnv } from "../http/types.ts";
import { authProvider, watchScopes } from "./auth-provider.ts";
import { type ConnectTool, connectTool } from "./connect/connect-tool.ts";
import type { ConnectOptions } from "./connect/routes.ts";
import { createSeals, type Seals } from "./connect/seals.ts";
import { loginError, loginFault } from "./errors.ts";
import type { GatewayLogins, UpstreamLoginsOptions } from "./logins-api.ts";
import { finishCodeFlow, type StartedLogin, startCodeFlow } from "./oauth/code-flow.ts";
import { deviceFlow } from "./oauth/device-flow.ts";
import { discover } from "./oauth/discover.ts";
import { revoke } from "./oauth/revoke.ts";
import { safeFetch } from "./oauth/safe-fetch.ts";
import { infoOf, type LoginKey, type LoginRecord, LoginStore } from "./store/login-store.ts";
import { Tokens } from "./tokens.ts";
import type { LoginInfo, LoginOptions, LoginPrincipal, LoginServer, LogoutResult } from "./types.ts";

/** A link to log in may lie in a chat for a while. */
const linkMs = 86_400_000;

/**
 * Creates the logins of a gateway at MCP servers behind URLs.
 *
 * @example
 * ```ts
 * const logins = createUpstreamLogins({ stateDir, servers: [{ name: "tracker", url: "https://mcp.tracker.example/mcp" }] });
 * await logins.login("tracker", { onPrompt: ({ url }) => console.log(`Open ${url}`) });
 * const client = createMcpClient({
 *   name: "tracker",
 *   transport: { type: "http", url: "https://mcp.tracker.example/mcp", authProvider: logins.authProviderOf("tracker"), fetch: logins.fetchOf("tracker") },
 * });
 * ```
 */
export function createUpstreamLogins(options: UpstreamLoginsOptions): GatewayLogins {
  checkKeys(
    "createUpstreamLogins",
    options,
    "stateDir:text servers:object[] publicUrl:string|function secret:text passphrase:function store:object fetch:function watchMs:size",
    ["stateDir", "servers"],
  );
  return new Logins(options);
}

class Logins implements GatewayLogins {
  readonly #servers: ReadonlyMap<string, LoginServer>;
  readonly #publicUrl: () => string | undefined;
  readonly #fetch: FetchLike;
  readonly #store: LoginStore;
  readonly #tokens: Tokens;
  readonly #seals: Seals;
  readonly #watchMs: number;
  readonly #tools = new Map<string, ConnectTool>();
  readonly #life = new AbortController();
  readonly #listeners = new Set<(server: string, principal?: { tenant: string; id: string }) => void>();
  #known: ReadonlyMap<string, { key: LoginKey; since: number }> = new Map();
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UpstreamLoginsOptions) {
    const { stateDir, servers, publicUrl, secret, passphrase, store } = options;
    const { fetch = globalThis.fetch, watchMs = 1000 } = options;
    this.#servers = new Map(servers.map((server) => [server.name, { ...server, url: new URL(server.url).href }]));
    this.#publicUrl = typeof publicUrl === "function" ? publicUrl : () => publicUrl;
    this.#fetch = fetch;
    this.#store = new LoginStore({ stateDir, ...(store && { store }), ...(passphrase && { passphrase }) });
    this.#tokens = new Tokens(this.#store, fetch, () => void this.#look());
    this.#seals = createSeals(secret ?? randomBytes(32).toString("base64url"));
    this.#watchMs = watchMs;
  }

  async login(name: string, options: LoginOptions): Promise<LoginInfo> {
    const { device = false, principal, signal, timeoutMs = 600_000, onPrompt, openBrowser: opens = true } = options;
    checkKeys(
      "login",
      options,
      "onPrompt:function principal:object device:boolean openBrowser:boolean signal:signal timeoutMs:size",
      ["onPrompt"],
    );
    const server = this.#server(name);
    const key = this.#keyOf(server, principal);
    const limits = [this.#life.signal, AbortSignal.timeout(timeoutMs), signal].filter((one) => one !== undefined);
    const until = AbortSignal.any(limits);
    const fetch = safeFetch(server, this.#fetch, until);
    /** What the caller's own function threw is the caller's to see. */
    let thrown: { error: unknown } | undefined;
    const prompted: LoginOptions["onPrompt"] = (prompt) => {
      try {
        onPrompt(prompt);
      } catch (error) {
        thrown = { error };
        throw error;
      }
    };
    try {
      const store = this.#store;
      const found = await discover(server, fetch, await store.missed(key));
      const asking = { onPrompt: prompted, signal: until };
      if (device) return await this.#keep(key, await deviceFlow(server, found, store, fetch, asking));
      const keep = (record: LoginRecord): Promise<LoginInfo> => this.#keep(key, record);
      const { loginWithBrowser } = await import("./browser-login.ts");
      return await loginWithBrowser({ server, found, store, fetch, opens, keep, ...asking });
    } catch (error) {
      if (thrown !== undefined) throw thrown.error;
      if (!until.aborted) throw loginFault(name, "the login", error);
      const why = signal?.aborted || this.#life.signal.aborted ? "it was given up." : "nobody came in time.";
      throw loginError("gateway/login-cancelled", name, why);
    }
  }

  async logout(name: string, principal?: LoginPrincipal): Promise<LogoutResult> {
    const server = this.#server(name);
    const isAll = principal === undefined;
    const all = [...(await this.#store.logins()).values()].map(({ key }) => key).filter((key) => key.server === name);
    const keys = isAll ? all : [this.#keyOf(server, principal)];
    const results: LogoutResult[] = [];
    for (const key of keys) results.push(await this.#end(key));
    if (isAll) await this.#store.removeBound(name);
    await this.#look();
    const reason = results.find((result) => result.reason !== undefined)?.reason;
    const were = results.filter(({ wasLoggedIn }) => wasLoggedIn);
    return {
      wasLoggedIn: were.length > 0,
      isRevoked: were.length > 0 && were.every(({ isRevoked }) => isRevoked),
      ...(reason !== undefined && { reason }),
    };
  }

  async #end(key: LoginKey): Promise<LogoutResult> {
    return await this.#store.locked(key, async () => {
      const record = await this.#store.read(key);
      if (record === undefined)
        return { wasLoggedIn: await this.#store.remove(key, { missed: true }), isRevoked: false };
      // First of all it is forgotten here: the authorization server may not answer.
      await this.#store.remove(key, { missed: true });
      return {
        wasLoggedIn: true,
        ...(await revoke(key.server, record, safeFetch({ name: key.server, url: record.url }, this.#fetch))),
      };
    });
  }

  async info(name: string, principal?: LoginPrincipal): Promise<LoginInfo | undefined> {
    const server = this.#server(name);
    const key = this.#keyOf(server, principal);
    const record = await this.#store.read(key, server.url);
    return record && infoOf(key, record);
  }

  authProviderOf(name: string, principal?: LoginPrincipal): AuthProvider {
    const server = this.#server(name);
    const isAny = principal === undefined && server.credentials === "caller";
    const own = isAny ? undefined : this.#keyOf(server, principal);
    return authProvider({
      access: async (refused) => {
        const key = own ?? (await this.#firstAt(name));
        return key && (await this.#tokens.access(key, server.url, refused));
      },
      cure: (isOffered) => this.#cure(server, principal, isOffered),
    });
  }

  fetchOf(name: string, principal?: LoginPrincipal): FetchLike {
    const server = this.#server(name);
    if (principal === undefined && server.credentials === "caller") return this.#fetch;
    const key = this.#keyOf(server, principal);
    return watchScopes(this.#fetch, (scope) => this.#store.miss(key, scope), this.#cure(server, principal, true));
  }

  /** The login that has been there the longest: the list of tools does not change with each that comes. */
  async #firstAt(name: string): Promise<LoginKey | undefined> {
    const all = [...(await this.#store.logins()).values()];
    const here = all.filter(({ key }) => key.server === name && key.principal !== undefined);
    return here.sort((one, other) => one.since - other.since)[0]?.key;
  }

  connectTool(name: string): ConnectTool {
    const known = this.#tools.get(name);
    if (known !== undefined) return known;
    const made = connectTool(this.#server(name), {
      info: (principal) => this.info(name, principal),
      link: (principal) => this.connectLink(name, principal),
      login: (options) => this.login(name, options),
    });
    this.#tools.set(name, made);
    return made;
  }

  connectLink(name: string, principal: LoginPrincipal): string | undefined {
    const base = this.#publicUrl();
    if (base === undefined) return undefined;
    const link = `${new URL(base).origin}/connect/${encodeURIComponent(name)}`;
    const { principal: owner } = this.#keyOf(this.#server(name), principal);
    if (owner === undefined) return link;
    const ticket = this.#seals.ticket([name, owner.tenant, owner.id], Date.now() + linkMs);
    return `${link}?for=${encodeURIComponent(ticket)}`;
  }

  async connectRoutes(options: ConnectOptions): Promise<Hono<HostEnv>> {
    checkKeys("connectRoutes", options, "identify:function authenticate:function mayConnectShared:function");
    const flow = {
      seals: this.#seals,
      server: (name: string) => this.#servers.get(name),
      redirectUri: (name: string) => {
        const base = this.#publicUrl();
        if (base === undefined) throw loginError("gateway/login-unsupported", name, "listen.publicUrl is not set.");
        return `${new URL(base).origin}/connect/${encodeURIComponent(name)}/callback`;
      },
      keyOf: (server: LoginServer, principal: Principal) => this.#keyOf(server, principal),
      start: async (server: LoginServer, redirectUri: string, key: LoginKey) => {
        const fetch = safeFetch(server, this.#fetch, this.#life.signal);
        const found = await discover(server, fetch, await this.#store.missed(key));
        return await startCodeFlow(server, found, { redirectUri, place: redirectUri }, this.#store, fetch);
      },
      finish: async (key: LoginKey, started: StartedLogin, answer: URLSearchParams) => {
        const place = { name: key.server, url: started.url };
        const fetch = safeFetch(place, this.#fetch, this.#life.signal);
        await this.#keep(key, await finishCodeFlow(place, started, answer, this.#store, fetch));
      },
    };
    // Who listens needs them, and what they are made of.
    const { connectRoutes } = await import("./connect/routes.ts");
    return connectRoutes(flow, options);
  }

  onChange(listener: (server: string, principal?: { tenant: string; id: string }) => void): () => void {
    const entry: typeof listener = (...change) => listener(...change);
    if (this.#timer === undefined && !this.#life.signal.aborted) {
      this.#looking = this.#store
        .logins()
        .catch(() => this.#known)
        .then((known) => {
          this.#known = known;
        });
      this.#timer = setInterval(() => void this.#look(), this.#watchMs).unref();
    }
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#listeners.clear();
    this.#life.abort(new DOMException("the gateway closes", "AbortError"));
  }

  /** One look at a time, so that every change is reported once. */
  #look(): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      if (this.#listeners.size === 0) return;
      // A file that can't be read changes nothing; whoever needs a login hears of it.
      const known = await this.#store.logins().catch(() => this.#known);
      const before = this.#known;
      this.#known = known;
      const changed = [...known, ...before].filter(([scope]) => known.get(scope)?.since !== before.get(scope)?.since);
      for (const { server, principal } of new Map(changed.map(([scope, { key }]) => [scope, key])).values()) {
        for (const listener of [...this.#listeners]) listener(server, principal);
      }
    });
    return this.#looking;
  }

  /** Under the lock: a renewal of the login before must not come after it. */
  async #keep(key: LoginKey, record: LoginRecord): Promise<LoginInfo> {
    await this.#store.locked(key, () => this.#store.begin(key, record));
    await this.#look();
    return infoOf(key, record);
  }

  #server(name: string): LoginServer {
    const server = this.#servers.get(name);
    if (server !== undefined) return server;
    const [near] = nearest(name, [...this.#servers.keys()]);
    const hint = near === undefined ? "" : ` Did you mean ${JSON.stringify(near)}?`;
    throw loginError("gateway/login-unsupported", name, `no server with a url has this name.${hint}`);
  }

  #keyOf({ name, credentials = "shared" }: LoginServer, principal: LoginPrincipal | undefined): LoginKey {
    if (credentials === "shared") return { server: name };
    if (principal !== undefined) return { server: name, principal: whole(principal) };
    throw new TypeError(`the server ${JSON.stringify(name)} has a login for each principal: say whose`);
  }

  #cure({ name, credentials }: LoginServer, principal: LoginPrincipal | undefined, isOffered: boolean): string {
    const link = credentials === "caller" && principal !== undefined ? this.connectLink(name, principal) : undefined;
    const way = link === undefined ? `run toolglot gateway login ${name}` : `open ${link}`;
    if (isOffered) return `it wants a login: ${way}`;
    return `it answered 401, and does not say where to log in: check the token in its headers. If it has a login, ${way}`;
  }
}

function whole({ tenant = "default", id }: LoginPrincipal): { tenant: string; id: string } {
  return { tenant, id };
}
