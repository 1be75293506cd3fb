import type { RouterStore } from "../store/types.ts";

/** Told of a fault of the store, and of the method that had it: `sessions.admit`. */
export type StoreFaultListener = (error: unknown, operation: string) => void;

/**
 * The store as it is, but that its faults are told of: whoever calls turns them into an answer, and then nobody would
 * know of them. Mistakes of callers (`TypeError`) are no faults of the store.
 */
export function observedStore(store: RouterStore, tell: StoreFaultListener): RouterStore {
  const { sessions, operations, approvals, audit, artifacts, catalog } = store;
  const parts = { sessions, operations, approvals, audit, artifacts, catalog };
  const watchedParts = new Map<PropertyKey, object>(
    Object.entries(parts).map(([name, part]) => [name, observed(part, `${name}.`, tell)]),
  );
  return observed(store, "", tell, watchedParts);
}

function observed<Part extends object>(
  part: Part,
  prefix: string,
  tell: StoreFaultListener,
  parts?: ReadonlyMap<PropertyKey, object>,
): Part {
  const methods = new Map<PropertyKey, unknown>();
  return new Proxy(part, {
    get(target, name) {
      const inner = parts?.get(name) ?? methods.get(name);
      if (inner !== undefined) return inner;
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      // Asked all the time, and never in trouble.
      if (name === "now") {
        const now = value.bind(target);
        methods.set(name, now);
        return now;
      }
      const method = (...given: unknown[]): unknown => {
        const told = (error: unknown): void => {
          if (!(error instanceof TypeError)) tell(error, prefix + String(name));
        };
        try {
          const result: unknown = Reflect.apply(Reflect.get(target, name, target) as typeof value, target, given);
          if (result instanceof Promise) result.catch(told);
          return result;
        } catch (error) {
          told(error);
          throw error;
        }
      };
      methods.set(name, method);
      return method;
    },
  });
}
