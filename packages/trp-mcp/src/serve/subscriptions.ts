import type { JsonObject } from "@toolglot/core";
import type { ServerView } from "../types.ts";

interface Subscribed {
  listeners: Set<(params: JsonObject) => void>;
  /** Settles with the server's answer. */
  taken: Promise<unknown>;
}

/** Subscriptions to resources: one at the server for all who want it. */
export class Subscriptions {
  readonly #onError: (error: Error) => void;
  readonly #servers = new WeakMap<ServerView, Map<string, Subscribed>>();

  constructor(onError: (error: Error) => void) {
    this.#onError = onError;
  }

  /** Resolves with what ends the subscription, when the server has taken it. Rejects as `McpClient.request`. */
  async add(server: ServerView, uri: string, listener: (params: JsonObject) => void): Promise<() => void> {
    const all = this.#of(server);
    const subscribed = all.get(uri) ?? {
      listeners: new Set(),
      taken: server.client.request("resources/subscribe", { uri }),
    };
    const entry = (params: JsonObject): void => listener(params);
    subscribed.listeners.add(entry);
    all.set(uri, subscribed);
    const leave = (): boolean => {
      const isLast = subscribed.listeners.delete(entry) && subscribed.listeners.size === 0;
      if (isLast) all.delete(uri);
      return isLast;
    };
    try {
      await subscribed.taken;
    } catch (error) {
      leave();
      throw error;
    }
    return () => {
      if (leave()) server.client.request("resources/unsubscribe", { uri }).catch(this.#onError);
    };
  }

  /** Passes a server's notification on: to those who want this address, or one that it lies under. */
  updated(server: ServerView, params: JsonObject): void {
    for (const [uri, { listeners }] of this.#of(server)) {
      if (!`${params.uri}/`.startsWith(uri.endsWith("/") ? uri : `${uri}/`)) continue;
      for (const listener of [...listeners]) listener(params);
    }
  }

  /** Subscribes again, after the server's session was another one. */
  renew(server: ServerView): void {
    for (const uri of this.#of(server).keys()) {
      server.client.request("resources/subscribe", { uri }).catch(this.#onError);
    }
  }

  #of(server: ServerView): Map<string, Subscribed> {
    const known = this.#servers.get(server);
    if (known !== undefined) return known;
    const made = new Map<string, Subscribed>();
    this.#servers.set(server, made);
    return made;
  }
}
