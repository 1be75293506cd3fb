import type { JsonObject } from "@toolglot/core";
import { attempt, canonicalJson, defined, errorText, inBackground } from "@toolglot/internal";
import type { McpClient, McpListedTool } from "@toolglot/toolkit/mcp";
import type { Router } from "@toolglot/trp-core";
import type { ImportedServer, ImportedTool, ServerState, ToolSettings } from "../types.ts";
import type { ServerParts } from "./capability.ts";
import { withoutKey } from "./input-schema.ts";
import { toolNames } from "./names.ts";
import { Notices } from "./notices.ts";
import { checkOptions, type ImportOptions } from "./options.ts";
import { type AcceptOptions, type PinMode, type PinnedTool, Pins, type SeenTool } from "./pins.ts";
import { RegisteredTools, type WantedTool } from "./registered-tools.ts";
import { Offer } from "./resources.ts";
import { judge, withSettings } from "./risk.ts";
import { anyOf, checkToolSettings, defaultRepeat, makeSettings } from "./tool-settings.ts";
import { Upstream } from "./upstream.ts";

/**
 * Makes the tools of an MCP server capabilities of a router, and keeps them so: the server is connected in the background, tried again
 * when it can't be reached or ends, and its list is read again when it changes. Resolves at once; `ready()` when the tools are there.
 * Throws `TypeError` for options that can't be meant, and for a client that was made without `exact`.
 *
 * @example
 * ```ts
 * const client = createMcpClient({ name: "files", exact: true, transport: { type: "stdio", command, args } });
 * const server = await importMcpServer(router, client, { name: "files", channel: new CallChannel() });
 * await server.ready();
 * ```
 */
export async function importMcpServer(
  router: Router,
  client: McpClient,
  options: ImportOptions,
): Promise<ImportedServer> {
  checkOptions(client, options);
  const server = new Server(router, client, options);
  server.start();
  return server;
}

/** How often it is looked whether a tool that waits was accepted elsewhere, and whether the store is back. */
const acceptedEveryMs = 2_000;

class Server implements ImportedServer {
  readonly name: string;
  readonly client: McpClient;
  readonly offer: Offer;
  readonly #options: ImportOptions;
  readonly #settingsOf: (tool: string) => ToolSettings;
  readonly #isAllowed: (tool: string) => boolean;
  readonly #pins: Pins;
  readonly #upstream: Upstream;
  readonly #parts: ServerParts;
  readonly #listeners = new Set<() => void>();
  readonly #notices: Notices;
  readonly #registered: RegisteredTools;
  #held = new Set<string>();
  #listed: readonly McpListedTool[] = [];
  #unsubscribe: () => void = () => {};
  #importing: Promise<void> = Promise.resolve();
  #refreshing: Promise<void> | undefined;
  #again: Promise<void> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #isReady: () => void = () => {};
  readonly #ready: Promise<void>;
  #closed = false;

  constructor(router: Router, client: McpClient, options: ImportOptions) {
    const { name, channel, allow, deny, tools = {}, limits, timeoutMs = 60_000, maxConcurrency = 16 } = options;
    this.name = name;
    this.client = client;
    this.#options = options;
    this.#settingsOf = makeSettings(tools);
    const isIn = anyOf(allow);
    const isOut = anyOf(deny);
    this.#isAllowed = (tool) => isIn?.(tool) !== false && isOut?.(tool) !== true;
    this.#pins = new Pins(router.store, name);
    this.#upstream = new Upstream(client, () => this.refresh());
    this.#parts = {
      router,
      clientOf: options.clientOf ?? (() => client),
      channel,
      limits: { maxBytes: 4 * 1024 * 1024, keepBytes: 1024 * 1024, ...defined(limits ?? {}) },
      timeoutMs,
      maxConcurrency,
      upstream: this.#upstream,
    };
    this.#notices = new Notices(name, options.onNotice);
    this.#registered = new RegisteredTools(router.registry, this.#parts, this.#notices);
    this.offer = new Offer(name, client);
    this.#ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
  }

  start(): void {
    this.#unsubscribe = this.client.onToolsChanged(() => {
      void this.#upstream.mind(this.refresh());
    });
    void this.#upstream.try().then(() => {
      // A person may take hours: nobody is to wait for that.
      if (this.state().needsLogin === true) this.#isReady();
    });
  }

  get tools(): readonly ImportedTool[] {
    return this.#registered.tools;
  }

  state(): ServerState {
    return this.#upstream.state();
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  /** One reading at a time; one more when the list may have changed while it was read. */
  async refresh(): Promise<void> {
    if (this.#refreshing === undefined) {
      this.#refreshing = this.#refresh().finally(() => {
        this.#refreshing = undefined;
      });
      return this.#refreshing;
    }
    const running = this.#refreshing;
    this.#again ??= running
      .catch(() => {})
      .then(() => {
        this.#again = undefined;
        return this.refresh();
      });
    return this.#again;
  }

  async #refresh(): Promise<void> {
    const listed = await this.client.listTools().catch((error: unknown) => {
      // Whoever asked: from now on it is known.
      this.#upstream.refuses(error);
      throw error;
    });
    this.#upstream.met();
    this.#listed = listed;
    await this.#tryImport();
  }

  onChange(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  async accept(options: AcceptOptions): Promise<string[]> {
    const accepted = await this.#pins.accept("accept", options);
    if (accepted.length > 0) await this.#import();
    return accepted;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.#upstream.close();
    this.#isReady();
    this.#registered.clear();
    await this.client.close();
  }

  /** Brings the router in line with the list that was read last: one after another. */
  #import(): Promise<void> {
    this.#importing = this.#importing.catch(() => {}).then(() => this.#importNow());
    return this.#importing;
  }

  async #importNow(): Promise<void> {
    const seen = this.#usable(this.#listed);
    const { pin = "risk" } = this.#options;
    const { pinned, changes } = pin === "off" ? { pinned: undefined, changes: [] } : await this.#pins.look(seen);
    if (this.#closed) return;
    for (const change of changes) this.#notices.notify(change);
    const { gone, hasChanged } = this.#registered.replace(this.#wanted(seen, pinned, pin));
    for (const tool of gone) {
      if (this.#held.has(tool)) continue;
      this.#notices.notify({ tool, kind: "removed", message: "The tool is no longer there." });
    }
    this.#registered.replaceReads(this.offer.capabilities(this.#parts));
    const isWaiting = [...(pinned?.values() ?? [])].some(({ accepted }) => !accepted);
    // Somebody may accept it in another process.
    if (isWaiting) this.#importLater();
    this.#isReady();
    if (hasChanged) for (const listener of [...this.#listeners]) listener();
  }

  /** Nothing changes while the store can't say what was seen before. That is no fault of the server. */
  async #tryImport(): Promise<void> {
    try {
      await this.#import();
    } catch (error) {
      const message = `The tools can't be compared with those that were seen before: ${errorText(error)}.`;
      this.#notices.unusable(undefined, message);
      this.#importLater();
    }
  }

  #importLater(): void {
    clearTimeout(this.#timer);
    if (!this.#closed) this.#timer = inBackground(() => void this.#tryImport(), acceptedEveryMs);
  }

  /** Those that can be called at all, each name once. */
  #usable(listed: readonly McpListedTool[]): SeenTool[] {
    const seen = new Map<string, SeenTool>();
    const { trustAnnotations = true } = this.#options;
    for (const { name, execution, unusable, sent, inputSchema: schema } of listed) {
      const leaveOut = (why: string): void => this.#notices.unusable(name, `The tool is left out: ${why}.`);
      if (execution?.taskSupport === "required") leaveOut("it can only be called as an MCP task");
      else if (unusable !== undefined || sent === undefined) leaveOut(unusable ?? "it can't be read");
      else if (seen.has(name)) leaveOut("another one of its name is listed before it");
      else if (!isShallow(sent)) leaveOut("it is nested too deeply");
      else seen.set(name, { sent: { ...sent, name }, schema, judged: judge(sent.annotations, trustAnnotations) });
    }
    return [...seen.values()];
  }

  /** Those that are allowed, neither hidden nor held back, as they are in the router. */
  #wanted(seen: readonly SeenTool[], pinned: ReadonlyMap<string, PinnedTool> | undefined, pin: PinMode): WantedTool[] {
    const names = toolNames(
      this.name,
      seen.map(({ sent }) => sent.name),
    );
    const held = new Set<string>();
    const wanted = seen.flatMap(({ sent, schema, judged }): WantedTool[] => {
      const { name } = sent;
      const settings = this.#settingsOf(name);
      if (!this.#isAllowed(name) || settings.hidden === true) return [];
      const pinnedAs = pinned?.get(name) ?? { judged, accepted: true };
      if (pin === "strict" && !pinnedAs.accepted) {
        held.add(name);
        return [];
      }
      try {
        checkToolSettings(`the settings of ${name}`, settings);
      } catch (error) {
        this.#notices.unusable(name, `The tool is left out: ${errorText(error)}.`);
        return [];
      }
      const { capId, shownName } = names.get(name) as { capId: string; shownName: string };
      const repeat = settings.repeat ?? this.#options.repeat ?? defaultRepeat;
      const tool = { server: this.name, tool: name, shownName, capId, repeat, settings };
      const listed = listedOf(sent, shownName, settings);
      return [{ tool: { ...tool, listed, ...withSettings(pinnedAs.judged, settings) }, schema }];
    });
    for (const tool of held) {
      if (this.#held.has(tool)) continue;
      const message = "The tool has changed, or is new: it is held back until it is accepted.";
      this.#notices.notify({ tool, kind: "held-back", message });
    }
    this.#held = held;
    return wanted;
  }
}

/** The tool as clients see it. What only MCP's tasks need is the gateway's own affair. */
function listedOf(
  { execution: _, ...sent }: SeenTool["sent"],
  name: string,
  settings: ToolSettings,
): ImportedTool["listed"] {
  return { ...sent, name, inputSchema: withoutKey(sent.inputSchema as JsonObject, settings) };
}

/** Whether it can be written and compared. */
function isShallow(value: JsonObject): boolean {
  return attempt(() => canonicalJson(value)) !== undefined;
}
