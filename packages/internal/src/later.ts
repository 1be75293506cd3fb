import { ignoreRejection } from "./async.ts";

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

Object.setPrototypeOf(Later.prototype, Promise.prototype);

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
