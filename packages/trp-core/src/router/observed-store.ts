import type { Pending } from "../store/frame-types.ts";
import type { RouterStore } from "../store/types.ts";

/** Gets a fault of the store, and the method that had it: `sessions.admit`. */
export type StoreFaultListener = (error: unknown, operation: string) => void;

/**
 * The same store, which also reports its faults: its callers turn them into answers, and then nobody would know of
 * them. Mistakes of callers (`TypeError`) are no faults of the store.
 */
export function observedStore(store: RouterStore, report: StoreFaultListener): RouterStore {
  return observed(store, "", report);
}

function observed<Part extends object>(part: Part, prefix: string, report: StoreFaultListener): Part {
  const watched = new WeakMap<object, object>();
  const methods = observedMethods(part, prefix, report);
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === "function") return methods(name, value);
      // The parts of a store have methods only.
      if (typeof value !== "object" || value === null || prefix !== "") return value;
      const known = watched.get(value) ?? observed(value, `${String(name)}.`, report);
      watched.set(value, known);
      return known;
    },
  });
}

type Method = (...given: unknown[]) => unknown;

/** Returns each method as it is now, watched; made once for each. */
function observedMethods(
  owner: object,
  prefix: string,
  report: StoreFaultListener,
): (name: PropertyKey, value: object) => unknown {
  const made = new Map<PropertyKey, { of: object; method: Method }>();
  return (name, value) => {
    const before = made.get(name);
    if (before?.of === value) return before.method;
    const bare = (value as Method).bind(owner);
    const note = (error: unknown): void => {
      // A `TypeError` with a cause comes from a driver: `fetch` throws one when there is no network.
      const isMistake = error instanceof TypeError && error.cause === undefined;
      if (!isMistake) report(error, prefix + String(name));
    };
    // A pending admission may fail after the store has answered.
    const notePending = (value: { pending?: Pending } | undefined): void => void value?.pending?.result.catch(note);
    const method: Method = (...given) => {
      try {
        const result = bare(...given);
        if (result instanceof Promise) result.then(notePending, note);
        return result;
      } catch (error) {
        note(error);
        throw error;
      }
    };
    // `now` is called very often and never fails.
    made.set(name, { of: value, method: name === "now" ? bare : method });
    return made.get(name)?.method;
  };
}
