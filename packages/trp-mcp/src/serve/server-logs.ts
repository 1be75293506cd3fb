import type { LoggingLevel, Server, ServerContext } from "@modelcontextprotocol/server";
import type { JsonObject } from "@toolglot/core";
import { principalKey } from "../principal-key.ts";
import type { ServerView } from "../types.ts";
import type { GateCaller } from "./options.ts";

const levels: readonly string[] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

interface Session {
  principal: string;
  level: LoggingLevel | undefined;
}

interface RunningAt {
  server: string;
  session: Server;
  notify: ServerContext["mcpReq"]["notify"];
}

/**
 * Passes on what servers log, on the revisions before 2026-07-28. Servers don't say whose call a line is about: it goes to the sessions
 * whose calls run there, else to all, and to nobody while clients of several principals are connected.
 */
export class ServerLogs {
  readonly #sessions = new Map<Server, Session>();
  readonly #running = new Set<RunningAt>();
  #level: LoggingLevel | undefined;

  connect(session: Server, caller: GateCaller): void {
    this.#sessions.set(session, { principal: principalKey(caller), level: undefined });
  }

  disconnect(session: Server): void {
    this.#sessions.delete(session);
  }

  /** Notes that a call of the session runs at a server. Returns what ends that. */
  during(server: string, session: Server, { mcpReq: { notify } }: ServerContext): () => void {
    const entry = { server, session, notify };
    this.#running.add(entry);
    return () => void this.#running.delete(entry);
  }

  /** Sets what a session wants to hear, and asks servers for what the most curious of all wants. */
  setLevel(session: Server, level: LoggingLevel, servers: readonly ServerView[]): void {
    const known = this.#sessions.get(session);
    if (known === undefined) return;
    known.level = level;
    const wanted = [...this.#sessions.values()].flatMap((one) => one.level ?? []);
    const [lowest = level] = wanted.sort((one, other) => levels.indexOf(one) - levels.indexOf(other));
    if (lowest === this.#level) return;
    this.#level = lowest;
    for (const { client } of servers) {
      // A server that can't be reached goes on as it is.
      if (client.capabilities.includes("logging"))
        client.request("logging/setLevel", { level: lowest }).catch(() => {});
    }
  }

  /** `principal`: on whose connection it came, where each has one. */
  pass(server: string, params: JsonObject, principal?: string): void {
    const principals = new Set([...this.#sessions.values()].map((session) => session.principal));
    if (principals.size !== 1 || (principal !== undefined && !principals.has(principal))) return;
    const notification = { method: "notifications/message", params };
    const running = new Map([...this.#running].filter((one) => one.server === server).map((one) => [one.session, one]));
    for (const [session, { level }] of this.#sessions) {
      if (level !== undefined && levels.indexOf(String(params.level)) < levels.indexOf(level)) continue;
      const at = running.get(session);
      // A client that is gone hears nothing.
      if (at !== undefined) at.notify(notification).catch(() => {});
      else if (running.size === 0) session.notification(notification).catch(() => {});
    }
  }
}
