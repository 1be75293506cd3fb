import { inBackground, untilAborted } from "@toolglot/internal";
import type { Engine, Guest } from "./engine.ts";

/** Pause before a start in the background that follows a failure; doubled by each further one. */
const firstPauseMs = 100;
const longestPauseMs = 30_000;

/** A guest, for one run. */
export interface StockedGuest {
  guest: Guest;
  /** Whether it can take a program. */
  ready: boolean;
  /** Ended by us: its end is no fault. */
  discarded: boolean;
}

/**
 * Guests that nobody has asked for yet, and the starting and ending of all of them. What ends by itself is replaced, ever
 * more slowly while replacements fail, so that a broken engine costs next to nothing.
 */
export class GuestStock {
  readonly #engine: Engine;
  readonly #wanted: () => number;
  /** In the order of their starts. */
  #stock: StockedGuest[] = [];
  readonly #alive = new Set<StockedGuest>();
  #started = 0;
  #failed = 0;
  /** Starts that failed since the last one that did not. */
  #badStarts = 0;
  /** Guests that ended by themselves since the last one that was taken. */
  #idleDeaths = 0;
  #pause: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  /** `wanted`: how many to keep, asked each time. */
  constructor(engine: Engine, wanted: () => number) {
    this.#engine = engine;
    this.#wanted = wanted;
  }

  get counts(): { idle: number; starting: number; started: number; failed: number } {
    const idle = this.#stock.filter(({ ready }) => ready).length;
    return { idle, starting: this.#stock.length - idle, started: this.#started, failed: this.#failed };
  }

  /**
   * A guest that is ready, from the stock or started now. After a failed start it tries once more, as the engine may then
   * start another way. Rejects with the failure, or with what `signal` was aborted with.
   */
  async take(signal: AbortSignal): Promise<StockedGuest> {
    await untilAborted(this.#engine.prepare(), signal);
    let failure: unknown;
    for (let attempt = 0; attempt < 2 && !this.#closed; attempt++) {
      let taken: StockedGuest | undefined;
      try {
        taken = this.#pick(attempt > 0) ?? this.#spawn();
        taken.guest.hold(true);
        await untilAborted(taken.guest.ready, signal);
        this.#idleDeaths = 0;
        return taken;
      } catch (error) {
        if (signal.aborted) {
          if (taken !== undefined) this.#giveBack(taken);
          throw error;
        }
        failure = error;
      }
    }
    throw failure ?? new Error("no interpreter is started any more");
  }

  /** Starts what is missing; after failures later, and one at a time. */
  refill(): void {
    const faults = this.#badStarts + this.#idleDeaths;
    if (faults === 0) {
      this.#endPause();
      this.#fill();
    } else if (this.#pause === undefined && this.#missing) {
      const pauseMs = Math.min(firstPauseMs * 2 ** (faults - 1), longestPauseMs);
      this.#pause = inBackground(() => {
        this.#pause = undefined;
        if (this.#missing) this.#tryToSpawn();
      }, pauseMs);
    }
  }

  /**
   * Starts what is missing at once, and resolves when all of the stock has started, also what was taken meanwhile. Tries
   * once more after a failure, then rejects with it.
   */
  async warm(): Promise<void> {
    await this.#engine.prepare();
    let failure: unknown;
    for (let attempt = 0; attempt < 2 && !this.#closed; attempt++) {
      try {
        while (this.#missing) this.#stock.push(this.#spawn());
      } catch (error) {
        failure = error;
        continue;
      }
      const all = [...this.#stock];
      // While somebody waits for it, the start keeps the host alive.
      for (const { guest } of all) guest.hold(true);
      const starts = await Promise.allSettled(all.map(({ guest }) => guest.ready));
      for (const each of this.#stock) if (all.includes(each)) each.guest.hold(false);
      const failed = starts.find((start) => start.status === "rejected");
      if (failed === undefined) return;
      failure = failed.reason;
    }
    throw failure ?? new Error("no interpreter is started any more");
  }

  /**
   * Takes back a guest after its run. Where it ran stays, for the next run, while no more than one is there beyond those
   * wanted: so runs one after another need no start at all.
   */
  giveBackUsed(one: StockedGuest): void {
    const wanted = this.#wanted();
    const renewed = !this.#closed && wanted > 0 && this.#stock.length <= wanted ? one.guest.renew?.() : undefined;
    if (renewed) this.#keep(this.#adopt(renewed, () => {}));
    else this.end(one);
  }

  /** Ends a guest, taken or not. */
  end(one: StockedGuest): void {
    one.discarded = true;
    one.guest.kill();
  }

  /** Ends what is beyond the number wanted, the newest first. */
  trim(): void {
    for (const one of this.#stock.splice(this.#wanted())) this.end(one);
  }

  /** Ends every guest, taken or not. Resolves when nothing is left of them. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#endPause();
    this.#stock = [];
    const ends = [...this.#alive].map((one) => {
      // Waited for: a host with nothing else to do must not end in between.
      one.guest.hold(true);
      this.end(one);
      return one.guest.ended;
    });
    await Promise.all(ends);
  }

  get #missing(): boolean {
    return !this.#closed && this.#stock.length < this.#wanted();
  }

  #endPause(): void {
    clearTimeout(this.#pause);
    this.#pause = undefined;
  }

  #fill(): void {
    while (this.#missing) if (!this.#tryToSpawn()) return;
  }

  /** Adds one to the stock. */
  #tryToSpawn(): boolean {
    try {
      this.#keep(this.#spawn());
      return true;
    } catch {
      // It was counted. A run that needs a guest starts one itself, and gets the error.
      this.refill();
      return false;
    }
  }

  #keep(one: StockedGuest): void {
    one.guest.hold(false);
    this.#stock.push(one);
  }

  /** The first that is ready, else the one that will be soonest. */
  #pick(onlyReady: boolean): StockedGuest | undefined {
    const ready = this.#stock.findIndex((each) => each.ready);
    if (ready < 0 && onlyReady) return undefined;
    return this.#stock.splice(Math.max(ready, 0), 1)[0];
  }

  /** It was sent nothing yet: the next run can have it. */
  #giveBack(one: StockedGuest): void {
    if (this.#missing && this.#alive.has(one)) this.#keep(one);
    else this.end(one);
  }

  /** Throws when the engine can't even try. */
  #spawn(): StockedGuest {
    this.#started++;
    let guest: Guest;
    try {
      guest = this.#engine.spawn();
    } catch (error) {
      this.#startFailed();
      throw error;
    }
    return this.#adopt(guest, () => this.#startFailed());
  }

  #adopt(guest: Guest, onFailure: () => void): StockedGuest {
    const one: StockedGuest = { guest, ready: false, discarded: false };
    this.#alive.add(one);
    guest.ready.then(
      () => {
        one.ready = true;
        if (this.#badStarts + this.#idleDeaths === 0) return;
        this.#badStarts = 0;
        this.#endPause();
        this.refill();
      },
      () => {
        this.#remove(one);
        if (one.discarded) return;
        onFailure();
        this.end(one);
        this.refill();
      },
    );
    void guest.ended.then(() => {
      this.#alive.delete(one);
      if (!this.#remove(one) || !one.ready || one.discarded) return;
      this.#failed++;
      this.#idleDeaths++;
      this.refill();
    });
    return one;
  }

  #startFailed(): void {
    this.#failed++;
    this.#badStarts++;
    this.#engine.startFailed();
  }

  /** Whether it was there. */
  #remove(one: StockedGuest): boolean {
    const before = this.#stock.length;
    this.#stock = this.#stock.filter((each) => each !== one);
    return this.#stock.length < before;
  }
}
