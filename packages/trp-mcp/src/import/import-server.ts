import type { JsonObject, JsonSchemaObject } from "@toolglot/core";
import { attempt, canonicalJson, checkKeys, defined, errorText, inBackground } from "@toolglot/internal";
import type { McpClient, McpListedTool } from "@toolglot/toolkit/mcp";
import type { Router } from "@toolglot/trp-core";
import type { CallChannel } from "../calls/call-channel.ts";
import type { ImportedServer, ImportedTool, ImportNotice, RepeatRule, ServerState, ToolSettings } from "../types.ts";
import { type ServerParts, toolCapability } from "./capability.ts";
import { anyArguments, argumentSchema, withoutMember } from "./input-schema.ts";
import type { ResultLimits } from "./kept-result.ts";
import { toolNames } from "./names.ts";
import { type PinMode, type PinnedTool, Pins, type SeenTool } from "./pins.ts";
import { Offer } from "./resources.ts";
import { judge, withSettings } from "./risk.ts";
import { anyOf, checkRepeat, checkToolSettings, defaultRepeat, makeSettings } from "./tool-settings.ts";
import { Upstream } from "./upstream.ts";

/** Options of {@link importMcpServer}. */
export interface ImportOptions {
  /** The server's name: a part of the names of its tools. */
  name: string;
  /** Brings extras to the capabilities, and exact results back: the one that the calls are made with. */
  channel: CallChannel;
  /** Only tools whose names fit one of these patterns, `*` for any text. Default: all. */
  allow?: readonly string[];
  /** No tools whose names fit one of these. */
  deny?: readonly string[];
  /** What the owner says of tools, by patterns of names: of those that fit, later ones count more, and the whole name most. */
  tools?: Readonly<Record<string, ToolSettings>>;
  /**
   * What becomes of tools that changed, or came, since their server was first seen: `off`: nothing; `risk`: they don't count as less
   * harmful than before, and new ones have at least HIGH risk; `strict`: they are held back as well, until they are accepted. Default `risk`.
   */
  pin?: PinMode;
  /** Whether the annotations of tools are believed. Default true. */
  trustAnnotations?: boolean;
  /** Milliseconds that a call may give no sign of life. Default 60,000. */
  timeoutMs?: number;
  /** Calls of one tool at once. Default 16. */
  maxConcurrency?: number;
  /** What a call gets whose effect was there before. Default: within ten minutes the result of that one. */
  repeat?: RepeatRule;
  /** Bytes of results. */
  limits?: Partial<ResultLimits>;
  /** Called with each change of the tools. */
  onNotice?: (notice: ImportNotice) => void;
}

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

function checkOptions(client: McpClient, options: ImportOptions): void {
  checkKeys(
    "importMcpServer",
    options,
    [
      'name:text channel:object allow:string[] deny:string[] tools:object pin:"off"|"risk"|"strict" trustAnnotations:boolean',
      "timeoutMs:size maxConcurrency:size repeat:object limits:object onNotice:function",
    ],
    ["name", "channel"],
  );
  checkKeys("importMcpServer: limits", options.limits, "maxBytes:size keepBytes:size");
  if (options.repeat !== undefined) checkRepeat("importMcpServer: repeat", options.repeat);
  for (const [pattern, settings] of Object.entries(options.tools ?? {})) {
    checkToolSettings(`importMcpServer: tools[${JSON.stringify(pattern)}]`, settings);
  }
  if (!client.exact) throw new TypeError("importMcpServer needs a client that was made with exact: true");
}

/** A tool in the router, and what it was made of. */
interface Entry {
  tool: ImportedTool;
  text: string;
}

/** How often it is looked whether a tool that waits was accepted elsewhere, and whether the store is back. */
const acceptedEveryMs = 2_000;

class Server implements ImportedServer {
  readonly name: string;
  readonly client: McpClient;
  readonly offer: Offer;
  readonly #router: Router;
  readonly #options: ImportOptions;
  readonly #settingsOf: (tool: string) => ToolSettings;
  readonly #isAllowed: (tool: string) => boolean;
  readonly #pins: Pins;
  readonly #upstream: Upstream;
  readonly #parts: ServerParts;
  readonly #listeners = new Set<() => void>();
  readonly #told = new Set<string>();
  /** By the server's names. */
  #entries = new Map<string, Entry>();
  #offered = new Set<string>();
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
    this.#router = router;
    this.#options = options;
    this.#settingsOf = makeSettings(tools);
    const isIn = anyOf(allow);
    const isOut = anyOf(deny);
    this.#isAllowed = (tool) => isIn?.(tool) !== false && isOut?.(tool) !== true;
    this.#pins = new Pins(router.store.blobs, name);
    this.#upstream = new Upstream(client, () => this.refresh());
    this.#parts = {
      router,
      client,
      channel,
      limits: { maxBytes: 4 * 1024 * 1024, keepBytes: 1024 * 1024, ...defined(limits ?? {}) },
      timeoutMs,
      maxConcurrency,
      upstream: this.#upstream,
    };
    this.offer = new Offer(name, client);
    this.#ready = new Promise((resolve) => {
      this.#isReady = resolve;
    });
  }

  start(): void {
    this.#unsubscribe = this.client.onToolsChanged(() => {
      this.refresh().catch(() => this.#upstream.suspect(true));
    });
    void this.#upstream.try();
  }

  get tools(): readonly ImportedTool[] {
    return [...this.#entries.values()].map(({ tool }) => tool);
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
    const listed = await this.client.listTools();
    this.#upstream.met();
    this.#listed = listed;
    await this.#tryImport();
  }

  onChange(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  async accept(tool?: string): Promise<string[]> {
    const accepted = await this.#pins.accept(tool);
    if (accepted.length > 0) await this.#import();
    return accepted;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#unsubscribe();
    this.#upstream.close();
    this.#isReady();
    for (const { tool } of this.#entries.values()) this.#router.registry.unregister(tool.capId);
    for (const capId of this.#offered) this.#router.registry.unregister(capId);
    this.#entries.clear();
    this.#offered.clear();
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
    for (const change of changes) this.#tell(change);
    const next = this.#wanted(seen, pinned, pin);
    const schemas = new Map(seen.map(({ sent, schema }) => [sent.name, schema]));
    const hasChanged = this.#replace(next, schemas) || changes.length > 0;
    this.#importOffer();
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
      this.#tellOnce(undefined, "unusable", message);
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
      const leaveOut = (why: string): void => this.#tellOnce(name, "unusable", `The tool is left out: ${why}.`);
      if (execution?.taskSupport === "required") leaveOut("it can only be called as an MCP task");
      else if (unusable !== undefined || sent === undefined) leaveOut(unusable ?? "it can't be read");
      else if (seen.has(name)) leaveOut("another one of its name is listed before it");
      else if (!isShallow(sent)) leaveOut("it is nested too deeply");
      else seen.set(name, { sent: { ...sent, name }, schema, judged: judge(sent.annotations, trustAnnotations) });
    }
    return [...seen.values()];
  }

  /** Those that are allowed, neither hidden nor held back, as they are in the router. */
  #wanted(
    seen: readonly SeenTool[],
    pinned: ReadonlyMap<string, PinnedTool> | undefined,
    pin: PinMode,
  ): ImportedTool[] {
    const names = toolNames(
      this.name,
      seen.map(({ sent }) => sent.name),
    );
    const held = new Set<string>();
    const wanted = seen.flatMap(({ sent, judged }): ImportedTool[] => {
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
        this.#tellOnce(name, "unusable", `The tool is left out: ${errorText(error)}.`);
        return [];
      }
      const { capId, shownName } = names.get(name) as { capId: string; shownName: string };
      const repeat = settings.repeat ?? this.#options.repeat ?? defaultRepeat;
      const tool = { server: this.name, tool: name, shownName, capId, repeat, settings };
      return [{ ...tool, listed: listedOf(sent, shownName, settings), ...withSettings(pinnedAs.judged, settings) }];
    });
    for (const tool of held) {
      if (this.#held.has(tool)) continue;
      const message = "The tool has changed, or is new: it is held back until it is accepted.";
      this.#tell({ tool, kind: "held-back", message });
    }
    this.#held = held;
    return wanted;
  }

  /** Takes out of the router what is gone or changed, and puts in what is new. Whether anything was. Calls that run go on. */
  #replace(wanted: readonly ImportedTool[], schemas: ReadonlyMap<string, JsonSchemaObject>): boolean {
    const { registry } = this.#router;
    const before = this.#entries;
    const next = new Map<string, Entry>();
    const texts = new Map(wanted.map((tool) => [tool.tool, canonicalJson(tool)]));
    let hasChanged = false;
    for (const [name, { tool, text }] of before) {
      if (texts.get(name) === text) continue;
      hasChanged = true;
      registry.unregister(tool.capId);
      if (!texts.has(name) && !this.#held.has(name)) {
        this.#tell({ tool: name, kind: "removed", message: "The tool is no longer there." });
      }
    }
    for (const tool of wanted) {
      const text = texts.get(tool.tool) as string;
      const known = before.get(tool.tool);
      if (known?.text === text) {
        next.set(tool.tool, known);
        continue;
      }
      hasChanged = true;
      if (this.#register(tool, schemas.get(tool.tool) as JsonSchemaObject)) next.set(tool.tool, { tool, text });
    }
    this.#entries = next;
    return hasChanged;
  }

  /** Whether it is in the router. A schema that can't be used costs the check of the arguments, not the tool. */
  #register(tool: ImportedTool, sent: JsonSchemaObject): boolean {
    const { registry } = this.#router;
    const checked = argumentSchema(withoutKey(sent, tool.settings));
    let { problem } = checked;
    try {
      registry.register(toolCapability(this.#parts, tool, { ...checked, sent }));
    } catch (error) {
      try {
        registry.register(toolCapability(this.#parts, tool, { input: anyArguments(), sent }));
        problem ??= errorText(error);
      } catch (fault) {
        this.#tellOnce(tool.tool, "unusable", `The tool is left out: ${errorText(fault)}.`);
        return false;
      }
    }
    if (problem !== undefined) {
      this.#tellOnce(tool.tool, "unusable", `The arguments of the tool are not checked here: ${problem}.`);
    }
    return true;
  }

  #importOffer(): void {
    const { registry } = this.#router;
    const capabilities = this.offer.capabilities(this.#parts);
    for (const capId of this.#offered) {
      if (capabilities.some((one) => one.capId === capId)) continue;
      registry.unregister(capId);
      this.#offered.delete(capId);
    }
    for (const capability of capabilities) {
      if (this.#offered.has(capability.capId)) continue;
      try {
        registry.register(capability);
        this.#offered.add(capability.capId);
      } catch (error) {
        this.#tellOnce(capability.name, "unusable", `It can't be offered: ${errorText(error)}.`);
      }
    }
  }

  #tellOnce(tool: string | undefined, kind: ImportNotice["kind"], message: string): void {
    const text = canonicalJson([tool, kind, message]);
    if (this.#told.has(text)) return;
    if (this.#told.size > 10_000) this.#told.clear();
    this.#told.add(text);
    this.#tell({ kind, message, ...defined({ tool }) });
  }

  #tell(notice: Omit<ImportNotice, "server">): void {
    try {
      this.#options.onNotice?.({ server: this.name, ...notice });
    } catch {
      // The host's log is its own affair.
    }
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

/** Returns a schema without what a model may not set. */
function withoutKey<Schema extends object>(schema: Schema, { downstreamKeyIn }: ToolSettings): Schema {
  return downstreamKeyIn?.startsWith("/") ? withoutMember(schema, downstreamKeyIn) : schema;
}

/** Whether it can be written and compared. */
function isShallow(value: JsonObject): boolean {
  return attempt(() => canonicalJson(value)) !== undefined;
}
