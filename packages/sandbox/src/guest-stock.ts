import { untilAborted } from "@toolglot/internal";
import type { Engine, Guest } from "./engine.ts";
import { type InterpreterUse, NotAtRestError, type RetireReason, type ReuseOptions, ReuseRule } from "./reuse.ts";
import type { SandboxPoolStats } from "./run-types.ts";
import { StartPace } from "./start-pace.ts";

/** A guest, for one run. */
export interface StockedGuest {
  guest: Guest;
  /** Of what it runs in, whatever guests came before. */
  readonly use: InterpreterUse;
  /** Whether it can take a program. */
  ready: boolean;
  /** Ended by us: its end is no fault. */
  discarded: boolean;
}

/**
 * Guests that nobody has asked for yet, and the starting and ending of all of them. New ones are for any program, those that
 * are used again for their domain's alone. What ends by itself is replaced, ever
 * more slowly while replacements fail, so that a broken engine costs next to nothing.
 */
export class GuestStock {
  readonly #engine: Engine;
  readonly #wanted: () => number;
  readonly #rule: ReuseRule;
  /** In the order of their starts. */
  #stock: StockedGuest[] = [];
  readonly #alive = new Set<StockedGuest>();
  #started = 0;
  #failed = 0;
  /** Domains of the last guests that were taken. */
  #asked: (string | undefined)[] = [];
  readonly #pace = new StartPace();
  #closed = false;

  /** `wanted`: how many to keep, asked each time. */
  constructor(engine: Engine, wanted: () => number, reuse?: ReuseOptions) {
    this.#engine = engine;
    this.#wanted = wanted;
    this.#rule = new ReuseRule(reuse);
  }

  get counts(): Pick<SandboxPoolStats, "idle" | "kept" | "starting" | "started" | "failed" | "retired"> {
    const ready = this.#stock.filter((one) => one.ready);
    return {
      idle: ready.length,
      kept: ready.filter(isUsed).length,
      starting: this.#stock.length - ready.length,
      started: this.#started,
      failed: this.#failed,
      retired: { ...this.#rule.retired },
    };
  }

  /** Checks whether a guest is ready for a program of this domain. */
  hasReady(domain: string | undefined): boolean {
    return this.#stock.some((one) => one.ready && isFor(one, domain));
  }

  /**
   * Resolves with a guest that is ready for a program of this domain, from the stock or started now. After a failed start it tries once
   * more: a child killed while it started has no bearing on the next one. Rejects with the failure, or with `signal`'s reason.
   */
  async take(signal: AbortSignal, domain?: string): Promise<StockedGuest> {
    this.#asked = [...this.#asked, domain].slice(-2 * (this.#wanted() + 1));
    let failure: unknown;
    for (let attempt = 0; attempt < 2 && !this.#closed; attempt++) {
      let taken: StockedGuest | undefined;
      try {
        await untilAborted(this.#engine.prepare(), signal);
        taken = this.#pick(domain, attempt > 0) ?? this.#spawn();
        taken.guest.hold(true);
        await untilAborted(taken.guest.ready, signal);
        taken.use.programs++;
        taken.use.domain = domain;
        this.#pace.idleDeaths = 0;
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
    if (!this.#pace.isSlow) {
      this.#pace.stop();
      while (this.#missing) if (!this.#tryToSpawn()) return;
    } else if (this.#missing) {
      this.#pace.later(() => {
        if (this.#missing) this.#tryToSpawn();
      });
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
   * Takes back a guest after its run. What it ran in stays, for the next run of its domain, while no more than one is there
   * beyond those wanted: so runs one after another need no start at all. Whether another is needed for the next run. `held`: as in
   * {@link Guest.renew}.
   */
  giveBackUsed(one: StockedGuest, held?: string): boolean {
    const { guest, use } = one;
    const isShared = use.domain !== undefined || this.#engine.sharedWithoutDomain;
    if (isShared && guest.renew && this.#hasRoom(use.domain)) {
      const reason = this.#rule.reasonToRetire(use, guest.grownMb ?? 0);
      const renewed = reason === undefined ? guest.renew(held) : undefined;
      if (renewed) {
        this.#keep(this.#adopt(renewed, use, (error) => this.#retire(error)));
        return this.#missing;
      }
      this.#rule.retired[reason ?? "failed"]++;
    }
    this.end(one);
    return true;
  }

  /** Checks whether one that was used may stay. A new one that nobody may need goes for it, or the oldest of another domain. */
  #hasRoom(domain: string | undefined): boolean {
    const wanted = this.#wanted();
    if (this.#closed || wanted === 0) return false;
    if (this.#stock.length <= wanted || (!this.#needsNew && this.#evict((one) => !isUsed(one)))) return true;
    return this.#evict((one) => isUsed(one) && one.use.domain !== domain);
  }

  /** Ends the oldest one that `matches`. False when there is none. */
  #evict(matches: (one: StockedGuest) => boolean): boolean {
    const oldest = this.#stock.find(matches);
    if (oldest) {
      this.#remove(oldest);
      this.end(oldest);
    }
    return oldest !== undefined;
  }

  /** Ends those that wait for a program of this domain. Whether there were any. */
  forget(domain: string): boolean {
    let found = false;
    while (this.#evict((one) => one.use.domain === domain)) found = true;
    return found;
  }

  #retire(error: unknown): void {
    const reason: RetireReason = error instanceof NotAtRestError ? "not-at-rest" : "failed";
    this.#rule.retired[reason]++;
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
    this.#pace.stop();
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
    const wanted = this.#wanted();
    if (this.#closed || wanted === 0) return false;
    return this.#stock.length < wanted || (this.#needsNew && this.#stock.every(isUsed));
  }

  /** Whether more domains took turns lately than are kept for theirs, so that the next one may find none, or some had none to be kept for. */
  get #needsNew(): boolean {
    const domains = new Set(this.#asked);
    const isLone = domains.has(undefined) && !this.#engine.sharedWithoutDomain;
    return domains.size > (isLone ? 1 : this.#wanted() + 1);
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
    while (this.#stock.length > this.#wanted() + 1 && this.#evict((each) => isUsed(each) && each !== one));
  }

  /** One of the domain's own, which is ready in a few milliseconds if it isn't yet; else a new one; of each those that are ready first. */
  #pick(domain: string | undefined, onlyReady: boolean): StockedGuest | undefined {
    const fit = this.#stock.filter((one) => isFor(one, domain) && (one.ready || !onlyReady));
    const own = fit.filter(isUsed);
    const choice = own.length > 0 ? own : fit;
    const picked = choice.find((one) => one.ready) ?? choice[0];
    if (picked) this.#remove(picked);
    return picked;
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
    const use = { programs: 0, born: performance.now(), domain: undefined };
    return this.#adopt(guest, use, () => this.#startFailed());
  }

  #adopt(guest: Guest, use: InterpreterUse, onFailure: (error: unknown) => void): StockedGuest {
    const one: StockedGuest = { guest, use, ready: false, discarded: false };
    this.#alive.add(one);
    guest.ready.then(
      () => {
        one.ready = true;
        const { badStarts, idleDeaths } = this.#pace;
        if (badStarts + idleDeaths === 0) return;
        this.#pace.badStarts = 0;
        this.#pace.stop();
        this.refill();
      },
      (error) => {
        this.#remove(one);
        if (one.discarded) return;
        onFailure(error);
        this.end(one);
        this.refill();
      },
    );
    void guest.ended.then(() => {
      this.#alive.delete(one);
      if (!this.#remove(one) || !one.ready || one.discarded) return;
      this.#failed++;
      this.#pace.idleDeaths++;
      if (isUsed(one)) this.#rule.retired.failed++;
      this.refill();
    });
    return one;
  }

  #startFailed(): void {
    this.#failed++;
    this.#pace.badStarts++;
  }

  /** Removes a guest from the stock. Returns whether it was there. */
  #remove(one: StockedGuest): boolean {
    const before = this.#stock.length;
    this.#stock = this.#stock.filter((each) => each !== one);
    return this.#stock.length < before;
  }
}

function isUsed({ use }: StockedGuest): boolean {
  return use.programs > 0;
}

function isFor(one: StockedGuest, domain: string | undefined): boolean {
  return !isUsed(one) || one.use.domain === domain;
}
