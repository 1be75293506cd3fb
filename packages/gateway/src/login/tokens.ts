import { type FetchLike, OAuthError, refreshAuthorization } from "@modelcontextprotocol/client";
import { loginFault } from "./errors.ts";
import { isUnknownClient } from "./oauth/code-flow.ts";
import { metadataOf } from "./oauth/discover.ts";
import { granted } from "./oauth/grants.ts";
import { safeFetch } from "./oauth/safe-fetch.ts";
import type { LoginKey, LoginRecord, LoginStore } from "./store/login-store.ts";

/** Tokens are renewed so long before they end, or in the last quarter of a short life. */
const maxMarginMs = 60_000;
/** A token that is younger was renewed while the request was under way that the server refused. */
const youngMs = 5_000;

/** Returns access tokens that are good, and renews them, once for all processes. */
export class Tokens {
  readonly #store: LoginStore;
  readonly #fetch: FetchLike;
  readonly #onEnd: (key: LoginKey) => void;
  readonly #renewals = new Map<string, Promise<LoginRecord | undefined>>();

  /** `onEnd`: hears of a login that its authorization server has ended. */
  constructor(store: LoginStore, fetch: FetchLike, onEnd: (key: LoginKey) => void) {
    this.#store = store;
    this.#fetch = fetch;
    this.#onEnd = onEnd;
  }

  /**
   * Resolves with an access token for the address; undefined when a person has to log in. `refused`: the token that the server did not take.
   * Rejects with `gateway/login-failed` when it can't be renewed now.
   */
  async access(key: LoginKey, url: string, refused?: string): Promise<string | undefined> {
    const record = await this.#store.read(key, url);
    if (record === undefined) return undefined;
    const isRefused = refused === record.accessToken && Date.now() - record.obtainedAt > youngMs;
    if (!isRefused && !isStale(record)) return record.accessToken;
    const isUsable = !isRefused && !isOver(record);
    if (record.refreshToken === undefined) return isUsable ? record.accessToken : undefined;
    try {
      return (await this.#renew(key, record))?.accessToken;
    } catch (error) {
      if (isUsable) return record.accessToken;
      throw error;
    }
  }

  /** Callers of this process that come at the same time share a renewal. */
  #renew(key: LoginKey, seen: LoginRecord): Promise<LoginRecord | undefined> {
    const name = JSON.stringify([key, seen.accessToken]);
    const running = this.#renewals.get(name);
    if (running !== undefined) return running;
    const renewal = this.#store.locked(key, () => this.#renewNow(key, seen)).finally(() => this.#renewals.delete(name));
    this.#renewals.set(name, renewal);
    return renewal;
  }

  async #renewNow(key: LoginKey, seen: LoginRecord): Promise<LoginRecord | undefined> {
    const now = await this.#store.read(key, seen.url);
    // Another process was faster, or somebody has logged in or out meanwhile.
    if (now === undefined || now.accessToken !== seen.accessToken || now.refreshToken === undefined) return now;
    const { issuer, client, resource, refreshToken } = now;
    const place = { name: key.server, url: now.url };
    const fetch = safeFetch(place, this.#fetch);
    try {
      const metadata = await metadataOf(place, issuer, fetch);
      const asked = { metadata, clientInformation: client, refreshToken, resource, fetchFn: fetch };
      const renewed = granted(key.server, now, await refreshAuthorization(issuer, asked));
      await this.#store.write(key, renewed);
      return renewed;
    } catch (error) {
      if (isUnknownClient(error)) await this.#store.removeClient(issuer, client.client_id);
      else if (!(OAuthError.isInstance(error) && error.code === "invalid_grant")) {
        throw loginFault(key.server, "the renewal of its tokens", error);
      }
      await this.#store.remove(key);
      this.#onEnd(key);
      return undefined;
    }
  }
}

function isStale({ expiresAt, obtainedAt }: LoginRecord): boolean {
  if (expiresAt === undefined) return false;
  return Date.now() >= expiresAt - Math.min(maxMarginMs, (expiresAt - obtainedAt) / 4);
}

function isOver({ expiresAt }: LoginRecord): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}
