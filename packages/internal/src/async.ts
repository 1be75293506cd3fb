type Step = (value: never) => unknown;

/**
 * A promise of work that a chain of steps waits for. The steps run one after another in the microtask in which the work
 * settles, where a chain of `then` makes a promise and takes a microtask for each of them. For everybody else it is a
 * promise: it can be awaited, and is an instance of `Promise`. {@link andThen} and {@link whenDone} make it.
 */
export class Later<Value> implements Promise<Value> {
  declare readonly [Symbol.toStringTag]: string;
  #state: "pending" | "done" | "failed" = "pending";
  #value: unknown = undefined;
  #followers: Later<unknown> | Later<unknown>[] | undefined = undefined;
  /** What it makes of the end of the one that it follows. */
  #done: Step | undefined;
  #failed: Step | undefined;
  /** Rejected when it failed and nobody had asked for its end. */
  #unheard: Promise<never> | undefined = undefined;

  protected constructor(done?: Step, failed?: Step) {
    // With the first one, not when this is loaded: a bundle that makes none leaves the class out.
    if (!(this instanceof Promise)) Object.setPrototypeOf(Later.prototype, Promise.prototype);
    this.#done = done;
    this.#failed = failed;
  }

  /** Settles as a promise does. */
  static of<Value>(promise: PromiseLike<Value>): Later<Value> {
    const later = new Later<Value>();
    later.settleAs(promise);
    return later;
  }

  /** Goes on when the work is done or has failed: at once, if that has happened. Only then may it throw. */
  follow<Next>(
    done: (value: Value) => Next | Promise<Next>,
    failed?: (error: unknown) => Next | Promise<Next>,
  ): Next | Promise<Next> {
    if (this.#state === "done") return done(this.#value as Value);
    if (this.#state === "failed" && failed !== undefined) {
      this.#isHeard();
      return failed(this.#value);
    }
    const next = new Later<Next>(done, failed);
    this.#add(next as Later<unknown>);
    return next;
  }

  // biome-ignore lint/suspicious/noThenProperty: it is a promise.
  then<Done = Value, Failed = never>(
    done?: ((value: Value) => Done | PromiseLike<Done>) | null,
    failed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null,
  ): Promise<Done | Failed> {
    return this.promise().then(done, failed);
  }

  catch<Failed = never>(failed?: ((error: unknown) => Failed | PromiseLike<Failed>) | null): Promise<Value | Failed> {
    return this.promise().catch(failed);
  }

  finally(end?: (() => void) | null): Promise<Value> {
    return this.promise().finally(end);
  }

  /** The same as an ordinary promise, for code that may look closer. */
  promise(): Promise<Value> {
    return new Promise<Value>((resolve, reject) => void this.#add(new Later(resolve, reject)));
  }

  protected get isPending(): boolean {
    return this.#state === "pending";
  }

  protected settleAs(promise: PromiseLike<Value>): void {
    if (promise instanceof Later) promise.#add(this);
    else {
      promise.then(
        (value) => this.settle("done", value),
        (error: unknown) => this.settle("failed", error),
      );
    }
  }

  protected settle(state: "done" | "failed", value: unknown): void {
    if (this.#state !== "pending") return;
    this.#state = state;
    this.#value = value;
    const followers = this.#followers;
    this.#followers = undefined;
    if (followers instanceof Later) followers.#run(state, value);
    else if (followers !== undefined) for (const each of followers) each.#run(state, value);
    // Nobody hears of it: the host shall, as with any promise.
    else if (state === "failed") this.#unheard = Promise.reject(value);
  }

  #isHeard(): void {
    ignoreRejection(this.#unheard);
    this.#unheard = undefined;
  }

  #add(next: Later<unknown>): void {
    if (this.#state !== "pending") {
      this.#isHeard();
      next.#run(this.#state, this.#value);
    } else if (this.#followers === undefined) this.#followers = next;
    else if (Array.isArray(this.#followers)) this.#followers.push(next);
    else this.#followers = [this.#followers, next];
  }

  /** The one that it follows has ended. */
  #run(state: "done" | "failed", value: unknown): void {
    const step = state === "done" ? this.#done : this.#failed;
    // What a step holds is not needed any more, however long the result is kept.
    this.#done = undefined;
    this.#failed = undefined;
    if (step === undefined) {
      this.settle(state, value);
      return;
    }
    let made: unknown;
    try {
      made = step(value as never);
    } catch (error) {
      this.settle("failed", error);
      return;
    }
    if (made instanceof Promise) this.settleAs(made as Promise<Value>);
    else this.settle("done", made);
  }
}

/** Goes on with a value at once when it is there already, else when its promise is settled. */
export function andThen<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? laterOf(value).follow(next) : next(value);
}

/** `then` for work that may be done, or fail, at once: goes on at once then, else when its promise is settled. */
export function whenDone<Value, Next>(
  work: () => Value | Promise<Value>,
  done: (value: Value) => Next | Promise<Next>,
  failed: (error: unknown) => Next | Promise<Next>,
): Next | Promise<Next> {
  let value: Value | Promise<Value>;
  try {
    value = work();
  } catch (error) {
    return failed(error);
  }
  return value instanceof Promise ? laterOf(value).follow(done, failed) : done(value);
}

function laterOf<Value>(promise: Promise<Value>): Later<Value> {
  return promise instanceof Later ? promise : Later.of(promise);
}

/** Result of a wait that ended before the work did. */
export const unsettled: unique symbol = Symbol("unsettled");

/** The longest delay that timers of JavaScript know, in milliseconds (24.8 days). A longer one would fire at once. */
export const maxTimerMs = 0x7fff_ffff;

/** Checks whether a value is a promise of any kind, of this realm or another. Throws when reading its `then` does. */
export function isThenable<Value>(value: Value | Promise<Value>): value is Promise<Value>;
export function isThenable(value: unknown): value is PromiseLike<unknown>;
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** Handles the rejection of a value that nobody waits for, if it is a promise. Never throws. */
export function ignoreRejection(value: unknown): void {
  try {
    if (isThenable(value)) Promise.resolve(value).catch(nothing);
  } catch {
    // A `then` that throws is no promise.
  }
}

function nothing(): void {}

const already: Promise<void> = /* @__PURE__ */ Promise.resolve();
/** Within how many microtasks most work is done that is done at once: it needs neither timer nor listener. */
const patience = 4;

/**
 * Settles as the work does; with {@link unsettled} once `ms` milliseconds have passed or the signal is aborted. What
 * the work does after that is ignored, its rejection too. Leaves no timer and no listener behind. A signal that is a
 * function is called only when the work takes longer than a few microtasks.
 */
export function settleWithin<Value>(
  work: Value | PromiseLike<Value>,
  { ms, signal }: { ms?: number | undefined; signal?: AbortSignal | (() => AbortSignal) | undefined },
): Promise<Value | typeof unsettled> {
  return new Promise((resolve, reject) => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let stopListening = nothing;
    let isSettled = false;
    const end = (): void => {
      isSettled = true;
      // Sandboxes of durable engines have no timers.
      if (timer !== undefined) clearTimeout(timer);
      stopListening();
    };
    Promise.resolve(work).then(
      (value) => {
        end();
        resolve(value);
      },
      (error: unknown) => {
        end();
        reject(error);
      },
    );
    let turns = 0;
    const watch = (): void => {
      if (isSettled) return;
      if (++turns < patience && (typeof signal === "function" || !signal?.aborted)) {
        void already.then(watch);
        return;
      }
      const giveUp = (): void => {
        end();
        resolve(unsettled);
      };
      if (ms !== undefined) timer = setTimeout(giveUp, Math.min(ms, maxTimerMs));
      stopListening = onAbort(typeof signal === "function" ? signal() : signal, giveUp);
    };
    watch();
  });
}

/**
 * An action, until it is removed. V8's old tables of a busy `Set` keep its values alive until the next collection of
 * old objects. So the `Set` holds only these small entries, and a removed entry loses its action.
 */
interface Entry {
  act: (() => void) | undefined;
}

/** The actions of a signal, and its only listener, which runs them. With many listeners, removing one would be slow. */
const listeners = new WeakMap<AbortSignal, { acts: Set<Entry>; runAll: () => void }>();

/**
 * Runs `act` once when the signal is aborted, or at once when it is aborted already. Returns a function that cancels
 * this. When all actions are cancelled, no listener is left on the signal. Without a signal nothing happens.
 */
export function onAbort(signal: AbortSignal | undefined, act: () => void): () => void {
  if (signal === undefined) return nothing;
  if (signal.aborted) {
    act();
    return nothing;
  }
  let listener = listeners.get(signal);
  if (listener === undefined) {
    const acts = new Set<Entry>();
    const runAll = (): void => {
      for (const each of acts) each.act?.();
    };
    signal.addEventListener("abort", runAll, { once: true });
    listener = { acts, runAll };
    listeners.set(signal, listener);
  }
  const { acts, runAll } = listener;
  const entry: Entry = { act };
  acts.add(entry);
  return () => {
    entry.act = undefined;
    if (!acts.delete(entry) || acts.size > 0) return;
    signal.removeEventListener("abort", runAll);
    listeners.delete(signal);
  };
}

/** Settles as the work does, but rejects with the signal's reason as soon as the signal is aborted. */
export async function untilAborted<Value>(work: Value | PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  const value = await settleWithin(work, { signal });
  if (value === unsettled) throw signal.reason;
  return value;
}

/** Returns a timer that does not keep the host's process alive. In browsers, where timers are numbers, an ordinary one. */
export function inBackground(act: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(act, Math.min(ms, maxTimerMs));
  (timer as { unref?(): void }).unref?.();
  return timer;
}
