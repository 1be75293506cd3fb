/**
 * What programs find in their realm, made there before the first one runs: tools, `ToolError`, `console`, `__result__`,
 * their clock and their random numbers, and what `parts` add. Its text is taken, so it must not speak of anything outside itself. All of it uses
 * only originals that it has taken hold of first, so a program that overwrites built-ins changes nothing here.
 *
 * `bridge` belongs to another realm: nothing of it may reach the program.
 * @param {any} bridge
 * @param {{ addTimers: any, locale: string, url: string, web: string }} parts Texts are of what few programs use: it is made when it is.
 */
export function programSide(bridge, { addTimers, locale, url, web }) {
  const { apply, construct, defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf } = Reflect;
  const { create, hasOwn } = Object;
  const { isArray } = Array;
  const { parse } = JSON;
  const { Error: BridgeError, answered, call, clock, draw, failed, print, refused, timed } = bridge;
  const [OwnPromise, OwnError, OwnTypeError, OwnRangeError, OwnDate] = [Promise, Error, TypeError, RangeError, Date];
  const global = /** @type {any} */ (globalThis);

  /** @param {unknown} value */
  const hidden = (value) => ({ __proto__: null, value, writable: true, enumerable: false, configurable: true });
  /** @param {object} target @param {string} name @param {unknown} value */
  const hide = (target, name, value) => defineProperty(target, name, hidden(value));
  /** An error of the bridge's own, such as a stack overflow in it, as one of the program's realm. */
  const local = (/** @type {any} */ error) =>
    error instanceof BridgeError ? new OwnRangeError(`${error.message}`) : error;

  class ToolError extends Error {}
  hide(ToolError.prototype, "name", "ToolError");
  hide(global, "ToolError", ToolError);

  /** @template T @param {() => T} ask Something of the bridge. @returns {T} */
  const guarded = (ask) => {
    try {
      return ask();
    } catch (error) {
      throw local(error);
    }
  };

  const shell = { __proto__: null };
  for (let index = 0; index < bridge.methods; index++) {
    const name = bridge.method(index);
    const made = {
      [name](/** @type {unknown[]} */ ...given) {
        try {
          print(name, given);
        } catch (error) {
          throw local(error);
        }
      },
    };
    hide(shell, name, made[name]);
  }
  const console = {};
  for (let index = 0; index < bridge.methods; index++) {
    const name = bridge.method(index);
    defineProperty(console, name, { ...hidden(/** @type {any} */ (shell)[name]), enumerable: true });
  }
  hide(global, "console", console);

  /** Without arguments it is the run's clock, which a replay can set. */
  function ProgramDate(/** @type {any[]} */ ...parts) {
    if (new.target === undefined) return apply(OwnDate.prototype.toString, new OwnDate(guarded(clock)), []);
    return construct(OwnDate, parts.length === 0 ? [guarded(clock)] : parts, new.target);
  }
  hide(ProgramDate, "name", "Date");
  hide(ProgramDate, "length", 7);
  hide(ProgramDate, "parse", OwnDate.parse);
  hide(ProgramDate, "UTC", OwnDate.UTC);
  hide(ProgramDate, "now", { now: () => guarded(clock) }.now);
  defineProperty(ProgramDate, "prototype", { __proto__: null, value: OwnDate.prototype, writable: false });
  hide(OwnDate.prototype, "constructor", ProgramDate);
  hide(global, "Date", ProgramDate);
  hide(Math, "random", { random: () => guarded(draw) }.random);

  /** @param {string} name @param {any} value A function, a class or an object. */
  const add = (name, value) => {
    hide(global, name, value);
    if (hasOwn(value, "prototype")) {
      defineProperty(value.prototype, Symbol.toStringTag, { __proto__: null, value: name, configurable: true });
    }
  };
  /** Lets a function refuse calls with fewer arguments. @param {any} holder @param {string} name @param {number} least */
  const need = (holder, name, least) => {
    const own = holder[name];
    const made = {
      [name](/** @type {unknown[]} */ ...given) {
        if (given.length >= least) return apply(own, this, given);
        throw new OwnTypeError(`${name} needs ${least === 1 ? "an argument" : `${least} arguments`}`);
      },
    };
    hide(holder, name, made[name]);
  };
  // biome-ignore lint/security/noGlobalEval: the text is ours.
  const evaluate = eval;
  /** Names that are made when a program first asks for one of them. @param {string} names @param {string} text @param {unknown[]} given */
  const later = (names, text, ...given) => {
    /** @type {any} */
    const getters = { __proto__: null };
    const isStill = (/** @type {string} */ name) =>
      getters[name] !== undefined && getOwnPropertyDescriptor(global, name)?.get === getters[name];
    const addLeft = (/** @type {string} */ name, /** @type {unknown} */ value) => {
      if (isStill(name)) add(name, value);
    };
    for (const name of names.split(" ")) {
      getters[name] = () => {
        if (isStill(name)) apply(evaluate(text), undefined, [addLeft, need, ...given]);
        return global[name];
      };
      const set = (/** @type {unknown} */ value) => hide(global, name, value);
      defineProperty(global, name, { __proto__: null, get: getters[name], set, enumerable: false, configurable: true });
    }
  };
  later("URL URLSearchParams", url);
  const webNames =
    "crypto DOMException TextEncoder TextDecoder atob btoa structuredClone Event EventTarget AbortSignal AbortController";
  later(webNames, web, hide, () => guarded(draw));

  /** @type {any} */
  let methods;
  const languageMethods = [
    ["String", "localeCompare toLocaleLowerCase toLocaleUpperCase"],
    ["Number", "toLocaleString"],
    ["BigInt", "toLocaleString"],
    ["Date", "toLocaleString toLocaleDateString toLocaleTimeString"],
    ["Array", "toLocaleString"],
    ["Uint8Array", "toLocaleString"],
  ];
  for (const [kind = "", names = ""] of languageMethods) {
    const prototype = kind === "Uint8Array" ? getPrototypeOf(Uint8Array.prototype) : global[kind].prototype;
    for (const name of names.split(" ")) {
      const made = {
        [name](/** @type {unknown[]} */ ...given) {
          methods ??= evaluate(locale)();
          return apply(methods[kind][name], this, given);
        },
      };
      hide(prototype, name, made[name]);
    }
  }
  // The engine leaves out the name of the zone, which is UTC everywhere.
  for (const name of ["toString", "toTimeString"]) {
    const own = /** @type {any} */ (OwnDate.prototype)[name];
    const made = {
      [name]() {
        const text = apply(own, this, []);
        return text === "Invalid Date" ? text : `${text} (Coordinated Universal Time)`;
      },
    };
    hide(OwnDate.prototype, name, made[name]);
  }
  const timers = addTimers(add, {
    clock: () => guarded(clock),
    timed: () => guarded(timed),
    print: (/** @type {string} */ name, /** @type {unknown[]} */ given) => guarded(() => print(name, given)),
    console,
  });

  /** Calls without an answer, by number. @type {Record<string, any>} */
  let waiting = { __proto__: /** @type {any} */ (null) };

  /** A promise that holds what settles it is a cycle, and those stay in memory for long. @param {any} state */
  const release = (state) => {
    state.resolve = undefined;
    state.reject = undefined;
  };

  /**
   * Rejects last: where the stack overflows before, the program gets that error and no promise, so nothing may be left rejected.
   *
   * @param {any} state @param {unknown} error @param {number} id Of the call; -1: it was refused; -2: reading its arguments threw.
   */
  const fail = (state, error, id) => {
    const { reject } = state;
    release(state);
    failed(error, id);
    reject(error);
  };

  /** Called by `rows.map(tool)`, which also gives the index and the array. @param {any} given */
  const isMapped = (given) => given.length === 3 && isArray(given[2]) && given[2][given[1]] === given[0];

  /** The engine's own globals, which a tool of such a name replaces. */
  const originals = { __proto__: /** @type {any} */ (null) };
  for (const name of Object.getOwnPropertyNames(global))
    originals[name] = getOwnPropertyDescriptor(global, name)?.value;
  /** What has the tools. In a session under the globals: a variable hides a tool, which is there again when the variable is gone. */
  let layer = global;

  /** Tools by identifier, those of earlier programs too: what a program kept calls the one that has the name by then. @type {Record<string, any>} */
  const slots = { __proto__: /** @type {any} */ (null) };
  /** Tools whose names have a dot, as members of an object. @type {Record<string, any>} */
  const groups = { __proto__: /** @type {any} */ (null) };

  /** @param {string} identifier */
  const makeSlot = (identifier) => {
    const slot = { index: -1, call: /** @type {any} */ (undefined) };
    const made = {
      [identifier](/** @type {unknown[]} */ ...given) {
        const state = {
          __proto__: null,
          resolve: /** @type {any} */ (undefined),
          reject: /** @type {any} */ (undefined),
        };
        const promise = new OwnPromise((resolve, reject) => {
          state.resolve = resolve;
          state.reject = reject;
        });
        // The stack overflowed in there, for which the engine has rejected the promise.
        if (state.reject === undefined) return promise;
        if (slot.index < 0) {
          const message = `the tool ${identifier} is not offered any more`;
          fail(state, construct(OwnError, [message], ToolError), -2);
          return promise;
        }
        try {
          const count = isMapped(given) ? 1 : given.length;
          const outcome = call(slot.index, count, given.length > 0 ? given[0] : undefined);
          if (typeof outcome === "number") waiting[outcome] = state;
          else {
            const error = outcome[0] === "R" ? new OwnRangeError(refused()) : new OwnTypeError(refused());
            fail(state, error, -1);
          }
        } catch (error) {
          fail(state, local(error), -2);
        }
        return promise;
      },
    };
    slot.call = made[identifier];
    return slot;
  };

  /** @param {string} name @param {unknown} value */
  const offer = (name, value) => {
    if (!hasOwn(originals, name)) hide(layer, name, value);
    else if (getOwnPropertyDescriptor(global, name)?.value === originals[name]) hide(global, name, value);
  };

  /** @param {boolean} isSession */
  const bindTools = (isSession) => {
    if (isSession && layer === global) {
      layer = create(getPrototypeOf(global));
      setPrototypeOf(global, layer);
    }
    for (const name in slots) slots[name].index = -1;
    for (let index = 0; index < bridge.tools; index++) {
      const identifier = bridge.identifier(index);
      slots[identifier] ??= makeSlot(identifier);
      const slot = slots[identifier];
      slot.index = index;
      offer(identifier, slot.call);
      const group = bridge.member(index, 0);
      if (group === undefined) continue;
      groups[group] ??= {};
      offer(group, groups[group]);
      defineProperty(groups[group], bridge.member(index, 1), { ...hidden(slot.call), enumerable: true });
    }
  };

  const resultProperty = {
    __proto__: null,
    get: () => bridge.result,
    set: (/** @type {unknown} */ value) => {
      bridge.result = value;
      bridge.assigned = true;
    },
    enumerable: false,
    configurable: true,
  };

  return {
    /** Makes ready for a program. @param {boolean} isSession Whether others come after it. */
    begin(isSession) {
      timers.begin();
      waiting = { __proto__: /** @type {any} */ (null) };
      defineProperty(global, "__result__", resultProperty);
      bindTools(isSession);
    },
    /** Makes room for what a program declares, whatever has the name. @param {string} text As JSON: `{ name, isEarly }` each. */
    declare(text) {
      const names = parse(text);
      for (let index = 0; index < names.length; index++) {
        const { name, isEarly } = names[index];
        const there = getOwnPropertyDescriptor(global, name);
        if (name === "__result__" || (there === undefined ? !isEarly : there.writable)) continue;
        const room = { __proto__: null, value: undefined, writable: true, enumerable: true, configurable: true };
        if (!defineProperty(global, name, room))
          throw new OwnTypeError(`${name} can't be declared: it was made read-only`);
      }
    },
    /** @param {string} identifier Of a tool. */
    isHidden(identifier) {
      const there = getOwnPropertyDescriptor(global, identifier);
      return there !== undefined && there.value !== slots[identifier].call;
    },
    global,
    wait: timers.wait,
    fire: timers.fire,
    isPromise: (/** @type {unknown} */ value) => value instanceof OwnPromise,
    /** @param {string} text An answer of the host's. */
    settle(text) {
      const message = parse(text);
      if (hasOwn(message, "clock")) bridge.setClock(message.clock);
      const state = waiting[message.id];
      if (state === undefined) return;
      delete waiting[message.id];
      answered(message.id);
      if (message.type === "return") {
        state.resolve(message.value);
        release(state);
      } else {
        const error = construct(OwnError, [message.message], ToolError);
        hide(error, "data", message.data ?? {});
        fail(state, error, message.id);
      }
    },
  };
}
