import { isThenable } from "@toolglot/internal";
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

type Method = (...given: unknown[]) => unknown;

function observed<Part extends object>(part: Part, prefix: string, report: StoreFaultListener): Part {
  const watched: Record<string, unknown> = {};
  for (const name of membersOf(part)) {
    const value: unknown = part[name as keyof Part];
    // The parts of a store have methods only.
    const isPart = typeof value === "object" && value !== null && prefix === "";
    if (isPart) watched[name] = observed(value, `${name}.`, report);
    // `now` is called very often and never fails.
    else if (name === "now") watched[name] = () => (part as unknown as { now(): number }).now();
    else if (typeof value === "function") {
      // Looked up at each call, as the owner would: a method may be replaced.
      const own = part as unknown as Record<string, Method>;
      watched[name] = observedMethod((given) => own[name]?.(...given), prefix + name, report);
    } else watched[name] = value;
  }
  return watched as Part;
}

/** The names of an object's own members and of its class's. */
function membersOf(part: object): Set<string> {
  const names = new Set<string>();
  for (let owner: object | null = part; owner !== null && owner !== Object.prototype; ) {
    for (const name of Object.getOwnPropertyNames(owner)) if (name !== "constructor") names.add(name);
    owner = Object.getPrototypeOf(owner);
  }
  return names;
}

function observedMethod(bare: (given: unknown[]) => unknown, operation: string, report: StoreFaultListener): Method {
  const note = (error: unknown): void => {
    // A `TypeError` with a cause comes from a driver: `fetch` throws one when there is no network.
    const isMistake = error instanceof TypeError && error.cause === undefined;
    if (!isMistake) report(error, operation);
  };
  // A pending admission may fail after the store has answered.
  const notePending = (value: { pending?: Pending } | undefined): void => void value?.pending?.result.catch(note);
  return (...given) => {
    try {
      const result = bare(given) as { pending?: Pending } | undefined;
      if (!isThenable(result)) {
        notePending(result);
        return result;
      }
      const promise = Promise.resolve(result);
      promise.then(notePending, note);
      return promise;
    } catch (error) {
      note(error);
      throw error;
    }
  };
}
