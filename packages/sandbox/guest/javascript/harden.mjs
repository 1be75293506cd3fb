// What is taken away around an interpreter, whatever runs it: a program that broke out of its engine should find nothing.

/** Modules of Node that reach the network, other processes or more of this one. The permission model of Node 20 to 24 has no network switch. */
export const reachingModules = "net tls dgram dns dns/promises http https http2 child_process inspector wasi".split(
  " ",
);

/** Functions of `process` that no interpreter needs. */
export const processFunctions = (
  "kill _kill dlopen _linkedBinding abort chdir umask setuid setgid seteuid setegid setgroups initgroups _debugProcess " +
  "_debugEnd loadEnvFile execve setSourceMapsEnabled"
).split(" ");

export function denied() {
  throw new Error("not available in the sandbox");
}

/**
 * Sets a property for good. A descriptor without `writable` and `configurable` leaves them as they are where the property
 * exists, and the guest could set it back.
 * @param {object} target @param {string} key @param {unknown} value
 */
export function nail(target, key, value) {
  Object.defineProperty(target, key, { value, writable: false, enumerable: false, configurable: false });
}

/** Replaces every function of a built-in, and those of its classes' prototypes. @param {Record<string, any>} target */
export function denyAll(target) {
  for (const key of Object.keys(target)) {
    // Some exports are accessors that load what they give.
    const value = target[key];
    if (typeof value !== "function") continue;
    for (const method of Object.getOwnPropertyNames(value.prototype ?? {})) {
      const own = Object.getOwnPropertyDescriptor(value.prototype, method);
      if (method === "constructor" || !own?.configurable || typeof own.value !== "function") continue;
      nail(value.prototype, method, denied);
    }
    try {
      target[key] = denied;
    } catch {
      // A read-only export: its prototype is gone.
    }
  }
}

/** Replaces the functions that an object has of these names. @param {Record<string, any>} target @param {readonly string[]} names */
export function denyFunctions(target, names) {
  for (const name of names) if (typeof target[name] === "function") target[name] = denied;
}

/** `Function` and its like are reached from any function as its constructor. */
export function removeCodeFromText() {
  for (const sample of [() => {}, async () => {}, function* () {}, async function* () {}]) {
    nail(Object.getPrototypeOf(sample), "constructor", denied);
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
