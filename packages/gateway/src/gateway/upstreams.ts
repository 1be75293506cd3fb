import type { AuthProvider, FetchLike } from "@modelcontextprotocol/client";
import { defined, errorText } from "@toolglot/internal";
import type { McpClient } from "@toolglot/toolkit";
import type { Principal, Router } from "@toolglot/trp-core";
import {
  type CallChannel,
  type Caller,
  type ImportedServer,
  type ImportedTool,
  type ImportNotice,
  importMcpServer,
  type OwnTool,
  type ToolAnswer,
  type ToolCallContext,
  viewsFor,
} from "@toolglot/trp-mcp";
import type { ServerConfig } from "../config/config-types.ts";
import type { GatewayLogins, LoginInfo } from "../login/index.ts";
import type { LogLine } from "./types.ts";
import { type ClientParts, makeClient } from "./upstream-clients.ts";
import { CallerLogins, gatewayLogins, loginTools } from "./upstream-logins.ts";

/** What the servers of a gateway need of it. */
export interface UpstreamsParts extends ClientParts {
  router: Router;
  channel: CallChannel;
  /** Seals links to log in. */
  secret: string;
  /** Where people reach the gateway, if they do. */
  publicUrl(): string | undefined;
  /** What clients may do has changed. */
  onChange(): void;
  /** A tool is not as it was when it was last seen, or is held back for that. */
  onToolChange(notice: ImportNotice): void;
}

/** The servers behind a gateway: their connections, their tools, and the logins that they want. */
export class Upstreams {
  readonly servers: ImportedServer[] = [];
  readonly logins: GatewayLogins | undefined;
  readonly #callers: CallerLogins | undefined;
  readonly #parts: UpstreamsParts;

  constructor(parts: UpstreamsParts) {
    const { config, secret, publicUrl } = parts;
    this.#parts = parts;
    this.logins = gatewayLogins(config, { secret, publicUrl });
    const { waitMs } = config.settings.approvals;
    this.#callers =
      this.logins && new CallerLogins(this.logins, waitMs, (name, principal) => this.#connectAs(name, principal));
  }

  /** Connects them in the background. */
  async start(): Promise<void> {
    this.logins?.onChange((name, principal) => void this.#onLogin(name, principal));
    for (const server of this.#parts.config.servers) this.servers.push(await this.#import(server));
  }

  /** What a capability is: a tool of a server, or its read of resources or prompts. */
  named(capId: string): ImportedTool | undefined {
    for (const { tools, offer, views } of this.servers) {
      const own = [...tools, offer.resourceRead, offer.promptGet].find((one) => one?.capId === capId);
      const found = own ?? views?.named(capId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** A tool, by its capability, as a principal has it. */
  toolOf(capId: string, principal: Principal): ImportedTool | undefined {
    return viewsFor(principal, this.servers)
      .flatMap(({ tools }) => tools)
      .find((tool) => tool.capId === capId);
  }

  /** Tools of servers that want a login of the caller, or of anybody. */
  ownTools({ principal }: Caller): OwnTool[] {
    return this.logins ? loginTools(this.logins, viewsFor(principal, this.servers)) : [];
  }

  /** The tool that a name leads to once its caller has logged in; undefined when the server has no such one for them. */
  async behindLogin(tool: ImportedTool, { principal }: Caller): Promise<ImportedTool | undefined> {
    const views = this.servers.find(({ name }) => name === tool.server)?.views;
    // They have come by the login just now: what was known before it is forgotten here, and once more by whoever watches logins.
    for (let tries = 0; tries < 3 && views?.of(principal).state().up !== true; tries++) {
      if (views?.of(principal).state().needsLogin === true) views.forget(principal);
      await views?.ready(principal);
    }
    return views?.of(principal).tools.find(({ shownName }) => shownName === tool.shownName);
  }

  /** The answer to a caller who has to log in at a server first; undefined for everybody else. */
  async answerWithout(server: string, context: ToolCallContext): Promise<ToolAnswer | undefined> {
    return this.#callersOf(server)?.answerWithout(server, context);
  }

  /** Ends the servers' processes and sessions. */
  async close(): Promise<void> {
    this.logins?.close();
    await Promise.all([this.#callers?.close(), ...this.servers.map((server) => server.close())]);
  }

  /** A login came, or is gone. Never rejects. */
  async #onLogin(name: string, principal: LoginInfo["principal"]): Promise<void> {
    const server = this.servers.find((one) => one.name === name);
    if (server === undefined) return;
    try {
      if (principal !== undefined) {
        this.#callers?.forget(name, principal);
        server.views?.forget(principal);
        // The list may have been read in their session: another's login must not go on with it.
        if ((await this.logins?.info(name, principal)) === undefined) {
          await server.client.close();
          await server.client.connect();
        }
      }
      await server.refresh();
    } catch (error) {
      this.#parts.log({ level: "warn", message: errorText(error), server: name });
      // So that it is known what it wants.
      if (!server.client.connected) await server.refresh().catch(() => {});
    }
    // Without a login, its tool to log in is there.
    this.#parts.onChange();
  }

  #import(config: ServerConfig): Promise<ImportedServer> {
    const { name, settings } = config;
    const log = (level: LogLine["level"], message: string, tool?: string): void =>
      this.#parts.log({ level, message, server: name, ...defined({ tool }) });
    const client = this.#connect(config);
    const callers = this.#callersOf(name);
    const { allow, deny, tools, pin, trustAnnotations, timeoutMs, maxConcurrency, repeat } = settings;
    return importMcpServer(this.#parts.router, client, {
      ...{ name, channel: this.#parts.channel, tools, pin, trustAnnotations, timeoutMs, maxConcurrency },
      ...defined({ allow, deny }),
      repeat: repeat ?? this.#parts.config.settings.repeat,
      limits: this.#parts.config.settings.results,
      ...(callers && { clientOf: (principal) => callers.clientOf(name, principal) }),
      onNotice: (notice) => {
        const { kind, tool, message } = notice;
        log(kind === "added" ? "debug" : kind === "up" ? "info" : "warn", message, tool);
        if (kind === "changed" || kind === "held-back") this.#parts.onToolChange(notice);
      },
    });
  }

  /** Makes the connection to a server: for all, or with the login of one caller. */
  #connect(server: ServerConfig, principal?: Principal): McpClient {
    const { name, transport } = server;
    const auth = transport.type === "http" ? this.#authOf(name, transport.headers, principal) : {};
    return makeClient(this.#parts, server, auth);
  }

  #connectAs(server: string, principal: Principal): McpClient {
    return this.#connect(this.#parts.config.servers.find(({ name }) => name === server) as ServerConfig, principal);
  }

  /** Of a server at which each caller logs in; undefined for others. */
  #callersOf(server: string): CallerLogins | undefined {
    const found = this.#parts.config.servers.find(({ name }) => name === server);
    if (found?.settings.credentials !== "caller" || found.transport.type !== "http") return undefined;
    return isSigned(found.transport.headers) ? undefined : this.#callers;
  }

  #authOf(
    server: string,
    headers: Readonly<Record<string, string>>,
    principal: Principal | undefined,
  ): { authProvider?: AuthProvider; fetch?: FetchLike } {
    if (this.logins === undefined || isSigned(headers)) return {};
    const { logins } = this;
    return { authProvider: logins.authProviderOf(server, principal), fetch: logins.fetchOf(server, principal) };
  }
}

/** Whether a server has an Authorization header of its own: then it needs no login. */
function isSigned(headers: Readonly<Record<string, string>>): boolean {
  return Object.keys(headers).some((name) => name.toLowerCase() === "authorization");
}
