import type { RouterStore } from "../store/types.ts";

/** Told of a fault of the store, and of the method that had it: `sessions.admit`. */
export type StoreFaultListener = (error: unknown, operation: string) => void;

/**
 * The store as it is, but that its faults are told of: whoever calls turns them into an answer, and then nobody would
 * know of them. Mistakes of callers (`TypeError`) are no faults of the store.
 */
export function observedStore(store: RouterStore, tell: StoreFaultListener): RouterStore {
  const watched = new WeakMap<object, object>();
  const methods = observedMethods(store, "", tell);
  return new Proxy(store, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value === "function") return methods(name, value);
      if (typeof value !== "object" || value === null) return value;
      const known = watched.get(value);
      if (known !== undefined) return known;
      const part = observedPart(value, `${String(name)}.`, tell);
      watched.set(value, part);
      return part;
    },
  });
}

function observedPart(part: object, prefix: string, tell: StoreFaultListener): object {
  const methods = observedMethods(part, prefix, tell);
  return new Proxy(part, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? methods(name, value) : value;
    },
  });
}

type Method = (...given: unknown[]) => unknown;

/** Gives each method as it is now, watched; made once for each. */
function observedMethods(
  owner: object,
  prefix: string,
  tell: StoreFaultListener,
): (name: PropertyKey, value: object) => unknown {
  const made = new Map<PropertyKey, { of: object; method: Method }>();
  return (name, value) => {
    const before = made.get(name);
    if (before?.of === value) return before.method;
    const bare = (value as Method).bind(owner);
    const told = (error: unknown): void => {
      if (!(error instanceof TypeError)) tell(error, prefix + String(name));
    };
    const method: Method = (...given) => {
      try {
        const result = bare(...given);
        if (result instanceof Promise) result.catch(told);
        return result;
      } catch (error) {
        told(error);
        throw error;
      }
    };
    // Asked all the time, and never in trouble.
    made.set(name, { of: value, method: name === "now" ? bare : method });
    return made.get(name)?.method;
  };
}
