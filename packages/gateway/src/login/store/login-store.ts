import { createHash } from "node:crypto";
import { join, resolve } from "node:path";
import { ToolglotError } from "@toolglot/core";
import { attempt, isObject, parseJson } from "@toolglot/internal";
import { makePrivateFolder, takeLock, thisOwner } from "@toolglot/internal/node";
import { type AskPassphrase, fileStore, type SecretStore } from "@toolglot/secrets";
import type { OAuthClient } from "../oauth/client-request.ts";
import { unionOf } from "../oauth/scopes.ts";
import type { LoginInfo } from "../types.ts";
import { keyFile } from "./key-file.ts";

/** Whose login at which server. `principal`: absent where all share one. */
export interface LoginKey {
  readonly server: string;
  readonly principal?: { readonly tenant: string; readonly id: string };
}

/** A login as it is kept. All that it holds goes to its own issuer, or its own server, and nowhere else. */
export interface LoginRecord {
  /** The address of the MCP server that the tokens are for. */
  url: string;
  issuer: string;
  resource: string;
  client: OAuthClient;
  accessToken: string;
  refreshToken?: string;
  scope?: string;
  obtainedAt: number;
  expiresAt?: number;
}

/** A registration at an authorization server. */
export interface KeptClient {
  client: OAuthClient;
  redirectUri: string;
  /** What it may ask for. */
  scope?: string;
}

/** Where {@link LoginStore} keeps what it is given. */
export interface LoginStoreOptions {
  /** Made for its owner alone. */
  stateDir: string;
  /** Default: a file in the state directory. */
  store?: SecretStore;
  /** Unlocks that file. Default: the file `logins.key` beside it, made with it. `TOOLGLOT_VAULT_PASSPHRASE_FILE` goes before both. */
  passphrase?: AskPassphrase;
}

/** Characters. What a server wants besides is not kept. */
const maxScopes = 4_096;
/** A renewal asks the authorization server twice, with 30 s for each answer. */
const waitForLockMs = 75_000;

/** Logins and registrations, encrypted. What rejects has the codes of `@toolglot/secrets`. */
export class LoginStore {
  readonly #stateDir: string;
  readonly #store: SecretStore;
  readonly #self = thisOwner();

  constructor({ stateDir, store, passphrase }: LoginStoreOptions) {
    this.#stateDir = resolve(stateDir);
    const path = join(this.#stateDir, "logins.json");
    this.#store = store ?? fileStore({ path, passphrase: passphrase ?? keyFile(join(this.#stateDir, "logins.key")) });
  }

  /** Resolves with a login that is for this address. */
  async read(key: LoginKey, url?: string): Promise<LoginRecord | undefined> {
    const record = (await this.#read(loginScope(key), "LOGIN")) as LoginRecord | undefined;
    // The server of that name is another one today: it gets nothing that was made for the one before.
    return record !== undefined && (url === undefined || record.url === url) ? record : undefined;
  }

  /** Keeps the tokens of a login that were renewed. */
  async write(key: LoginKey, record: LoginRecord): Promise<void> {
    await this.#store.set("LOGIN", loginScope(key), { value: JSON.stringify(record) });
  }

  /** Keeps a new login. */
  async begin(key: LoginKey, record: LoginRecord): Promise<void> {
    await this.write(key, record);
    // Its time, which anybody can read, is that of the login: the other entry's is that of the last renewal.
    await this.#store.set("SINCE", loginScope(key), { value: String(record.obtainedAt) });
  }

  /** Forgets a login; `missed`: and what its server wanted besides. */
  async remove(key: LoginKey, { missed = false }: { missed?: boolean } = {}): Promise<boolean> {
    if (missed) await this.#store.remove("MISSED", missedScope(key));
    await this.#store.remove("SINCE", loginScope(key));
    return await this.#store.remove("LOGIN", loginScope(key));
  }

  /** Notes scopes that a server wanted and a login did not have: they go with what that had to the next one. */
  async miss(key: LoginKey, scope: string): Promise<void> {
    await this.locked(key, async () => {
      const before = await this.missed(key);
      const all = unionOf(before, (await this.read(key))?.scope, scope);
      if (all === undefined || all === before || all.length > maxScopes) return;
      await this.#store.set("MISSED", missedScope(key), { value: JSON.stringify({ scope: all }) });
    });
  }

  async missed(key: LoginKey): Promise<string | undefined> {
    return ((await this.#read(missedScope(key), "MISSED")) as { scope: string } | undefined)?.scope;
  }

  /** `place`: where its answers go to, `loopback` for a port of this machine. */
  async readClient(issuer: string, place: string): Promise<KeptClient | undefined> {
    return (await this.#read(clientScope(issuer, place), "CLIENT")) as KeptClient | undefined;
  }

  async writeClient(issuer: string, place: string, kept: KeptClient): Promise<void> {
    await this.#store.set("CLIENT", clientScope(issuer, place), { value: JSON.stringify(kept) });
  }

  /** Forgets the registrations at an issuer under an id that it no longer knows. */
  async removeClient(issuer: string, clientId: string): Promise<void> {
    for (const { name, scope } of await this.#store.list()) {
      const [kind, of] = scopeParts(scope);
      if (name !== "CLIENT" || kind !== "client" || of !== issuer) continue;
      const kept = (await this.#read(scope, name)) as KeptClient | undefined;
      if (kept?.client.client_id === clientId) await this.#store.remove(name, scope);
    }
  }

  /**
   * Notes at which issuer a client that the configuration names was first used, and resolves with that one. A server that names another
   * issuer later must not get the client's secret sent there.
   */
  async boundIssuer(server: string, clientId: string, issuer: string): Promise<string> {
    const scope = JSON.stringify(["bound", server]);
    const kept = (await this.#read(scope, "ISSUER")) as { clientId: string; issuer: string } | undefined;
    if (kept?.clientId === clientId) return kept.issuer;
    await this.#store.set("ISSUER", scope, { value: JSON.stringify({ clientId, issuer }) });
    return issuer;
  }

  async removeBound(server: string): Promise<void> {
    await this.#store.remove("ISSUER", JSON.stringify(["bound", server]));
  }

  /** What changes a login runs here: one at a time, across all processes that have this state directory. */
  async locked<Result>(key: LoginKey, work: () => Promise<Result>): Promise<Result> {
    const name = createHash("sha256").update(loginScope(key)).digest("hex").slice(0, 32);
    const folder = join(this.#stateDir, "login-locks", name);
    await makePrivateFolder(folder, (message) => new ToolglotError("secrets/permissions", message));
    const lock = await takeLock(folder, this.#self, waitForLockMs, () => {
      const message = `Login at ${key.server}: another process has been renewing it for more than ${waitForLockMs / 1000} s.`;
      return new ToolglotError("gateway/login-failed", message, { data: { server: key.server } });
    });
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  /** Which logins there are, and when each began, by what tells them apart. Unlocks nothing. */
  async logins(): Promise<Map<string, { key: LoginKey; since: number }>> {
    const found = new Map<string, { key: LoginKey; since: number }>();
    for (const { name, scope, at } of await this.#store.list()) {
      const [kind, server, tenant, id] = scopeParts(scope);
      if (kind !== "login" || server === undefined) continue;
      const principal = tenant === undefined || id === undefined ? undefined : { tenant, id };
      const since = name === "SINCE" ? at : (found.get(scope)?.since ?? 0);
      found.set(scope, { key: { server, ...(principal && { principal }) }, since });
    }
    return found;
  }

  async #read(scope: string, name: string): Promise<object | undefined> {
    const kept = await this.#store.get(name, scope);
    const value = kept && parseJson(kept.value);
    return isObject(value) ? value : undefined;
  }
}

function loginScope({ server, principal }: LoginKey): string {
  return JSON.stringify(["login", server, ...(principal === undefined ? [] : [principal.tenant, principal.id])]);
}

function missedScope(key: LoginKey): string {
  return JSON.stringify(["missed", ...scopeParts(loginScope(key)).slice(1)]);
}

function clientScope(issuer: string, place: string): string {
  return JSON.stringify(["client", issuer, place]);
}

function scopeParts(scope: string): string[] {
  const parts: unknown = attempt(() => JSON.parse(scope));
  return Array.isArray(parts) ? parts.filter((part) => typeof part === "string") : [];
}

/** Returns what may be shown of a login. */
export function infoOf({ server, principal }: LoginKey, record: LoginRecord): LoginInfo {
  const { issuer, scope, obtainedAt, expiresAt, refreshToken } = record;
  return {
    server,
    ...(principal && { principal }),
    issuer,
    ...(scope !== undefined && { scope }),
    obtainedAt,
    ...(expiresAt !== undefined && { expiresAt }),
    isRenewable: refreshToken !== undefined,
  };
}
