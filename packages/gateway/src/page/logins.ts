import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import type { Authenticator } from "../identity/authenticator.ts";
import type { Identity } from "../identity/types.ts";

/** Milliseconds. */
const loginMs = 12 * 60 * 60_000;
const linkMs = 5 * 60_000;
/** More logins than this at a time end the oldest. */
const most = 1_000;

/** Somebody who has signed in to the page. */
export interface Login {
  readonly identity: Identity;
  /** Milliseconds since the epoch. */
  readonly endsAt: number;
}

/**
 * Who has signed in, in this process: a restart ends all logins. A login ends by itself after twelve hours, with its token, and
 * when that is revoked; the streams of its pages end with it.
 */
export class Logins {
  readonly #auth: Authenticator;
  readonly #key = randomBytes(32);
  readonly #logins = new Map<string, Login>();
  readonly #links = new Map<string, Login>();
  readonly #streams = new Map<string, Set<() => void>>();
  readonly #unsubscribe: () => void;

  constructor(auth: Authenticator) {
    this.#auth = auth;
    this.#unsubscribe = auth.onRevoked((id) => {
      for (const [cookie, { identity }] of this.#logins) if (identity.id === id) this.end(cookie);
    });
  }

  /** Returns the value of the cookie. */
  begin(identity: Identity): string {
    const cookie = randomBytes(32).toString("base64url");
    this.#logins.set(cookie, { identity, endsAt: Math.min(Date.now() + loginMs, identity.expiresAt ?? Infinity) });
    this.#sweep(this.#logins, (old) => this.end(old));
    return cookie;
  }

  /** Returns who a cookie stands for, with the roles that they have now. */
  find(cookie: string | undefined): Login | undefined {
    const login = cookie === undefined ? undefined : this.#logins.get(cookie);
    if (login === undefined || cookie === undefined) return undefined;
    const identity = login.endsAt > Date.now() ? this.#auth.current(login.identity) : undefined;
    if (identity === undefined) this.end(cookie);
    return identity && { identity, endsAt: login.endsAt };
  }

  end(cookie: string): void {
    this.#logins.delete(cookie);
    for (const close of this.#streams.get(cookie) ?? []) close();
    this.#streams.delete(cookie);
  }

  /** Calls `close` when the login ends. Returns what ends that. */
  stream(cookie: string, close: () => void): () => void {
    const all = this.#streams.get(cookie) ?? new Set();
    this.#streams.set(cookie, all.add(close));
    const timer = setTimeout(() => this.end(cookie), (this.#logins.get(cookie)?.endsAt ?? 0) - Date.now()).unref();
    return () => {
      clearTimeout(timer);
      all.delete(close);
    };
  }

  /** Makes the code of a link that signs somebody in once, within five minutes. */
  link(identity: Identity): string {
    const code = randomBytes(24).toString("base64url");
    this.#links.set(code, { identity, endsAt: Date.now() + linkMs });
    this.#sweep(this.#links, (old) => this.#links.delete(old));
    return code;
  }

  /** Returns whom a link signs in; undefined once it was used or is over. */
  linked(code: string): Identity | undefined {
    const link = this.#links.get(code);
    return link !== undefined && link.endsAt > Date.now() ? this.#auth.current(link.identity) : undefined;
  }

  /** The same, and the link is used up. */
  takeLink(code: string): Identity | undefined {
    const identity = this.linked(code);
    this.#links.delete(code);
    return identity;
  }

  /** What a form must hold so that it is known to be of a page that this cookie was shown. */
  formKey(cookie: string): string {
    return createHmac("sha256", this.#key).update(cookie).digest("base64url");
  }

  isFormKey(cookie: string, given: string): boolean {
    const [one, other] = [Buffer.from(this.formKey(cookie)), Buffer.from(given)];
    return one.length === other.length && timingSafeEqual(one, other);
  }

  close(): void {
    this.#unsubscribe();
    for (const cookie of [...this.#logins.keys()]) this.end(cookie);
    this.#links.clear();
  }

  #sweep(all: ReadonlyMap<string, Login>, remove: (key: string) => void): void {
    const now = Date.now();
    for (const [key, { endsAt }] of all) if (endsAt <= now || all.size > most) remove(key);
  }
}
