import { randomBytes } from "node:crypto";
import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import { checkKeys, nearest, untilAborted } from "@toolglot/internal";
import type { AskPassphrase, SecretStore } from "@toolglot/secrets";
import type { Principal } from "@toolglot/trp-core";
import type { Hono } from "hono";
import type { HostEnv } from "../http/types.ts";
import { authProvider } from "./auth-provider.ts";
import { type ConnectTool, connectTool } from "./connect/connect-tool.ts";
import { type ConnectOptions, connectRoutes } from "./connect/routes.ts";
import { createSeals, type Seals } from "./connect/seals.ts";
import { loginError, loginFault } from "./errors.ts";
import { openLoopback } from "./loopback.ts";
import { checkPkce, finishCodeFlow, isAnswerTo, type StartedLogin, startCodeFlow } from "./oauth/code-flow.ts";
import { deviceFlow } from "./oauth/device-flow.ts";
import { discover } from "./oauth/discover.ts";
import { revoke } from "./oauth/revoke.ts";
import { safeFetch } from "./oauth/safe-fetch.ts";
import { openBrowser } from "./open-browser.ts";
import { infoOf, type LoginKey, type LoginRecord, LoginStore } from "./store/login-store.ts";
import { Tokens } from "./tokens.ts";
import type { LoginInfo, LoginOptions, LoginPrincipal, LoginServer, LogoutResult } from "./types.ts";

/** Options of {@link createUpstreamLogins}. */
export interface UpstreamLoginsOptions {
  /** Where logins are kept, and locks: made for its owner alone. Gateways and commands with one folder share their logins. */
  stateDir: string;
  servers: readonly LoginServer[];
  /** Where people reach the gateway, as `https://tools.example`. Absent: `SERVER__connect` begins a login on this machine. */
  publicUrl?: string | (() => string | undefined);
  /** What links and cookies are sealed with: the same for all gateways behind one address. Default: random, of this process. */
  secret?: string;
  /** Unlocks the file of logins. Default: a key that is made in `stateDir`. */
  passphrase?: AskPassphrase;
  /** Keeps logins in another place than a file in `stateDir`. */
  store?: SecretStore;
  /** Default: the global one. */
  fetch?: FetchLike;
  /** How often it is looked for logins of other processes while somebody listens. Milliseconds. Default 1,000. */
  watchMs?: number;
}

/** Logins of a gateway at its servers. Made by {@link createUpstreamLogins}; faults are `ToolglotError` `gateway/login-…`. */
export interface UpstreamLogins {
  /** Logs in, with a person. */
  login(server: string, options: LoginOptions): Promise<LoginInfo>;
  /** Forgets a login, and has its tokens ended. Without `principal`: all that there are at the server. */
  logout(server: string, principal?: LoginPrincipal): Promise<LogoutResult>;
  /** What is known of a login; undefined when there is none. */
  info(server: string, principal?: LoginPrincipal): Promise<LoginInfo | undefined>;
  /**
   * What an MCP client of the server signs its requests with (`authProvider` of its transport). Tokens are renewed before they end. Asks
   * nobody: without a login, requests that need one fail as `toolkit/mcp-unauthorised`. `principal`: needed with `credentials: "caller"`.
   */
  authProviderOf(server: string, principal?: LoginPrincipal): AuthProvider;
  /** The tool that stands for a server which wants a login. */
  connectTool(server: string): ConnectTool;
  /** Where a principal can log in with a browser: their link, of use to nobody else. Undefined without `publicUrl`. */
  connectLink(server: string, principal: LoginPrincipal): string | undefined;
  /** The routes of these links, to be mounted at `/connect`. */
  connectRoutes(options: ConnectOptions): Hono<HostEnv>;
  /** Calls the listener when a login came, was renewed or is gone, also through another process. Returns what ends it. */
  onChange(listener: (server: string, principal?: { tenant: string; id: string }) => void): () => void;
  /** Gives up logins that wait for a person, and looks for changes no more. */
  close(): void;
}

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
 *   transport: { type: "http", url: "https://mcp.tracker.example/mcp", authProvider: logins.authProviderOf("tracker") },
 * });
 * ```
 */
export function createUpstreamLogins(options: UpstreamLoginsOptions): UpstreamLogins {
  checkKeys(
    "createUpstreamLogins",
    options,
    "stateDir:text servers:list publicUrl:any secret:text passphrase:function store:object fetch:function watchMs:size",
    ["stateDir", "servers"],
  );
  return new Logins(options);
}

class Logins implements UpstreamLogins {
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
  #stamps: ReadonlyMap<string, { key: LoginKey; at: number }> = new Map();
  #looking: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(options: UpstreamLoginsOptions) {
    const {
      stateDir,
      servers,
      publicUrl,
      secret,
      passphrase,
      store,
      fetch = globalThis.fetch,
      watchMs = 1000,
    } = options;
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
    const fetch = safeFetch(name, this.#fetch, until);
    try {
      const found = await discover(server, fetch);
      if (!device) return await this.#withBrowser(key, server, found, fetch, until, { onPrompt, opens });
      return await this.#keep(key, await deviceFlow(server, found, this.#store, fetch, { onPrompt, signal: until }));
    } catch (error) {
      if (!until.aborted) throw loginFault(name, "the login", error);
      const why = signal?.aborted || this.#life.signal.aborted ? "it was given up." : "nobody came in time.";
      throw loginError("gateway/login-cancelled", name, why);
    }
  }

  async #withBrowser(
    key: LoginKey,
    server: LoginServer,
    found: Awaited<ReturnType<typeof discover>>,
    fetch: FetchLike,
    signal: AbortSignal,
    { onPrompt, opens }: { onPrompt: LoginOptions["onPrompt"]; opens: boolean },
  ): Promise<LoginInfo> {
    checkPkce(server.name, found);
    const before = await this.#store.readClient(found.issuer, "loopback");
    const port = before === undefined ? undefined : Number(new URL(before.redirectUri).port);
    const loopback = await openLoopback(server.name, port);
    try {
      const { redirectUri } = loopback;
      const place = { redirectUri, place: "loopback" };
      const { authorizationUrl, started } = await startCodeFlow(server, found, place, this.#store, fetch);
      const finish = async (answer: URLSearchParams): Promise<LoginInfo> =>
        this.#keep(key, await finishCodeFlow(server.name, started, answer, this.#store, fetch));
      const info = loopback.answer((answer) => isAnswerTo(started, answer), finish, signal);
      // It may fail while the browser is opened.
      info.catch(() => {});
      const isOpened = opens && (await untilAborted(openBrowser(authorizationUrl), signal));
      onPrompt({ kind: "browser", url: authorizationUrl, isOpened });
      return await info;
    } finally {
      loopback.close();
    }
  }

  async logout(name: string, principal?: LoginPrincipal): Promise<LogoutResult> {
    const server = this.#server(name);
    const isAll = principal === undefined;
    const all = [...(await this.#store.stamps()).values()].map(({ key }) => key).filter((key) => key.server === name);
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
      if (record === undefined) return { wasLoggedIn: await this.#store.remove(key), isRevoked: false };
      // First of all it is forgotten here: the authorization server may not answer.
      await this.#store.remove(key);
      return { wasLoggedIn: true, ...(await revoke(key.server, record, safeFetch(key.server, this.#fetch))) };
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
    const key = this.#keyOf(server, principal);
    return authProvider({
      access: (refused) => this.#tokens.access(key, server.url, refused),
      cure: () => this.#cure(server, principal),
    });
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
    const { tenant, id } = whole(principal);
    const ticket = this.#seals.ticket([this.#server(name).name, tenant, id], Date.now() + linkMs);
    return `${new URL(base).origin}/connect/${encodeURIComponent(name)}?for=${encodeURIComponent(ticket)}`;
  }

  connectRoutes(options: ConnectOptions): Hono<HostEnv> {
    const flow = {
      seals: this.#seals,
      server: (name: string) => this.#servers.get(name),
      redirectUri: (name: string) => {
        const base = this.#publicUrl();
        if (base === undefined) throw loginError("gateway/login-unsupported", name, "listen.publicUrl is not set.");
        return `${new URL(base).origin}/connect/${encodeURIComponent(name)}/callback`;
      },
      keyOf: (server: LoginServer, principal: Principal) => this.#keyOf(server, principal),
      start: async (server: LoginServer, redirectUri: string) => {
        const fetch = safeFetch(server.name, this.#fetch, this.#life.signal);
        const found = await discover(server, fetch);
        return await startCodeFlow(server, found, { redirectUri, place: redirectUri }, this.#store, fetch);
      },
      finish: async (key: LoginKey, started: StartedLogin, answer: URLSearchParams) => {
        const fetch = safeFetch(key.server, this.#fetch, this.#life.signal);
        await this.#keep(key, await finishCodeFlow(key.server, started, answer, this.#store, fetch));
      },
    };
    return connectRoutes(flow, options);
  }

  onChange(listener: (server: string, principal?: { tenant: string; id: string }) => void): () => void {
    const entry: typeof listener = (...change) => listener(...change);
    if (this.#timer === undefined && !this.#life.signal.aborted) {
      this.#looking = this.#store
        .stamps()
        .catch(() => this.#stamps)
        .then((stamps) => {
          this.#stamps = stamps;
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

  /** One look at a time, so that every change is told once. */
  #look(): Promise<void> {
    this.#looking = this.#looking.then(async () => {
      if (this.#listeners.size === 0) return;
      // A file that can't be read changes nothing; whoever needs a login hears of it.
      const stamps = await this.#store.stamps().catch(() => this.#stamps);
      const before = this.#stamps;
      this.#stamps = stamps;
      const changed = [...stamps, ...before].filter(([scope]) => stamps.get(scope)?.at !== before.get(scope)?.at);
      for (const { server, principal } of new Map(changed.map(([scope, { key }]) => [scope, key])).values()) {
        for (const listener of [...this.#listeners]) listener(server, principal);
      }
    });
    return this.#looking;
  }

  /** Under the lock: a renewal of the login before must not come after it. */
  async #keep(key: LoginKey, record: LoginRecord): Promise<LoginInfo> {
    await this.#store.locked(key, () => this.#store.write(key, record));
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

  #cure({ name, credentials }: LoginServer, principal: LoginPrincipal | undefined): string {
    const link = credentials === "caller" && principal !== undefined ? this.connectLink(name, principal) : undefined;
    return `it wants a login: ${link === undefined ? `run toolglot gateway login ${name}` : `open ${link}`}`;
  }
}

function whole({ tenant = "default", id }: LoginPrincipal): { tenant: string; id: string } {
  return { tenant, id };
}
