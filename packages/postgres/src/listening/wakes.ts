import { createHash } from "node:crypto";
import type { ChangeWait } from "@toolglot/core";
import { inBackground, onAbort, sleep } from "@toolglot/internal";
import type { Settings } from "../options.ts";
import { Listener } from "./listener.ts";

/** What is said within this time is said together. Milliseconds. */
const gatherMs = 10;
/** For how long others know that somebody waits for a name, and how often that is said while somebody does. Milliseconds. */
const interestMs = 30_000;
const sayAgainMs = 10_000;
/** Names in one message, of which PostgreSQL takes 8,000 bytes. */
const atOnce = 300;

/**
 * Wakes those who wait for a change, also in other processes. A waiter says what it waits for; whoever changes something says so only when
 * somebody waits for it, after the commit and outside its transaction, since a NOTIFY in a transaction makes all commits of the database
 * wait for one another. All of it are hints: one that is lost, or comes twice, costs a look more or a longer wait.
 */
export class Wakes {
  readonly #listener: Listener;
  /** By the name's digest: what wakes the waiters here, and until when others wait. Of `performance.now()`. */
  readonly #waiters = new Map<string, Set<() => void>>();
  readonly #interests = new Map<string, number>();
  /** When others heard last what is waited for here. */
  readonly #said = new Map<string, number>();
  readonly #unsaid = { waits: new Set<string>(), changed: new Set<string>() };
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(settings: Settings) {
    this.#listener = new Listener(settings, {
      message: (text) => this.#hear(text),
      connected: (isAgain) => {
        // Whoever waits for something says so again, this process too.
        this.#listener.say("who");
        if (isAgain) this.#wakeAll();
      },
    });
  }

  /** Resolves when something of this name may have changed, or the time is over. */
  async wait(name: string, { ms, signal }: ChangeWait): Promise<void> {
    if (signal?.aborted) return;
    this.#listener.start();
    const digest = digestOf(name);
    const waiters = this.#waiters.get(digest) ?? new Set();
    this.#waiters.set(digest, waiters);
    const now = performance.now();
    if ((this.#said.get(digest) ?? -Infinity) <= now - sayAgainMs) this.#say("waits", digest);
    const woken = new AbortController();
    const wake = (): void => woken.abort();
    waiters.add(wake);
    const stopListening = onAbort(signal, wake);
    await sleep(ms, woken.signal);
    stopListening();
    waiters.delete(wake);
    if (waiters.size > 0) return;
    this.#waiters.delete(digest);
    // A poll waits again at once: others need not hear it again.
    inBackground(() => this.#waiters.has(digest) || this.#said.delete(digest), sayAgainMs);
  }

  /** Something of this name has changed, and is committed. */
  changed(name: string): void {
    this.#listener.start();
    if (this.#waiters.size === 0 && this.#interests.size === 0) return;
    const digest = digestOf(name);
    this.#wake(digest);
    const until = this.#interests.get(digest);
    if (until === undefined) return;
    if (until > performance.now()) this.#say("changed", digest);
    this.#interests.delete(digest);
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#send();
    await this.#listener.close();
    this.#wakeAll();
  }

  #say(what: "waits" | "changed", digest: string): void {
    if (what === "waits") this.#said.set(digest, performance.now());
    this.#unsaid[what].add(digest);
    this.#timer ??= inBackground(() => this.#send(), gatherMs);
  }

  #send(): void {
    this.#timer = undefined;
    for (const [what, digests] of Object.entries(this.#unsaid)) {
      const all = [...digests];
      digests.clear();
      for (let at = 0; at < all.length; at += atOnce) {
        this.#listener.say(`${what} ${all.slice(at, at + atOnce).join(" ")}`);
      }
    }
  }

  /** What this process has said itself comes here, too. */
  #hear(text: string): void {
    const [what, ...digests] = text.split(" ");
    if (what === "who") for (const digest of this.#waiters.keys()) this.#say("waits", digest);
    if (what === "changed") for (const digest of digests) this.#wake(digest);
    if (what !== "waits") return;
    const now = performance.now();
    for (const [digest, until] of this.#interests) if (until <= now) this.#interests.delete(digest);
    for (const digest of digests) this.#interests.set(digest, now + interestMs);
  }

  #wake(digest: string): void {
    for (const wake of this.#waiters.get(digest) ?? []) wake();
  }

  #wakeAll(): void {
    for (const digest of this.#waiters.keys()) this.#wake(digest);
  }
}

function digestOf(name: string): string {
  return createHash("sha256").update(name).digest("base64url").slice(0, 22);
}
