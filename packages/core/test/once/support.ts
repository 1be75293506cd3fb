import type { OperationLog } from "../../src/index.ts";
import { MemoryOperationLog } from "../../src/memory-operation-log.ts";
import type { OnceOptions } from "../../src/once-layer.ts";

export const log = (): MemoryOperationLog => new MemoryOperationLog();

export const options = (more: Partial<OnceOptions> = {}): OnceOptions => ({
  scope: "shop/refund",
  key: "k",
  allowVolatile: true,
  ...more,
});

/** Resolves with the code of the error that a promise rejects with. */
export async function codeOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => "no error",
    (error: { code?: unknown }) => error.code ?? error,
  );
}

/** Returns a log, one of whose methods does something else. */
export function brokenAt(
  log: OperationLog,
  method: "claim" | "renew" | "begin" | "finish" | "doubt",
  act: (run: () => Promise<unknown>) => Promise<unknown>,
): OperationLog {
  return new Proxy(log, {
    get(of, name) {
      const own: unknown = of[name as "claim"];
      if (typeof own !== "function") return own;
      const run = (...given: unknown[]): Promise<unknown> =>
        (own as (...all: unknown[]) => Promise<unknown>).apply(of, given);
      return name === method ? (...given: unknown[]) => act(() => run(...given)) : run;
    },
  });
}
