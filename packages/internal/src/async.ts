/** Result of a wait that ended before the work did. */
export const unsettled: unique symbol = Symbol("unsettled");

/** The longest delay that timers of JavaScript know, in milliseconds (24.8 days). A longer one would fire at once. */
export const maxTimerMs = 0x7fff_ffff;

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

function nothing(): void {}

/** Checks whether a value is a promise of any kind, of this realm or another. Throws when reading its `then` does. */
export function isThenable<Value>(value: Value | Promise<Value>): value is Promise<Value>;
export function isThenable(value: unknown): value is PromiseLike<unknown>;
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
}

/** Checks for `function*` and `async function*`, whose values come one after another. */
export function isGeneratorFunction(value: unknown): boolean {
  return /GeneratorFunction\]$/.test(Object.prototype.toString.call(value));
}

/** Handles the rejection of a value that nobody waits for, if it is a promise. Never throws. */
export function ignoreRejection(value: unknown): void {
  try {
    if (isThenable(value)) Promise.resolve(value).catch(nothing);
  } catch {
    // A `then` that throws is no promise.
  }
}

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

/** Settles as the work does, but rejects with the signal's reason as soon as the signal is aborted. */
export async function untilAborted<Value>(work: Value | PromiseLike<Value>, signal: AbortSignal): Promise<Value> {
  const value = await settleWithin(work, { signal });
  if (value === unsettled) throw signal.reason;
  return value;
}

/** Waits so many milliseconds. False when the signal was aborted before they were over; no timer is left then. */
export async function sleep(ms: number, signal?: AbortSignal): Promise<boolean> {
  if (signal?.aborted) return false;
  return await new Promise((resolve) => {
    const timer = setTimeout(
      () => {
        stopListening();
        resolve(true);
      },
      Math.min(ms, maxTimerMs),
    );
    const stopListening = onAbort(signal, () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}

/** Returns a timer that does not keep the host's process alive. In browsers, where timers are numbers, an ordinary one. */
export function inBackground(act: () => void, ms: number): ReturnType<typeof setTimeout> {
  const timer = setTimeout(act, Math.min(ms, maxTimerMs));
  (timer as { unref?(): void }).unref?.();
  return timer;
}

/** Yields what a call emits, as it comes, and returns its result. `maxKept`: as much waits for a slow reader; of more, the newest. */
export async function* streamed<Item, Result>(
  call: (emit: (item: Item) => void) => Promise<Result>,
  maxKept: number = Number.POSITIVE_INFINITY,
): AsyncGenerator<Item, Result, undefined> {
  const waiting: Item[] = [];
  let wake = (): void => {};
  let isOver = false;
  const result = call((item) => {
    waiting.push(item);
    if (waiting.length > maxKept) waiting.shift();
    wake();
  }).finally(() => {
    isOver = true;
    wake();
  });
  // Nobody may be there any more to hear that it failed.
  ignoreRejection(result);
  while (!isOver) {
    while (waiting.length > 0) yield waiting.shift() as Item;
    if (!isOver && waiting.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  }
  while (waiting.length > 0) yield waiting.shift() as Item;
  return await result;
}
