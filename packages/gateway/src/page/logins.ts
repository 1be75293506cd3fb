import { createHash, createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { parseJson } from "@toolglot/internal";
import type { RouterStore } from "@toolglot/trp-core/store";
import type { Authenticator } from "../identity/authenticator.ts";
import type { Identity } from "../identity/types.ts";

/** Milliseconds. */
const loginMs = 12 * 60 * 60_000;
const linkMs = 5 * 60_000;
/** More links than this at a time end the oldest. */
const maxLinks = 1_000;
/** Milliseconds between two looks for logins that are over, and for whether another process has ended one whose pages are open here. */
const sweepMs = 300_000;
const lookMs = 5_000;

const folder = "gateway/logins/";

/** Somebody who has signed in to the page. */
export interface Login {
  readonly identity: Identity;
  /** By the clock of the store: any process on it may read this. */
  readonly endsAt: number;
}

interface Streams {
  identity: Identity;
  closes: Set<() => void>;
  timers: NodeJS.Timeout[];
}

/**
 * Who has signed in, at any process on the store. The store knows the digests of cookies alone. A login ends by itself after twelve hours,
 * with its token, and when that is revoked; the streams of its pages end with it.
 */
export class Logins {
  readonly #auth: Authenticator;
  readonly #store: Pick<RouterStore, "blobs" | "now">;
  readonly #key: string | Uint8Array;
  readonly #links = new Map<string, Login>();
  readonly #streams = new Map<string, Streams>();
  readonly #unsubscribe: () => void;
  #sweptAt = Number.NEGATIVE_INFINITY;

  /** `key`: of forms, the same for all processes on the store. Default: of this process alone. */
  constructor(
    auth: Authenticator,
    store: Pick<RouterStore, "blobs" | "now">,
    key: string | Uint8Array = randomBytes(32),
  ) {
    this.#auth = auth;
    this.#store = store;
    this.#key = key;
    this.#unsubscribe = auth.onRevoked((id) => {
      for (const [cookie, { identity }] of this.#streams) if (identity.id === id) this.#close(cookie);
    });
  }

  /** Resolves with the value of the cookie. */
  async begin(identity: Identity): Promise<string> {
    await this.#sweep();
    const endsAt = Math.min(this.#store.now() + loginMs, identity.expiresAt ?? Infinity);
    const cookie = `${endsAt.toString(36)}-${randomBytes(32).toString("base64url")}`;
    const login: Login = { identity, endsAt };
    await this.#store.blobs.put(nameOf(cookie), new TextEncoder().encode(JSON.stringify(login)));
    return cookie;
  }

  /** Resolves with who a cookie stands for, with the roles that they have now. Rejects as the store. */
  async find(cookie: string | undefined): Promise<Login | undefined> {
    if (cookie === undefined || endOf(cookie) <= this.#store.now()) return undefined;
    const bytes = await this.#store.blobs.get(nameOf(cookie));
    const login = bytes && (parseJson(new TextDecoder().decode(bytes)) as Login);
    // Nobody while an editor writes the file of tokens: the login is not over for that.
    const identity = login && this.#auth.current(login.identity);
    return login && identity && { identity, endsAt: login.endsAt };
  }

  async end(cookie: string): Promise<void> {
    this.#close(cookie);
    await this.#store.blobs.delete(nameOf(cookie));
  }

  /** Calls `close` when the login ends, wherever it is ended. Returns what ends that. */
  stream({ identity, cookie }: { identity: Identity; cookie: string }, close: () => void): () => void {
    const all = this.#streams.get(cookie) ?? this.#watch(identity, cookie);
    all.closes.add(close);
    return () => {
      all.closes.delete(close);
      if (all.closes.size === 0) this.#close(cookie);
    };
  }

  /** Makes the code of a link that signs somebody in once, within five minutes. */
  link(identity: Identity): string {
    const code = randomBytes(24).toString("base64url");
    const now = this.#store.now();
    this.#links.set(code, { identity, endsAt: now + linkMs });
    for (const [old, { endsAt }] of this.#links) {
      if (endsAt <= now || this.#links.size > maxLinks) this.#links.delete(old);
    }
    return code;
  }

  /** Returns whom a link signs in; undefined once it was used or is over. */
  linked(code: string): Identity | undefined {
    const link = this.#links.get(code);
    return link !== undefined && link.endsAt > this.#store.now() ? this.#auth.current(link.identity) : undefined;
  }

  /** The same, and the link is used up. */
  takeLink(code: string): Identity | undefined {
    const identity = this.linked(code);
    this.#links.delete(code);
    return identity;
  }

  /** What a form must hold so that it is known to be of a page that this cookie was shown. */
  formKey(cookie: string): string {
    return createHmac("sha256", this.#key).update(`form of ${cookie}`).digest("base64url");
  }

  isFormKey(cookie: string, given: string): boolean {
    const [one, other] = [Buffer.from(this.formKey(cookie)), Buffer.from(given)];
    return one.length === other.length && timingSafeEqual(one, other);
  }

  /** Ends the streams; logins go on at other processes, and at the next one here. */
  close(): void {
    this.#unsubscribe();
    for (const cookie of [...this.#streams.keys()]) this.#close(cookie);
    this.#links.clear();
  }

  #watch(identity: Identity, cookie: string): Streams {
    const look = async (): Promise<void> => {
      // While the store can't serve, nobody has ended anything there.
      if ((await this.find(cookie).catch(() => identity)) === undefined) this.#close(cookie);
    };
    const timers = [
      setInterval(() => void look(), lookMs).unref(),
      setTimeout(() => this.#close(cookie), endOf(cookie) - this.#store.now()).unref(),
    ];
    const streams: Streams = { identity, closes: new Set(), timers };
    this.#streams.set(cookie, streams);
    return streams;
  }

  #close(cookie: string): void {
    const { closes = [], timers = [] } = this.#streams.get(cookie) ?? {};
    this.#streams.delete(cookie);
    for (const timer of timers) clearTimeout(timer);
    for (const close of [...closes]) close();
  }

  async #sweep(): Promise<void> {
    const now = this.#store.now();
    if (now < this.#sweptAt + sweepMs) return;
    this.#sweptAt = now;
    for await (const name of this.#store.blobs.list(folder)) {
      if (endOf(name.slice(folder.length)) <= now) await this.#store.blobs.delete(name);
    }
  }
}

/** When a login is over, by its cookie; 0 for what is none. */
function endOf(cookie: string): number {
  const [, end] = /^([0-9a-z]{1,11})-[\w-]{32,64}$/.exec(cookie) ?? [];
  return end === undefined ? 0 : Number.parseInt(end, 36);
}

function nameOf(cookie: string): string {
  return `${folder}${endOf(cookie).toString(36)}-${createHash("sha256").update(cookie).digest("base64url")}`;
}
