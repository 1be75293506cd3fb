import type { OperationKey } from "@toolglot/core";
import { MemoryStore } from "@toolglot/trp-core";
import type { RouterStore } from "@toolglot/trp-core/store";

/** What a transaction is, for those who look for what it broke or lost. */
export interface About {
  /** As `operations.start`. */
  method: string;
  /** The operation, when it is about one. */
  operation?: OperationKey | undefined;
  sessionId?: string | undefined;
  /** It changes nothing. */
  isRead?: boolean;
  /** What the sender takes for the time, when it decides by its own clock: a mistake. */
  senderTime?: number | undefined;
}

/** What a transaction does, all or nothing. It can't see any other one in between. */
export type Act<Result> = (store: RouterStore) => Promise<Result>;

/** A transaction that was committed. */
interface Committed {
  at: number;
  about: About;
  act: Act<unknown>;
  /** Told when a fail-over has lost it. */
  onLost(): void;
}

/** Sees each transaction before and after it. */
export type Observer = (about: About, store: RouterStore) => Promise<((result: unknown) => void) | undefined>;

/**
 * A database: the tables of a `MemoryStore`, and a log of the transactions that were committed, from which a standby can be made that
 * has not got all of them.
 */
export class Database {
  /** Rises with each fail-over. */
  timeline = 1;
  /** How many transactions the newest timeline has from the one before. Nobody who was acknowledged more may go on. */
  forkedAt = 0;
  isUp = true;
  readonly lost: About[] = [];
  observer: Observer | undefined;
  readonly #now: () => number;
  #store: MemoryStore;
  #time = 0;
  readonly #log: Committed[] = [];
  #turn: Promise<unknown> = Promise.resolve();

  constructor(options: { now(): number }) {
    this.#now = options.now;
    this.#store = this.#empty();
  }

  /** How many transactions were committed. */
  get position(): number {
    return this.#log.length;
  }

  /** The time by this database's clock. Milliseconds since the epoch. */
  now(): number {
    return this.#now();
  }

  /** Runs a transaction and commits it. Its parts may take several microtasks; no other one comes in between. */
  commit<Result>(about: About, act: Act<Result>, onLost: () => void = () => {}): Promise<Result> {
    const turn = async (): Promise<Result> => {
      const at = about.senderTime ?? this.#now();
      this.#time = at;
      const observe = await this.observer?.(about, this.#store);
      const result = await act(this.#store);
      if (!about.isRead) this.#log.push({ at, about, act, onLost });
      observe?.(result);
      return result;
    };
    // Nobody else is there: what is given is read before the caller can change it.
    if (this.observer === undefined) return turn();
    const result = this.#turn.then(turn);
    this.#turn = result.catch(() => {});
    return result;
  }

  /** Looks at the tables, as nobody but the simulation can. */
  look<Result>(act: Act<Result>): Promise<Result> {
    this.#time = this.#now();
    return act(this.#store);
  }

  /** A standby takes over, without the last transactions from the one of this number on. */
  async promote(position: number): Promise<void> {
    this.timeline += 1;
    this.forkedAt = position;
    const gone = this.#log.splice(position);
    if (gone.length === 0) return;
    this.#store = this.#empty();
    for (const { at, act } of this.#log) {
      this.#time = at;
      try {
        await act(this.#store);
      } catch {
        // It failed then, too.
      }
    }
    for (const { about, onLost } of gone) {
      this.lost.push(about);
      onLost();
    }
  }

  /** The number of the first transaction of the last so many milliseconds. */
  positionBefore(ms: number): number {
    const since = this.#now() - ms;
    const found = this.#log.findIndex(({ at }) => at > since);
    return found === -1 ? this.#log.length : found;
  }

  /** Its logs, blobs and name are not simulated. */
  get store(): MemoryStore {
    return this.#store;
  }

  #empty(): MemoryStore {
    return new MemoryStore({ now: () => this.#time, keepAuditRows: 1_000_000 });
  }
}
