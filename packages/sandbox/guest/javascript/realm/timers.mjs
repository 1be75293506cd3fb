/**
 * Timers and clocks. What the engine itself asks here uses nothing that a program can overwrite. Runs inside the program's realm:
 * its text is taken, so it must not speak of anything outside itself.
 *
 * @param {(name: string, value: unknown) => void} add
 * @param {{ clock: () => number, timed: () => void, print: (method: string, values: unknown[]) => void, console: object }} own `timed`:
 * called before a timer is made.
 */
export function addTimers(add, { clock, timed, print, console }) {
  const OwnPromise = Promise;
  const { apply } = Reflect;
  const then = Promise.prototype.then;
  const callable = (/** @type {unknown} */ callback) => {
    if (typeof callback !== "function") throw new TypeError("the callback must be a function");
  };

  /** @typedef {{ id: number, due: number, order: number, every: number, run: () => void }} Timer */
  /** Those that wait, by number. @type {Record<number, Timer>} */
  let timers = { __proto__: /** @type {any} */ (null) };
  /** A heap of them, the soonest first, and of some that were stopped. @type {any} */
  let heap = { __proto__: null };
  let size = 0;
  let made = 0;
  let began = 0;
  const isBefore = (/** @type {Timer} */ one, /** @type {Timer} */ other) =>
    one.due < other.due || (one.due === other.due && one.order < other.order);
  const put = (/** @type {Timer} */ timer) => {
    timers[timer.id] = timer;
    let at = size++;
    for (let up = (at - 1) >> 1; at > 0 && isBefore(timer, heap[up]); up = (at - 1) >> 1) {
      heap[at] = heap[up];
      at = up;
    }
    heap[at] = timer;
  };
  const dropFirst = () => {
    const last = heap[--size];
    delete heap[size];
    if (size === 0) return;
    let at = 0;
    for (let down = 1; down < size; down = 2 * at + 1) {
      if (down + 1 < size && isBefore(heap[down + 1], heap[down])) down++;
      if (!isBefore(heap[down], last)) break;
      heap[at] = heap[down];
      at = down;
    }
    heap[at] = last;
  };
  const start = (
    /** @type {any} */ callback,
    /** @type {unknown} */ delay,
    /** @type {boolean} */ repeats,
    /** @type {unknown[]} */ given,
  ) => {
    callable(callback);
    timed();
    const ms = Math.min(Math.max(Math.trunc(Number(delay)) || 0, 1), 2 ** 31 - 1);
    const id = ++made;
    put({ id, due: clock() + ms, order: id, every: repeats ? ms : 0, run: () => callback(...given) });
    return id;
  };
  const stop = (/** @type {unknown} */ id) => {
    delete timers[Number(id)];
  };
  add(
    "setTimeout",
    (/** @type {unknown} */ callback, /** @type {unknown} */ delay, /** @type {unknown[]} */ ...given) =>
      start(callback, delay, false, given),
  );
  add(
    "setInterval",
    (/** @type {unknown} */ callback, /** @type {unknown} */ delay, /** @type {unknown[]} */ ...given) =>
      start(callback, delay, true, given),
  );
  add("setImmediate", (/** @type {unknown} */ callback, /** @type {unknown[]} */ ...given) =>
    start(callback, 0, false, given),
  );
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"])
    add(name, (/** @type {unknown} */ id) => stop(id));
  /** The next timer. @param {boolean} isOver Whether what repeats has ended. @returns {Timer | undefined} */
  const next = (isOver) => {
    for (; size > 0; dropFirst()) {
      const first = heap[0];
      if (isOver && first.every > 0) delete timers[first.id];
      if (timers[first.id] === first) return first;
    }
    return undefined;
  };

  const reject = (/** @type {unknown} */ error) => {
    new OwnPromise((_, fail) => fail(error));
  };
  add("queueMicrotask", (/** @type {any} */ callback) => {
    callable(callback);
    apply(then, OwnPromise.resolve(), [() => callback()]);
  });
  add(
    "performance",
    Object.freeze({
      now: () => clock() - began,
      get timeOrigin() {
        return began;
      },
    }),
  );

  // --- console ---

  /** @type {Record<string, number>} */
  let clocks = { __proto__: /** @type {any} */ (null) };
  /** @type {Record<string, number>} */
  let counts = { __proto__: /** @type {any} */ (null) };
  const named = (/** @type {unknown} */ label) => (label === undefined ? "default" : `${label}`);
  const elapsed = (/** @type {unknown} */ label, /** @type {unknown[]} */ more) => {
    const name = named(label);
    const from = clocks[name];
    if (from === undefined) print("warn", [`Timer '${name}' does not exist`]);
    else print("log", [`${name}: ${clock() - from}ms`, ...more]);
    return name;
  };
  const methods = {
    time: (/** @type {unknown} */ label) => {
      clocks[named(label)] = clock();
    },
    timeLog: (/** @type {unknown} */ label, /** @type {unknown[]} */ ...more) => void elapsed(label, more),
    timeEnd: (/** @type {unknown} */ label) => {
      delete clocks[elapsed(label, [])];
    },
    count: (/** @type {unknown} */ label) => {
      const name = named(label);
      counts[name] = (counts[name] ?? 0) + 1;
      print("log", [`${name}: ${counts[name]}`]);
    },
    countReset: (/** @type {unknown} */ label) => {
      delete counts[named(label)];
    },
  };
  for (const [name, method] of Object.entries(methods))
    Object.defineProperty(console, name, { value: method, writable: true, enumerable: true, configurable: true });

  return {
    begin() {
      timers = { __proto__: /** @type {any} */ (null) };
      heap = { __proto__: null };
      size = 0;
      clocks = { __proto__: /** @type {any} */ (null) };
      counts = { __proto__: /** @type {any} */ (null) };
      began = clock();
    },
    /** Milliseconds until the next timer; undefined when there is none. @param {boolean} isOver Whether only timers are left: what repeats is then over, too. */
    wait(isOver) {
      const first = next(isOver);
      return first && first.due - clock();
    },
    fire() {
      const timer = next(false);
      if (timer === undefined) return;
      dropFirst();
      delete timers[timer.id];
      if (timer.every > 0) put({ ...timer, due: clock() + timer.every, order: ++made });
      try {
        timer.run();
      } catch (error) {
        reject(error);
      }
    },
  };
}
