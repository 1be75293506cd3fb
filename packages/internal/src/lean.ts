import { Later, maxTimerMs, onAbort, unsettled, whenDone } from "./async.ts";

// Against what an engine keeps alive longer than it is needed.

/**
 * Takes one out of a list whose order means nothing; mostly it is the last. For what comes and goes with every call: a
 * set that is mostly empty makes itself a new table each time.
 */
export function removeFrom<Item>(list: Item[], item: Item): void {
  if (list.length === 0) return;
  const last = list.pop() as Item;
  if (last === item) return;
  // Engines look for an object forwards far more quickly than backwards.
  const at = list.indexOf(item);
  if (at < 0) list.push(last);
  else list[at] = last;
}

/**
 * `{ ...base, ...more }`, for what is made with every call and adds a member to `base`. When a member is added to what a spread has
 * made, V8 of Node 20 makes a hidden class for this one object: that takes ten times as long, and keeps the object alive until the
 * next collection of old objects.
 */
export function merged<Base extends object, More extends object>(
  base: Base,
  more: More,
): Omit<Base, keyof More> & More {
  return Object.assign({}, base, more);
}

/**
 * Describes a member of its own, for `Object.defineProperty`, that is made when it is read. All objects of a kind must share one
 * description: an object with a getter that no other has is one with a hidden class of its own, as with {@link merged}.
 */
export function sharedGetter<Holder>(get: (this: Holder) => unknown): PropertyDescriptor {
  return { enumerable: true, configurable: true, get };
}

/**
 * Returns the same text in one piece. Engines join texts only when they must, and one that is kept would keep all the pieces it
 * was put together from; looking at a letter makes them join it. What is found is used, or a bundler would leave it out.
 */
export function flat(text: string): string {
  return text.charCodeAt(0) >= 0 ? text : "";
}

/** Watches for a reason to give work up: calls `giveUp` then, whose argument says how the work ends instead. Returns what ends the watch. */
export type Watch<Value> = (giveUp: (end: () => Value) => void) => () => void;

/** Work that may be given up. */
class Limited<Value> extends Later<Value> {
  readonly #watch: Watch<Value>;
  #stop: (() => void) | undefined = undefined;
  /** Its place among those that have only begun. */
  at = -1;
  readonly number: number = count++;

  constructor(work: PromiseLike<Value>, watch: Watch<Value>) {
    super();
    this.#watch = watch;
    this.settleAs(work);
    watchSoon(this as Limited<unknown>);
  }

  /** It takes longer than a turn of the event loop. */
  watch(): void {
    this.at = -1;
    const stop = this.#watch((end) => {
      if (!this.isPending) return;
      try {
        this.settle("done", end());
      } catch (error) {
        this.settle("failed", error);
      }
    });
    if (this.isPending) this.#stop = stop;
    else stop();
  }

  protected override settle(state: "done" | "failed", value: unknown): void {
    if (!this.isPending) return;
    if (this.at >= 0) forget(this as Limited<unknown>);
    this.#stop?.();
    this.#stop = undefined;
    super.settle(state, value);
  }
}

/** What has begun in this turn of the event loop, and has not ended. */
const begun: Limited<unknown>[] = [];
let isScheduled = false;
let count = 0;
/** The host's own: one that a test puts in its place may be forgotten before it runs. */
const { setTimeout: afterTimers, setImmediate: afterTurn = afterTimers } = /* @__PURE__ */ hostTimers();

function hostTimers(): Partial<Record<"setTimeout" | "setImmediate", (act: () => void) => unknown>> {
  return globalThis as ReturnType<typeof hostTimers>;
}

function watchSoon(work: Limited<unknown>): void {
  work.at = begun.push(work) - 1;
  if (isScheduled) return;
  isScheduled = true;
  // Sandboxes of durable engines have no timers.
  if (afterTurn === undefined) watchAll();
  else afterTurn(watchAll);
}

function watchAll(): void {
  isScheduled = false;
  // In the order in which they began: of those whose time is up already, the first is to be given up first.
  for (const work of begun.splice(0).sort((one, other) => one.number - other.number)) work.watch();
}

function forget(work: Limited<unknown>): void {
  const last = begun.pop() as Limited<unknown>;
  if (last === work) return;
  begun[work.at] = last;
  last.at = work.at;
}

/**
 * Settles as the work does, or as `watch` has it when that gives the work up. Most work is done in the turn of the event loop in
 * which it began: only what takes longer is watched, so that the rest needs neither timer nor listener.
 */
export function unlessGivenUp<Value>(work: PromiseLike<Value>, watch: Watch<Value>): Promise<Value> {
  return new Limited(work, watch);
}

/** `settleWithin` for what mostly does not take long; see {@link unlessGivenUp}. The signal is looked at only if it does. */
export function settleSoon<Value>(
  work: PromiseLike<Value>,
  ms: number,
  by: { readonly signal: AbortSignal },
): Promise<Value | typeof unsettled> {
  // From now on, however long the turn lasts: who waits longer must not be the first to give up.
  const until = performance.now() + ms;
  return unlessGivenUp<Value | typeof unsettled>(work, (giveUp) => {
    const stop = (): void => giveUp(() => unsettled);
    const timer = setTimeout(stop, Math.max(0, Math.min(until - performance.now(), maxTimerMs)));
    const stopListening = onAbort(by.signal, stop);
    return () => {
      clearTimeout(timer);
      stopListening();
    };
  });
}

/** `finally` for work that may be done, or fail, at once. */
export function andFinally<Value>(work: () => Value | Promise<Value>, end: () => void): Value | Promise<Value> {
  return whenDone<Value, Value>(
    work,
    (value) => {
      end();
      return value;
    },
    (error) => {
      end();
      throw error;
    },
  );
}

/** Returns what the work returns; what it throws becomes a rejection, as in an `async` function, which always makes a promise. */
export function orRejected<Value>(work: () => Promise<Value>): Promise<Value>;
export function orRejected<Value>(work: () => Value | Promise<Value>): Value | Promise<Value>;
export function orRejected<Value>(work: () => Value | Promise<Value>): Value | Promise<Value> {
  try {
    return work();
  } catch (error) {
    return Promise.reject(error);
  }
}

/** The same as an ordinary promise: for the end of a chain, where others wait. */
export function asPromise<Value>(value: Value | Promise<Value>): Promise<Value> {
  return value instanceof Later ? value.promise() : Promise.resolve(value);
}
