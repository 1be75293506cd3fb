import { canonicalJson, defined } from "@toolglot/internal";
import { type ClientTracing, createClient, inProcessTransport, type TrpClient } from "@toolglot/trp-client";
import type { Principal, Router } from "@toolglot/trp-core";
import type { Caller } from "../types.ts";

/** Sessions that are kept open; beyond these the one that was used longest ago is closed. */
const maxClients = 1_000;

/** Sessions with the router: one for each principal and client program. */
export class RouterClients {
  readonly #router: Router;
  readonly #tracing: ClientTracing | undefined;
  readonly #clients = new Map<string, TrpClient>();
  /** Whose key was made last: one client program makes most of the calls. */
  #last: { principal: Principal; name: string; version: string; key: string } | undefined;

  constructor(router: Router, tracing?: ClientTracing) {
    this.#router = router;
    this.#tracing = tracing;
  }

  /** `roles`: in place of those of the principal. */
  of({ principal, client }: Caller, roles: readonly string[] = principal.roles): TrpClient {
    const who: Principal = { ...principal, roles };
    const agentId = `${client.name}/${client.version}`.slice(0, 128);
    const key = this.#keyOf(who, principal, client, agentId);
    const found = this.#clients.get(key);
    if (found !== undefined) {
      this.#clients.delete(key);
      this.#clients.set(key, found);
      return found;
    }
    // A call is made once: what may be repeated, and how, is decided above.
    const made = createClient({
      transport: inProcessTransport(this.#router, who),
      agentId,
      keys: "explicit",
      retry: { maxRetries: 0 },
      ...defined({ tracing: this.#tracing }),
    });
    this.#clients.set(key, made);
    if (this.#clients.size > maxClients) {
      for (const [oldest, client] of this.#clients) {
        this.#clients.delete(oldest);
        void client.close();
        break;
      }
    }
    return made;
  }

  #keyOf(who: Principal, principal: Principal, { name, version }: Caller["client"], agentId: string): string {
    const last = this.#last;
    const isSame = last?.principal === principal && last.name === name && last.version === version;
    if (isSame && who.roles === principal.roles) return last.key;
    const key = canonicalJson([who.tenant, who.id, who.canDelete, [...who.roles], agentId]);
    if (who.roles === principal.roles) this.#last = { principal, name, version, key };
    return key;
  }

  async close(): Promise<void> {
    const all = [...this.#clients.values()];
    this.#clients.clear();
    await Promise.all(all.map((client) => client.close()));
  }
}
