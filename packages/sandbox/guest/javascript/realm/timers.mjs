/**
 * Timers and clocks. What the engine itself asks here uses nothing that a program can overwrite. Runs inside the program's realm:
 * its text is taken, so it must not speak of anything outside itself.
 *
 * @param {(name: string, value: unknown) => void} add
 * @param {{ clock: () => number, print: (method: string, values: unknown[]) => void, console: object }} own
 */
export function addTimers(add, { clock, print, console }) {
  const OwnPromise = Promise;
  const { apply } = Reflect;
  const then = Promise.prototype.then;
  const callable = (/** @type {unknown} */ callback) => {
    if (typeof callback !== "function") throw new TypeError("the callback must be a function");
  };

  /** Those that wait, by number. @type {Record<number, { due: number, every: number, run: () => void }>} */
  let timers = { __proto__: /** @type {any} */ (null) };
  let made = 0;
  let began = 0;
  const start = (
    /** @type {any} */ callback,
    /** @type {unknown} */ delay,
    /** @type {boolean} */ repeats,
    /** @type {unknown[]} */ given,
  ) => {
    callable(callback);
    const ms = Math.min(Math.max(Math.trunc(Number(delay)) || 0, 1), 2 ** 31 - 1);
    timers[++made] = { due: clock() + ms, every: repeats ? ms : 0, run: () => callback(...given) };
    return made;
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
  /** The number of the next timer; 0 when there is none. */
  const next = () => {
    let first = 0;
    for (const id in timers) {
      const timer = /** @type {any} */ (timers[id]);
      if (first === 0 || timer.due < /** @type {any} */ (timers[first]).due) first = +id;
    }
    return first;
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
      clocks = { __proto__: /** @type {any} */ (null) };
      counts = { __proto__: /** @type {any} */ (null) };
      began = clock();
    },
    /** Milliseconds until the next timer; undefined when there is none. @param {boolean} isOver Whether only timers are left: what repeats is then over, too. */
    wait(isOver) {
      if (isOver) for (const id in timers) if (/** @type {any} */ (timers[id]).every > 0) delete timers[id];
      const first = next();
      return first === 0 ? undefined : /** @type {any} */ (timers[first]).due - clock();
    },
    fire() {
      const first = next();
      if (first === 0) return;
      const timer = /** @type {any} */ (timers[first]);
      delete timers[first];
      // Behind those that wait for the same moment, under its own number.
      if (timer.every > 0) timers[first] = { ...timer, due: clock() + timer.every };
      try {
        timer.run();
      } catch (error) {
        reject(error);
      }
    },
  };
}
