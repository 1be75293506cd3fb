import type { RouterStore } from "../../src/store/index.ts";
import { replaced } from "./replaced.ts";

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

/**
 * Makes that failure. A process is stopped when `atRest` resolves: one that is stopped within a transaction of its store keeps the lock
 * of the file, and its neighbours wait for that, not for the call.
 */
export function failing(point: Point | undefined, way: Way | undefined, atRest: () => Promise<void>): Failing {
  let done = false;
  return {
    at: async (here) => {
      if (done || here !== point) return;
      done = true;
      if (way === "throw") throw new Error(`thrown ${here}`);
      if (way === "stop") await atRest();
      process.kill(process.pid, way === "kill" ? "SIGKILL" : "SIGSTOP");
      // The signal has arrived by then; woken up, the code goes on where it was.
      await new Promise((resume) => setTimeout(resume, 20));
    },
  };
}

/** The store, which takes up to so long before it starts a call, in milliseconds: much can come in between. */
export function slowed(store: RouterStore, maxMs: number): RouterStore {
  const start: RouterStore["operations"]["start"] = async (...args) => {
    await new Promise((resume) => setTimeout(resume, Math.random() * maxMs));
    return await store.operations.start(...args);
  };
  return replaced(store, { operations: replaced(store.operations, { start }) });
}

/** The store, failing at the points that lie at its border. */
export function failAt(store: RouterStore, fail: Failing): RouterStore {
  const { sessions, operations } = store;
  return replaced(store, {
    sessions: replaced(sessions, {
      admit: async (...args) => {
        const result = await sessions.admit(...args);
        await fail.at("after-admit");
        return result;
      },
    }),
    operations: replaced(operations, {
      start: async (...args) => {
        await fail.at("before-start");
        const result = await operations.start(...args);
        await fail.at("after-start");
        return result;
      },
      finish: async (...args) => {
        await fail.at("before-finish");
        const result = await operations.finish(...args);
        await fail.at("after-finish");
        return result;
      },
    }),
  });
}
