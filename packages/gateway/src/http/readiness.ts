import { settleWithin, unsettled } from "@toolglot/internal";
import type { Router } from "@toolglot/trp-core";
import type { ReadinessCheck } from "./types.ts";

/** How long a check may take, and how long its result holds. Milliseconds. */
const withinMs = 2_000;
const keptMs = 5_000;

/** The answer of `GET /readyz`. */
export interface Readiness {
  ready: boolean;
  checks: ReadinessCheck[];
}

/**
 * Creates the check of `/readyz`: a heartbeat is written to the store and committed, which a full disk or a lost volume lets
 * fail, and what `more` says. Never rejects. A result is kept for five seconds, so that nobody loads the store by asking.
 */
export function readinessOf(
  router: Pick<Router, "ready">,
  more: () => readonly ReadinessCheck[] | Promise<readonly ReadinessCheck[]>,
): () => Promise<Readiness> {
  let last: { at: number; result: Promise<Readiness> } | undefined;
  const check = async (): Promise<Readiness> => {
    const store = timed(async () => {
      const reason = await router.ready();
      return [{ name: "store", ok: reason === undefined, ...(reason !== undefined && { message: reason }) }];
    }, "store");
    const checks = (await Promise.all([store, timed(async () => more(), "gateway")])).flat();
    return { ready: checks.every(({ ok }) => ok), checks };
  };
  return () => {
    const now = performance.now();
    if (last === undefined || now - last.at > keptMs) last = { at: now, result: check() };
    return last.result;
  };
}

async function timed(run: () => Promise<readonly ReadinessCheck[]>, name: string): Promise<readonly ReadinessCheck[]> {
  try {
    const found = await settleWithin(run(), { ms: withinMs });
    return found === unsettled ? [{ name, ok: false, message: `no answer within ${withinMs} ms` }] : found;
  } catch {
    // The error's words may name files and addresses.
    return [{ name, ok: false, message: "the check failed" }];
  }
}
