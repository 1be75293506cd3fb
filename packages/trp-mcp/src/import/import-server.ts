import { defined } from "@toolglot/internal";
import type { McpClient } from "@toolglot/toolkit";
import type { AnyCapability, Router } from "@toolglot/trp-core";
import type { ImportedServer, ImportedTool, ServerState, ServerView } from "../types.ts";
import { CallerViews } from "./caller-views.ts";
import type { ServerParts } from "./capability.ts";
import { Notices } from "./notices.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { checkOptions, type ImportOptions } from "./options.ts";
import { type AcceptOptions, acceptTools, callerPlace, Pins } from "./pins.ts";
import { RegisteredTools } from "./registered-tools.ts";
import { Offer } from "./resources.ts";
import { ToolList } from "./tool-list.ts";
import { Upstream } from "./upstream.ts";
import { tasksExtension, UpstreamTasks } from "./upstream-tasks.ts";

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

class Server implements ImportedServer {
  readonly name: string;
  readonly client: McpClient;
  readonly offer: Offer;
  readonly views: CallerViews | undefined;
  readonly #router: Router;
  readonly #list: ToolList;
  readonly #upstream: Upstream;
  readonly #parts: ServerParts;
  readonly #listeners = new Set<() => void>();
  readonly #registered: RegisteredTools;
  #unsubscribe: () => void = () => {};
  #isReady: () => void = () => {};
  readonly #ready: Promise<void>;

  constructor(router: Router, client: McpClient, options: ImportOptions) {
    const { name, channel, clientOf, limits, timeoutMs = 60_000, maxConcurrency = 16 } = options;
    this.name = name;
    this.client = client;
    this.#router = router;
    const notices = new Notices(name, options.onNotice);
    this.#upstream = new Upstream(client, () => this.refresh(), notices);
    this.#parts = {
      router,
      clientOf: clientOf ?? (() => client),
      channel,
      limits: { maxBytes: 4 * 1024 * 1024, keepBytes: 1024 * 1024, ...defined(limits ?? {}) },
      timeoutMs,
      maxConcurrency,
      tasks: new UpstreamTasks(router.store),
      makesTasks: () => this.#all().some((view) => view.client.capabilities.includes(tasksExtension)),
      upstream: this.#upstream,
    };
    const registered = new RegisteredTools(router.registry, this.#parts, notices, clientOf !== undefined);
    this.#registered = registered;
    const listOf = (source: string, pins: Pins, onImport: (hasChanged: boolean) => void): ToolList =>
      new ToolList({
        ...{ options, source, pins, registered, notices },
        onImport: (hasChanged) => {
          this.#registered.replaceReads(this.#reads());
          onImport(hasChanged);
        },
      });
    this.#list = listOf("", new Pins(router.store, name), (hasChanged) => {
      this.#isReady();
      if (hasChanged) this.#changed();
    });
    this.offer = new Offer(name, client);
    this.views =
      clientOf &&
      new CallerViews({
        ...{ name, clientOf },
        listOf: (caller, onImport) => listOf(caller, new Pins(router.store, name, callerPlace(name, caller)), onImport),
        onChange: () => this.#changed(),
      });
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
    return this.#list.tools;
  }

  state(): ServerState {
    return this.#upstream.state();
  }

  ready(): Promise<void> {
    return this.#ready;
  }

  readonly refresh = oneAtATime(() => this.#refresh());

  async #refresh(): Promise<void> {
    const listed = await this.client.listTools().catch((error: unknown) => {
      // Whoever asked: from now on it is known.
      this.#upstream.refuses(error);
      throw error;
    });
    this.#upstream.met();
    await this.#list.take(listed);
  }

  onChange(listener: () => void): () => void {
    const entry = (): void => listener();
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  async accept(options: AcceptOptions): Promise<string[]> {
    const accepted = await acceptTools(this.#router.store, this.name, options);
    if (accepted.length > 0) {
      await Promise.all([this.#list, ...(this.views?.all ?? []).map(({ list }) => list)].map((list) => list.import()));
    }
    return accepted;
  }

  async close(): Promise<void> {
    this.#list.close();
    this.views?.close();
    this.#unsubscribe();
    this.#upstream.close();
    this.#isReady();
    this.#registered.clear();
    await this.client.close();
  }

  #all(): (ServerView & { offer: Offer })[] {
    return [this, ...(this.views?.all ?? [])];
  }

  #changed(): void {
    for (const listener of [...this.#listeners]) listener();
  }

  /** The reads of whoever has some, each once. */
  #reads(): AnyCapability[] {
    const all = this.#all().flatMap(({ offer }) => offer.capabilities(this.#parts));
    return [...new Map(all.map((read) => [read.capId, read])).values()];
  }
}
