// What no program that broke out of the engine should find in its thread, whatever runs it.

export function denied() {
  throw new Error("not available in the sandbox");
}

/** `Function` and its like are reached from any function as its constructor. */
export function removeCodeFromText() {
  const kinds = [() => {}, async () => {}, function* () {}, async function* () {}];
  for (const kind of kinds) {
    const prototype = Object.getPrototypeOf(kind);
    Object.defineProperty(prototype, "constructor", { value: denied, writable: false, configurable: false });
  }
}

/** Removes globals by name, also those that a prototype of the global object holds. @param {readonly string[]} names */
export function removeGlobals(names) {
  for (const name of names) {
    for (let holder = globalThis; holder !== null; holder = Object.getPrototypeOf(holder)) {
      if (!Object.hasOwn(holder, name) || Reflect.deleteProperty(holder, name)) continue;
      try {
        Object.defineProperty(holder, name, { value: undefined, writable: false });
      } catch {
        // Fixed by the runtime.
      }
    }
  }
}
