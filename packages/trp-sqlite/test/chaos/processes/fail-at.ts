import type { RouterStore } from "@toolglot/trp-core/store";

/** A moment in a call. */
export const points = [
  "after-admit",
  "before-start",
  "after-start",
  "after-effect",
  "before-finish",
  "after-finish",
] as const;
export type Point = (typeof points)[number];

/** What happens then: the process is killed, stopped until somebody wakes it, or the code throws. */
export const ways = ["kill", "stop", "throw"] as const;
export type Way = (typeof ways)[number];

/** Fails once, at one point. */
export interface Failing {
  at(point: Point): Promise<void>;
}

/** Makes that failure. */
export function failing(point: Point | undefined, way: Way | undefined): Failing {
  let done = false;
  return {
    at: async (here) => {
      if (done || here !== point) return;
      done = true;
      if (way === "throw") throw new Error(`thrown ${here}`);
      process.kill(process.pid, way === "kill" ? "SIGKILL" : "SIGSTOP");
      // The signal has arrived by then; woken up, the code goes on where it was.
      await new Promise((resume) => setTimeout(resume, 20));
    },
  };
}

/** Calls around one method; the rest is the target's own. */
function around<T extends object>(
  target: T,
  name: string,
  before: Point | undefined,
  after: Point | undefined,
  fail: Failing,
): T {
  return new Proxy(target, {
    get: (from, property) => {
      const value = Reflect.get(from, property);
      if (typeof value !== "function") return value;
      if (property !== name) return value.bind(from);
      return async (...args: unknown[]) => {
        if (before) await fail.at(before);
        const result = await value.apply(from, args);
        if (after) await fail.at(after);
        return result;
      };
    },
  });
}

/** The store, failing at the points that lie at its border. */
export function failAt(store: RouterStore, fail: Failing): RouterStore {
  const sessions = around(store.sessions, "admit", undefined, "after-admit", fail);
  const started = around(store.operations, "start", "before-start", "after-start", fail);
  const operations = around(started, "finish", "before-finish", "after-finish", fail);
  return new Proxy(store, {
    get: (from, property) => {
      if (property === "sessions") return sessions;
      if (property === "operations") return operations;
      const value = Reflect.get(from, property);
      return typeof value === "function" ? value.bind(from) : value;
    },
  });
}
