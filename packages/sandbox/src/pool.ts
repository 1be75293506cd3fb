import { ToolglotError } from "@toolglot/core";
import { inBackground, Limiter, type Release } from "@toolglot/internal";
import type { Engine, Guest } from "./engine.ts";
import { GuestStock } from "./guest-stock.ts";
import type { ReuseOptions } from "./reuse.ts";
import type { SandboxPoolStats } from "./run-types.ts";
import type { PoolOptions } from "./types.ts";

/** A guest lent to one run. */
export interface Lease {
  guest: Guest;
  /** Whether it was ready when it was asked for. */
  warm: boolean;
  /** Programs that its interpreter ran before. */
  reused: number;
  /** Releases the guest, which ends it or sets it back for the next run, and its place. `held`: as in {@link Guest.renew}. */
  release(held?: string): void;
  /** Called in place of `release` when its program continues in another guest. Default: as `release`. */
  leave?(): void;
}

/**
 * How long a run lasts before the guest for the next one is started, which takes a processor from it; longer while there
 * is another that is ready. A shorter run starts it when it ends.
 */
const refillDelayMs = { empty: 100, stocked: 1000 };

/** Guests: some kept ready, a bounded number at work, a bounded number of runs waiting in order. */
export class GuestPool {
  readonly #rules: Required<PoolOptions>;
  readonly #limiter: Limiter;
  readonly #stock: GuestStock;
  #served = 0;
  #admitted = 0;
  #lent = 0;
  #state: "open" | "draining" | "disposed" = "open";
  #refill: ReturnType<typeof setTimeout> | undefined;
  #drained: Promise<void> | undefined;
  #onQuiet: () => void = () => {};

  constructor(engine: Engine, rules: Required<PoolOptions>, reuse?: ReuseOptions) {
    this.#rules = rules;
    this.#limiter = new Limiter(rules.maxConcurrency);
    const wanted = (): number => {
      if (this.#state === "open") return rules.size;
      const { running, waiting } = this.#limiter;
      // Those that have a place, or will, and no guest yet.
      return this.#state === "draining" ? Math.min(rules.size, waiting + running - this.#lent) : 0;
    };
    this.#stock = new GuestStock(engine, wanted, reuse);
  }

  get counts(): Omit<SandboxPoolStats, "engine" | "isolation" | "missingWalls" | "snapshot"> {
    const { running, waiting } = this.#limiter;
    return { ...this.#stock.counts, running, waiting, served: this.#served };
  }

  /**
   * Lets in a run, which may then acquire guests, one after another, until `run` has settled; a drain waits for it. Rejects
   * at once as `sandbox/disposed`, or as `sandbox/busy` when no place is free and as many wait as may.
   */
  async admit<T>(run: () => Promise<T>): Promise<T> {
    this.#assertRoom();
    this.#admitted++;
    try {
      return await run();
    } finally {
      this.#admitted--;
      if (this.#state === "draining") this.#settle();
    }
  }

  #assertRoom(): void {
    if (this.#state !== "open") throw closedError(this.#state);
    const { running, waiting } = this.#limiter;
    if (this.#limiter.isFree || waiting < this.#rules.maxWaiting) return;
    const message = `${running} programs run and ${waiting} wait for a place, as many as may. Run this one later, or raise pool.maxConcurrency or pool.maxWaiting.`;
    throw new ToolglotError("sandbox/busy", message, { data: { running, waiting } });
  }

  /** Resolves with a guest for a run that was let in. Rejects with what `signal` was aborted with, or when no guest starts. */
  async acquire(signal: AbortSignal, domain?: string): Promise<Lease> {
    signal.throwIfAborted();
    if (this.#disposed) throw closedError("disposed");
    const place = await this.#limiter.take({ signal });
    if (typeof place === "string") throw place === "aborted" ? signal.reason : closedError("disposed");
    try {
      return await this.#lend(place, signal, domain);
    } catch (error) {
      this.#leave(place);
      throw this.#disposed ? closedError("disposed") : error;
    }
  }

  /** Ends guests that wait for a program of this domain. */
  forget(domain: string): void {
    // A pool of which nothing was asked so far has prepared nothing to start from.
    if (this.#stock.forget(domain)) this.#refillSoon();
  }

  /** Resolves when the guests to be kept have started. */
  async warm(): Promise<void> {
    if (this.#state !== "open") throw closedError(this.#state);
    try {
      await this.#stock.warm();
    } catch (error) {
      throw this.#state === "open" ? error : closedError(this.#state);
    }
  }

  /** Lets in no more runs, waits for those that are, then ends every guest. */
  drain(): Promise<void> {
    if (this.#disposed) return this.dispose();
    this.#state = "draining";
    this.#drained ??= new Promise<void>((resolve) => {
      this.#onQuiet = resolve;
    }).then(() => this.dispose());
    this.#settle();
    return this.#drained;
  }

  /** Ends every guest at once. Runs that wait are rejected. */
  async dispose(): Promise<void> {
    this.#state = "disposed";
    this.#limiter.close();
    await this.#stock.close();
    this.#onQuiet();
  }

  get #disposed(): boolean {
    return this.#state === "disposed";
  }

  async #lend(place: Release, signal: AbortSignal, domain: string | undefined): Promise<Lease> {
    signal.throwIfAborted();
    // It takes what the one before left, or starts its own.
    clearTimeout(this.#refill);
    const warm = this.#stock.hasReady(domain);
    const one = await this.#stock.take(signal, domain).catch((error) => {
      this.#refillSoon();
      throw error;
    });
    this.#served++;
    this.#lent++;
    if (this.#state === "draining") this.#settle();
    // Starting a guest takes milliseconds that the program need not wait for.
    const { empty, stocked } = refillDelayMs;
    const refill = inBackground(() => this.#stock.refill(), this.#stock.counts.idle > 0 ? stocked : empty);
    let released = false;
    const release = (held?: string): void => {
      if (released) return;
      released = true;
      // A short program's is there for the next one.
      clearTimeout(refill);
      const isGone = this.#stock.giveBackUsed(one, held);
      this.#lent--;
      this.#leave(place);
      if (isGone) this.#refillSoon();
    };
    return { guest: one.guest, warm, reused: one.use.programs - 1, release };
  }

  /** Starts what is missing, unless a run comes first. */
  #refillSoon(): void {
    clearTimeout(this.#refill);
    this.#refill = inBackground(() => this.#stock.refill(), 0);
  }

  #leave(place: Release): void {
    place();
    if (this.#state === "draining") this.#settle();
  }

  /** While the pool drains: ends guests that nobody will ask for, and in the end the pool. */
  #settle(): void {
    this.#stock.trim();
    if (this.#admitted === 0 && this.#limiter.running === 0) this.#onQuiet();
  }
}

function closedError(state: "draining" | "disposed"): ToolglotError {
  const what =
    state === "draining" ? "The sandbox takes no more programs, drain() was called" : "The sandbox was disposed";
  return new ToolglotError("sandbox/disposed", `${what}: make a new one with createSandbox().`);
}
