import { errorText, settleWithin } from "@toolglot/internal";
import type { McpClient, McpListedTool } from "@toolglot/toolkit";
import type { Principal } from "@toolglot/trp-core";
import { principalKey } from "../principal-key.ts";
import type { CallerLists, ImportedTool, ServerState, ServerView } from "../types.ts";
import { oneAtATime } from "./one-at-a-time.ts";
import { Offer } from "./resources.ts";
import type { ToolList } from "./tool-list.ts";
import { wantsLogin } from "./upstream.ts";

/** Callers whose lists are kept; beyond these the list that was asked for longest ago is forgotten, and read again when it is wanted. */
const maxViews = 1_000;
/** Milliseconds that a caller waits for their first list, and between two tries to read one that could not be read. */
const firstMs = 5_000;
const againMs = 2_000;
/** The same, when the server wants a login: whoever knows of one forgets the list. */
const loginMs = 10_000;

/** How often a list is waited for that is forgotten in the middle of it. */
const maxTries = 5;

/** What the lists of callers are made with. */
export interface CallerViewsParts {
  name: string;
  clientOf(principal: Principal): McpClient;
  listOf(caller: string, onImport: (hasChanged: boolean) => void): ToolList;
  /** A list is another one than was shown. */
  onChange(): void;
}

/** A server as each of its callers has it, with their own connection. */
export class CallerViews implements CallerLists {
  readonly #parts: CallerViewsParts;
  /** By principal. The one that was asked for last stands last. */
  readonly #views = new Map<string, View>();

  constructor(parts: CallerViewsParts) {
    this.#parts = parts;
  }

  get all(): readonly View[] {
    return [...this.#views.values()];
  }

  of(principal: Principal): ServerView {
    const key = principalKey({ principal });
    const view = this.#views.get(key) ?? new View(this.#parts, key, principal);
    this.#views.delete(key);
    this.#views.set(key, view);
    const [oldest] = this.#views.keys();
    if (this.#views.size > maxViews && oldest !== undefined) this.#end(oldest);
    return view;
  }

  async ready(principal: Principal): Promise<void> {
    for (let tries = 0; tries < maxTries; tries++) {
      const view = this.of(principal) as View;
      await view.ready();
      // One that was forgotten meanwhile, as when a login came, has nothing to show.
      if (this.#views.get(principalKey({ principal })) === view) return;
    }
  }

  named(capId: string): ImportedTool | undefined {
    for (const { tools, offer } of this.#views.values()) {
      const found = [...tools, offer.resourceRead, offer.promptGet].find((one) => one?.capId === capId);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  forget(principal: Pick<Principal, "tenant" | "id">): void {
    this.#end(principalKey({ principal }));
  }

  close(): void {
    for (const key of [...this.#views.keys()]) this.#end(key);
  }

  #end(key: string): void {
    this.#views.get(key)?.close();
    this.#views.delete(key);
  }
}

/** A server as one caller has it. */
class View implements ServerView {
  readonly name: string;
  readonly client: McpClient;
  readonly offer: Offer;
  readonly list: ToolList;
  readonly #stopListening: () => void;
  readonly #read: () => Promise<void>;
  #state: ServerState = { up: false, restarts: 0 };
  #first: Promise<unknown> | undefined;
  #triedAt = Number.NEGATIVE_INFINITY;
  #isWaitedFor = true;
  #closed = false;

  constructor({ name, clientOf, listOf, onChange }: CallerViewsParts, key: string, principal: Principal) {
    this.name = name;
    this.client = clientOf(principal);
    this.offer = new Offer(name, this.client);
    this.list = listOf(key, (hasChanged) => {
      // Whoever waits for the first list needs no notice that there is one.
      if (hasChanged && !this.#isWaitedFor) onChange();
    });
    this.#read = oneAtATime(() => this.#readNow());
    this.#stopListening = this.client.onToolsChanged(() => void this.#read());
  }

  get tools(): readonly ImportedTool[] {
    return this.list.tools;
  }

  state(): ServerState {
    return this.#state;
  }

  /** Resolves when the first list was read, or was waited for. One that could not be read is tried again, and nobody waits for that. */
  async ready(): Promise<void> {
    if (this.#first === undefined) {
      this.#first = settleWithin(this.#read(), { ms: firstMs }).then(() => {
        this.#isWaitedFor = false;
      });
    } else if (!this.#state.up) {
      const pause = this.#state.needsLogin === true ? loginMs : againMs;
      if (performance.now() >= this.#triedAt + pause) void this.#read();
    }
    await this.#first;
  }

  close(): void {
    this.#closed = true;
    this.#stopListening();
    this.list.close();
  }

  /** Never rejects. */
  async #readNow(): Promise<void> {
    this.#triedAt = performance.now();
    let listed: McpListedTool[];
    try {
      listed = await this.client.listTools();
    } catch (error) {
      const needsLogin = wantsLogin(error);
      this.#state = { up: false, restarts: 0, reason: errorText(error), ...(needsLogin && { needsLogin }) };
      // Without their login it is nobody's list. One of a server that is merely away stays.
      if (needsLogin) this.list.drop();
      return;
    }
    if (this.#closed) return;
    this.#state = { up: true, restarts: 0 };
    await this.list.take(listed);
  }
}
