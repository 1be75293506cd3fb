import type { Readable, Writable } from "node:stream";
import type { AuthProvider } from "@modelcontextprotocol/client";
import { StdioServerTransport } from "@modelcontextprotocol/server/stdio";
import { ToolError } from "@toolglot/core";
import { attempt, checkKeys, defined, errorText, settleWithin } from "@toolglot/internal";
import { createMcpClient, type McpClient } from "@toolglot/toolkit/mcp";
import { type PolicyEngine, type Principal, principal, type Router } from "@toolglot/trp-core";
import { familyOf, type RouterStore } from "@toolglot/trp-core/store";
import {
  CallChannel,
  type Caller,
  createToolCalls,
  forgetEffects,
  type ImportedServer,
  type ImportedTool,
  importMcpServer,
  type McpGate,
  type OwnTool,
  serveMcp,
  type ToolCalls,
  ToolSearch,
  waitForDecision,
} from "@toolglot/trp-mcp";
import packageFile from "../../package.json" with { type: "json" };
import { type CodeFace, createCodeFace } from "../code/code-face.ts";
import type { GatewayConfig, ServerConfig } from "../config/config-types.ts";
import { openWebhook, type Webhook } from "../http/events/webhook.ts";
import type { LoginInfo, UpstreamLogins } from "../login/index.ts";
import { createSecretMask, type SecretMask } from "../secrets/mask.ts";
import { type HttpSide, openHttpSide } from "./http-side.ts";
import { makeRouter } from "./make-router.ts";
import { measured } from "./measured.ts";
import { openStore } from "./open-store.ts";
import { sharedSecret } from "./shared-secret.ts";
import type { Gateway, GatewayAddress, GatewayOptions, LogLine } from "./types.ts";
import { checkSupported } from "./unsupported.ts";
import { CallerLogins, loginTools, openLogins } from "./upstream-logins.ts";

const day = 86_400_000;
/** Longer than a router remembers operations: an effect that nobody asked for in this time is as good as new. */
const effectsKeptMs = 40 * day;

/** How long calls that run have when the gateway closes, and how long a first list waits for servers. Milliseconds. */
const graceMs = 10_000;
const settleMs = 5_000;

/**
 * Creates a gateway from a configuration that `loadConfig` has read: its router, with the servers' tools, which are connected in the
 * background. It serves nobody until `listen` or `serveStdio`.
 *
 * @throws `ToolglotError` `gateway/store` when the store can't be opened, `gateway/code-missing` when what runs the programs of the face
 * `code` is not installed. `TypeError` for options that can't be meant.
 *
 * @example
 * ```ts
 * const gateway = await createGateway(await loadConfig({ files: ["toolglot.json"] }));
 * const { url } = await gateway.listen();
 * ```
 */
export async function createGateway(config: GatewayConfig, options: GatewayOptions = {}): Promise<Gateway> {
  checkKeys("createGateway", options, "principal:text allowVolatile:boolean noAuth:boolean log:function");
  checkSupported(config);
  const mask = createSecretMask(config.secrets.map(({ name, value }) => [name, value] as const));
  const store = await openStore(config.settings.store);
  try {
    const gateway = new RoutedGateway(config, options, { store, mask, secret: await sharedSecret(store) });
    await gateway.start();
    return gateway;
  } catch (error) {
    await store.close();
    throw error;
  }
}

interface Parts {
  store: RouterStore;
  mask: SecretMask;
  /** Shared by all gateways on the store. */
  secret: string;
}

class RoutedGateway implements Gateway {
  readonly router: Router;
  readonly policy: PolicyEngine;
  readonly servers: ImportedServer[] = [];
  readonly #config: GatewayConfig;
  readonly #options: GatewayOptions;
  readonly #parts: Parts;
  readonly #channel = new CallChannel();
  readonly #calls: ToolCalls;
  readonly #gate: McpGate;
  readonly #measured: ReturnType<typeof measured>;
  readonly #logins: UpstreamLogins | undefined;
  readonly #callers: CallerLogins | undefined;
  readonly #webhook: Webhook | undefined;
  #code: CodeFace | undefined;
  #http: HttpSide | undefined;
  #forgetting: NodeJS.Timeout | undefined;
  #closing: Promise<void> | undefined;

  constructor(config: GatewayConfig, options: GatewayOptions, parts: Parts) {
    const { settings, policy } = config;
    const { store, secret } = parts;
    this.#config = config;
    this.#options = options;
    this.#parts = parts;
    this.router = makeRouter({
      settings,
      store,
      policy,
      secret,
      tool: this.#tool,
      options,
      // What a tool answers is no fault of the gateway.
      onError: (error, { capId, operation }) =>
        this.#log({
          level: ToolError.isInstance(error) ? "debug" : "error",
          message: `${capId ?? operation ?? "router"}: ${errorText(error)}`,
        }),
    });
    this.policy = this.router.policy;
    const calls = createToolCalls(this.router, {
      tool: this.#tool,
      channel: this.#channel,
      elicitation: settings.approvals.via.includes("elicitation"),
      waitMs: settings.approvals.waitMs,
      approvalUrl: (id) => this.#http?.approvalUrl(id),
      inDoubtUrl: () => this.#http?.inDoubtUrl,
      damaged: ({ server }) => settings.servers[server]?.damaged ?? "refuse",
    });
    this.#measured = measured(this.router, calls, () => this.servers);
    const { calls: counted } = this.#measured;
    // A program's receipt leads to the program.
    this.#calls = {
      ...counted,
      status: (id, context) => this.#code?.status(id, context) ?? counted.status(id, context),
      call: async (call, context) => {
        const { server } = call.tool;
        const before = await this.#callersOf(server)?.answerWithout(server, context.caller.principal);
        return before ?? counted.call(call, context);
      },
    };
    this.#logins = openLogins(config, {
      secret,
      publicUrl: () => this.#http && new URL(this.#http.url).origin,
    });
    this.#callers =
      this.#logins && new CallerLogins(this.#logins, (name, principal) => this.#connectAs(name, principal));
    const { sessions, sessionsPerPrincipal, sessionIdleMs } = settings.limits;
    this.#gate = serveMcp({
      calls: this.#calls,
      servers: () => this.servers,
      visible: (caller, tool) => this.#isVisible(caller, tool),
      face: settings.face,
      own: () => this.#ownTools(),
      artifacts: store.artifacts,
      info: { name: "toolglot", version: packageFile.version, title: "toolglot gateway" },
      requestSecret: secret,
      limits: { sessions, sessionsPerPrincipal, sessionIdleMs },
      onNotice: (message) => this.#log({ level: "warn", message }),
      onError: (error) => this.#log({ level: "warn", message: errorText(error) }),
    });
    const { webhook: hook } = settings.approvals;
    this.#webhook =
      hook &&
      openWebhook({
        ...hook,
        ...{ router: this.router, mask: parts.mask, toolOf: this.#tool },
        log: (message) => this.#log({ level: "warn", message }),
        approvalUrl: (id) => this.#http?.approvalUrl(id),
        inDoubtUrl: () => this.#http?.inDoubtUrl,
      });
    this.#measured.gauges({
      sessions: () => this.#gate.sessions,
      ...(this.#webhook && { webhookPending: this.#webhook.pending.bind(this.#webhook) }),
    });
  }

  get tools(): readonly ImportedTool[] {
    return this.servers.flatMap(({ tools }) => tools);
  }

  readonly #tool = (capId: string): ImportedTool | undefined => this.tools.find((tool) => tool.capId === capId);

  async start(): Promise<void> {
    const forget = (): void => void forgetEffects(this.#parts.store, effectsKeptMs).catch(() => {});
    this.#forgetting = setInterval(forget, day).unref();
    forget();
    const { settings } = this.#config;
    if (settings.face === "code") {
      this.#code = await createCodeFace({
        calls: this.#calls,
        servers: () => this.servers,
        visible: (caller, tool) => this.#isVisible(caller, tool),
        storage: this.#parts.store,
        settings: settings.code,
        finder: new ToolSearch(),
        waitForDecision: (approvalId, context) =>
          waitForDecision(this.router, context.caller.principal, approvalId, context, settings.approvals.waitMs),
      });
    }
    this.#logins?.onChange((name, principal) => void this.#onLogin(name, principal));
    for (const server of this.#config.servers) {
      this.servers.push(await this.#import(server));
    }
  }

  /** A login came, or is gone. Never rejects. */
  async #onLogin(name: string, principal: LoginInfo["principal"]): Promise<void> {
    const server = this.servers.find((one) => one.name === name);
    if (server === undefined) return;
    try {
      if (principal !== undefined) {
        this.#callers?.forget(name, principal);
        // The list may have been read in their session: another's login must not go on with it.
        if ((await this.#logins?.info(name, principal)) === undefined) {
          await server.client.close();
          await server.client.connect();
        }
      }
      await server.refresh();
    } catch (error) {
      this.#log({ level: "warn", message: errorText(error), server: name });
      // So that it is known what it wants.
      if (!server.client.connected) await server.refresh().catch(() => {});
    }
    // Without a login, its tool to log in is there.
    this.#gate.notifyChanged();
  }

  #import(config: ServerConfig): Promise<ImportedServer> {
    const { name, settings } = config;
    const log = (level: LogLine["level"], message: string, tool?: string): void =>
      this.#log({ level, message, server: name, ...defined({ tool }) });
    const client = this.#connect(config);
    const callers = this.#callersOf(name);
    const { allow, deny, tools, pin, trustAnnotations, timeoutMs, maxConcurrency, repeat } = settings;
    return importMcpServer(this.router, client, {
      ...{ name, channel: this.#channel, tools, pin, trustAnnotations, timeoutMs, maxConcurrency },
      ...defined({ allow, deny }),
      repeat: repeat ?? this.#config.settings.repeat,
      limits: this.#config.settings.results,
      ...(callers && { clientOf: (principal) => callers.clientOf(name, principal) }),
      onNotice: ({ kind, tool, message }) => log(kind === "added" ? "debug" : "warn", message, tool),
    });
  }

  /** Makes the connection to a server: for all, or with the login of one caller. */
  #connect({ name, transport, settings }: ServerConfig, principal?: Principal): McpClient {
    const log = (level: LogLine["level"], message: string): void => this.#log({ level, message, server: name });
    return createMcpClient({
      name,
      exact: true,
      transport:
        transport.type === "stdio"
          ? { ...transport, onStderr: (text) => log("info", text.trimEnd()) }
          : { ...transport, ...this.#authOf(name, transport.headers, principal) },
      connectTimeoutMs: settings.connectMs,
      callTimeoutMs: settings.timeoutMs,
      // More than a result may have, so that a long one is told and not lost with its connection.
      maxBufferSize: 4 * this.#config.settings.results.maxBytes,
      elicitation: "host",
      sampling: "host",
      onError: (error) => log("warn", errorText(error)),
    });
  }

  #connectAs(server: string, principal: Principal): McpClient {
    return this.#connect(this.#config.servers.find(({ name }) => name === server) as ServerConfig, principal);
  }

  /** Of a server at which each caller logs in; undefined for others. */
  #callersOf(server: string): CallerLogins | undefined {
    const found = this.#config.servers.find(({ name }) => name === server);
    if (found?.settings.credentials !== "caller" || found.transport.type !== "http") return undefined;
    return isSigned(found.transport.headers) ? undefined : this.#callers;
  }

  #authOf(
    server: string,
    headers: Readonly<Record<string, string>>,
    principal: Principal | undefined,
  ): { authProvider?: AuthProvider } {
    if (this.#logins === undefined || isSigned(headers)) return {};
    return { authProvider: this.#logins.authProviderOf(server, principal) };
  }

  #ownTools(): OwnTool[] {
    const program = this.#code && { listed: this.#code.listed, call: this.#code.run.bind(this.#code) };
    return [...(program ? [program] : []), ...(this.#logins ? loginTools(this.#logins, this.servers) : [])];
  }

  /** Whether the policy could allow the tool to this caller, whatever the arguments are. */
  #isVisible({ principal: who }: Caller, { capId, risk, io, effect }: ImportedTool): boolean {
    const capability = { capId, family: familyOf(capId), riskTier: risk, ioClass: io, effect };
    return attempt(() => this.policy.deniesAlways?.({ principal: who, capability })) !== true;
  }

  async settled(ms: number = settleMs): Promise<void> {
    await settleWithin(Promise.all(this.servers.map((server) => server.ready())), { ms });
  }

  async listen(): Promise<GatewayAddress> {
    this.#http ??= await openHttpSide({
      config: this.#config,
      options: this.#options,
      ...{ router: this.router, gate: this.#gate, mask: this.#parts.mask, metrics: this.#measured.metrics },
      servers: this.servers,
      ...{ logins: this.#logins, tool: this.#tool },
      log: (message) => this.#log({ level: "warn", message }),
    });
    const { url, port, signInUrl } = this.#http;
    return { url, port, ...defined({ signInUrl }) };
  }

  async serveStdio(given?: { input: Readable; output: Writable }): Promise<void> {
    const { input, output } = given ?? { input: process.stdin, output: process.stdout };
    const { settings } = this.#config;
    const who = principal({ id: this.#options.principal ?? "local", tenant: settings.tenant });
    const connection = this.#gate.connect(new StdioServerTransport(input, output), { principal: who });
    await connection.closed;
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { store } = this.#parts;
    clearInterval(this.#forgetting);
    const quietly = (work: Promise<unknown> | undefined): Promise<unknown> =>
      work?.catch((error: unknown) => this.#log({ level: "error", message: errorText(error) })) ?? Promise.resolve();
    // It takes nothing new from now on, and ends with the last of the streams that the gate closes.
    const http = quietly(this.#http?.close(graceMs));
    // Programs go on later: what a router that closes refuses must not become a part of them.
    await quietly(this.#code?.close());
    await quietly(this.#webhook?.close());
    await quietly(this.router.close({ graceMs }));
    await quietly(this.#gate.close());
    await http;
    await quietly(this.#calls.close());
    this.#logins?.close();
    this.#measured.close();
    await Promise.all([quietly(this.#callers?.close()), ...this.servers.map((server) => quietly(server.close()))]);
    await quietly(store.close());
  }

  #log(line: LogLine): void {
    const { log } = this.#options;
    if (log === undefined) return;
    try {
      log({ ...line, message: this.#parts.mask.mask(line.message) });
    } catch {
      // The host's log is its own affair.
    }
  }
}

/** Whether a server has an Authorization header of its own: then it needs no login. */
function isSigned(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
