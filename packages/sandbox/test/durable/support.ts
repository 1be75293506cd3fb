import type { OperationLog } from "@toolglot/core";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import type { SandboxRun, SandboxRunParked } from "../../src/node/index.ts";

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** The value of a run that must have ended well. */
export function resultOf(run: SandboxRun | SandboxRunParked): unknown {
  if (run.status !== "ok") throw new Error(JSON.stringify(run));
  return run.value;
}

/** A log whose time stands still until somebody moves it, so that no lease runs out by itself. */
export function logWithClock(): { log: MemoryOperationLog; pass(ms: number): void } {
  let time = Date.now();
  return {
    log: new MemoryOperationLog({ now: () => time }),
    pass: (ms) => {
      time += ms;
    },
  };
}

const methods = ["claim", "renew", "begin", "finish", "doubt", "settle", "read"] as const;

/** A log of which every method can be looked into. */
export function wrapLog(
  log: OperationLog,
  around: (method: (typeof methods)[number], args: unknown[], call: () => Promise<unknown>) => Promise<unknown>,
): OperationLog {
  const wrapped: Record<string, unknown> = { durability: log.durability };
  for (const method of methods) {
    const real = log[method].bind(log) as (...args: unknown[]) => Promise<unknown>;
    wrapped[method] = (...args: unknown[]) => around(method, args, () => real(...args));
  }
  return wrapped as unknown as OperationLog;
}

/**
 * The log as a process sees it that dies at one moment: writes are counted, each is a moment before and one after, and from
 * that moment on nothing is written and nothing is answered. Leases are not counted: they are renewed by the clock.
 */
export function dyingLog(
  log: OperationLog,
  diesAt: number,
): { log: OperationLog; died: Promise<void>; moments(): number } {
  let moment = 0;
  let markDead: () => void = () => {};
  const died = new Promise<void>((resolve) => {
    markDead = resolve;
  });
  const never = new Promise<never>(() => {});
  const step = (): boolean => {
    if (++moment < diesAt) return true;
    markDead();
    return false;
  };
  const around = async (method: string, _: unknown[], call: () => Promise<unknown>): Promise<unknown> => {
    if (moment >= diesAt) return await never;
    if (method === "read" || method === "renew") return await call();
    if (!step()) return await never;
    const result = await call();
    if ((result as { status?: unknown } | undefined)?.status === "busy") {
      // It waits for a lease; how often it asks meanwhile is a matter of time.
      moment--;
      return result;
    }
    return step() ? result : await never;
  };
  return { log: wrapLog(log, around), died, moments: () => moment };
}
