import type { Readable, Writable } from "node:stream";
import { ToolError } from "@toolglot/core";
import { checkKeys, defined, errorText, settleWithin } from "@toolglot/internal";
import { traceClient } from "@toolglot/trp-client/tracing";
import { CapabilityError, type PolicyEngine, principal, type Router } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";
import {
  CallChannel,
  type Caller,
  createToolCalls,
  type ImportedServer,
  type ImportedTool,
  isBehindLogin,
  type McpGate,
  type OwnTool,
  serveMcp,
  type ToolCalls,
  ToolSearch,
  waitForDecision,
} from "@toolglot/trp-mcp";
import packageFile from "../../package.json" with { type: "json" };
import { type CodeFace, createCodeFace } from "../code/code-face.ts";
import type { GatewayConfig } from "../config/config-types.ts";
import { pageRules } from "../config/policy.ts";
import { headEvent, toolEvent } from "../http/events/own-events.ts";
import { openWebhook, type Webhook } from "../http/events/webhook.ts";
import { createSecretMask, type SecretMask } from "../secrets/mask.ts";
import { openStore } from "../store/open-store.ts";
import { forgetDaily } from "./forget-daily.ts";
import { type HttpSide, openHttpSide } from "./http-side.ts";
import { makeRouter } from "./make-router.ts";
import { maskedLog } from "./masked-log.ts";
import { maySee } from "./may-see.ts";
import { measured } from "./measured.ts";
import { sharedSecret } from "./shared-secret.ts";
import { stdioTransport } from "./stdio-transport.ts";
import { tracedCalls, whileAsking } from "./traced-calls.ts";
import type { Gateway, GatewayAddress, GatewayOptions, LogLine } from "./types.ts";
import { Upstreams } from "./upstreams.ts";

/** How long a first list waits for servers. Milliseconds. */
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
  checkKeys(
    "createGateway",
    options,
    "principal:text allowVolatile:boolean noAuth:boolean tracing:boolean log:function",
  );
  const { tracing = Boolean(process.env.OTEL_EXPORTER_OTLP_ENDPOINT) } = options;
  const mask = createSecretMask(config.secrets.map(({ name, value }) => [name, value] as const));
  const { store: address, postgres } = config.settings;
  const log = maskedLog(options.log, mask);
  const store = await openStore(address, {
    ...defined({ postgres }),
    onError: ({ message }) => log({ level: "warn", message }),
  });
  let gateway: RoutedGateway | undefined;
  try {
    const parts = { store, log, mask, secret: await sharedSecret(store) };
    gateway = new RoutedGateway(config, { ...options, tracing }, parts);
    await gateway.start();
    return gateway;
  } catch (error) {
    await (gateway ?? store).close();
    throw error;
  }
}

interface Parts {
  store: RouterStore;
  mask: SecretMask;
  log(line: LogLine): void;
  /** Shared by all gateways on the store. */
  secret: string;
}

class RoutedGateway implements Gateway {
  readonly router: Router;
  readonly policy: PolicyEngine;
  readonly #config: GatewayConfig;
  readonly #options: GatewayOptions;
  readonly #parts: Parts;
  readonly #channel = new CallChannel();
  readonly #calls: ToolCalls;
  readonly #gate: McpGate;
  readonly #measured: ReturnType<typeof measured>;
  readonly #upstreams: Upstreams;
  readonly #webhook: Webhook | undefined;
  #code: CodeFace | undefined;
  #http: HttpSide | undefined;
  #stopForgetting = (): void => {};
  #closing: Promise<void> | undefined;

  constructor(config: GatewayConfig, options: GatewayOptions, parts: Parts) {
    const { settings, policy } = config;
    const { store, secret, log } = parts;
    const { tracing = false } = options;
    this.#config = config;
    this.#options = options;
    this.#parts = parts;
    this.router = makeRouter({
      settings,
      store,
      policy,
      secret,
      tool: this.#tool,
      servers: config.servers,
      ...{ nameOf: (capId) => this.#upstreams.named(capId), channel: this.#channel },
      options,
      // Once a minute: in a chat it would hide what people are asked.
      ...(settings.approvals.webhook?.format === "json" && {
        onHead: (head) => this.#webhook?.notify(headEvent(head)),
      }),
      // What a server answers, or fails at, is no fault of the gateway.
      onError: (error, { capId, operation }) =>
        log({
          level: ToolError.isInstance(error) ? "debug" : CapabilityError.isInstance(error) ? "warn" : "error",
          message: `${capId ?? operation ?? "router"}: ${errorText(error)}`,
        }),
    });
    this.policy = this.router.policy;
    const ofPage = pageRules(settings.policy);
    const calls = createToolCalls(this.router, {
      tool: (capId, principal) => this.#upstreams.toolOf(capId, principal),
      channel: this.#channel,
      elicitation: settings.approvals.via.includes("elicitation"),
      waitMs: settings.approvals.waitMs,
      approvalUrl: (id) => this.#http?.approvalUrl(id),
      inDoubtUrl: () => this.#http?.inDoubtUrl,
      isPageOnly: (rule) => ofPage.has(rule),
      damaged: ({ server }) => settings.servers[server]?.damaged ?? "refuse",
      ...(tracing && { tracing: traceClient(), whileAsking }),
    });
    const { webhook: hook } = settings.approvals;
    this.#measured = measured({
      ...{ router: this.router, calls },
      servers: () => this.servers,
      gauges: {
        sessions: () => this.#gate.sessions,
        ...(hook && { webhookPending: () => this.#webhook?.pending() ?? 0 }),
      },
    });
    const { calls: counted } = this.#measured;
    // A program's receipt leads to the program.
    const routed: ToolCalls = {
      ...counted,
      status: (id, context) => this.#code?.status(id, context) ?? counted.status(id, context),
      call: async (call, context) => {
        const asked = await this.#upstreams.answerWithout(call.tool.server, context);
        if (asked !== undefined) return asked;
        if (!isBehindLogin(call.tool)) return counted.call(call, context);
        const tool = await this.#upstreams.behindLogin(call.tool, context.caller);
        const mayUse = tool !== undefined && maySee(this.policy, context.caller, tool);
        return mayUse ? counted.call({ ...call, tool }, context) : counted.call(call, context);
      },
    };
    this.#calls = tracing ? tracedCalls(routed) : routed;
    this.#upstreams = new Upstreams({
      ...{ config, router: this.router, channel: this.#channel, secret, tracing },
      publicUrl: () => this.#http && new URL(this.#http.url).origin,
      onChange: () => this.#gate.notifyChanged(),
      onToolChange: (notice) => {
        const { server, tool, kind } = notice;
        this.#webhook?.notify(toolEvent(notice, this.router.store.now()), `${server} ${tool} ${kind}`);
      },
      log,
    });
    const { sessions, sessionsPerPrincipal, sessionIdleMs } = settings.limits;
    this.#gate = serveMcp({
      calls: this.#calls,
      servers: () => this.servers,
      visible: (caller, tool) => maySee(this.policy, caller, tool),
      face: settings.face,
      own: (caller) => this.#ownTools(caller),
      artifacts: store.artifacts,
      store,
      taskAfterMs: settings.taskAfterMs,
      info: { name: "toolglot", version: packageFile.version, title: "toolglot gateway" },
      requestSecret: secret,
      limits: { sessions, sessionsPerPrincipal, sessionIdleMs },
      onNotice: (message) => log({ level: "warn", message }),
      onError: (error) => log({ level: "warn", message: errorText(error) }),
    });
    this.#webhook =
      hook &&
      openWebhook({
        ...hook,
        ...{ router: this.router, mask: parts.mask, toolOf: this.#tool },
        log: (message) => log({ level: "warn", message }),
        approvalUrl: (id) => this.#http?.approvalUrl(id),
        inDoubtUrl: () => this.#http?.inDoubtUrl,
      });
  }

  get servers(): readonly ImportedServer[] {
    return this.#upstreams.servers;
  }

  get tools(): readonly ImportedTool[] {
    return this.servers.flatMap(({ tools }) => tools);
  }

  readonly #tool = (capId: string): ImportedTool | undefined => this.#upstreams.named(capId);

  async start(): Promise<void> {
    this.#stopForgetting = forgetDaily(this.#parts.store);
    const { settings } = this.#config;
    if (settings.face === "code") {
      this.#code = await createCodeFace({
        calls: this.#calls,
        servers: () => this.servers,
        visible: (caller, tool) => maySee(this.policy, caller, tool),
        storage: this.#parts.store,
        settings: settings.code,
        finder: new ToolSearch(),
        waitForDecision: (approvalId, context) =>
          waitForDecision(this.router, context.caller.principal, approvalId, context, settings.approvals.waitMs),
      });
    }
    await this.#upstreams.start();
  }

  #ownTools(caller: Caller): OwnTool[] {
    const program = this.#code && { listed: this.#code.listed, call: this.#code.run.bind(this.#code) };
    return [...(program ? [program] : []), ...this.#upstreams.ownTools(caller)];
  }

  async settled(ms: number = settleMs): Promise<void> {
    await settleWithin(Promise.all(this.servers.map((server) => server.ready())), { ms });
  }

  async listen(): Promise<GatewayAddress> {
    this.#http ??= await openHttpSide({
      config: this.#config,
      options: this.#options,
      ...{ router: this.router, gate: this.#gate },
      metrics: () => this.#measured.metrics(),
      ...{ mask: this.#parts.mask, secret: this.#parts.secret },
      servers: this.servers,
      ...{ logins: this.#upstreams.logins, tool: this.#tool },
      log: (message) => this.#parts.log({ level: "warn", message }),
    });
    const { url, port, signInUrl } = this.#http;
    return { url, port, ...defined({ signInUrl }) };
  }

  async serveStdio(given?: { input: Readable; output: Writable }): Promise<void> {
    const { input, output } = given ?? { input: process.stdin, output: process.stdout };
    const { settings } = this.#config;
    const who = principal({ id: this.#options.principal ?? "local", tenant: settings.tenant });
    const connection = this.#gate.connect(stdioTransport(input, output), { principal: who });
    await connection.closed;
  }

  async drain(): Promise<void> {
    await this.#http?.drain();
  }

  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  async #close(): Promise<void> {
    const { store } = this.#parts;
    const { graceMs } = this.#config.settings.shutdown;
    this.#stopForgetting();
    const quietly = (work: Promise<unknown> | undefined): Promise<unknown> =>
      work?.catch((error: unknown) => this.#parts.log({ level: "error", message: errorText(error) })) ??
      Promise.resolve();
    // It takes nothing new from now on, and ends with the last of the streams that the gate closes.
    const http = quietly(this.#http?.close(graceMs));
    // Programs go on later: what a router that closes refuses must not become a part of them.
    await quietly(this.#code?.close());
    await quietly(this.router.close({ graceMs }));
    // It tells the last head as well, which the router notes when all is done.
    await quietly(this.#webhook?.close());
    await quietly(this.#gate.close());
    await http;
    await quietly(this.#calls.close());
    this.#measured.close();
    await quietly(this.#upstreams.close());
    await quietly(store.close());
  }
}
