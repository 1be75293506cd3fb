import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isLong, isThorough } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Bundled } from "./bundle.ts";
import { ChaosClient, type Operation, type Told } from "./client.ts";
import { type Point, points, type Way, ways } from "./fail-at.ts";
import { end, type Started, start } from "./process.ts";
import type { RouterSettings } from "./router.ts";

// Longer than a busy machine takes for a call; who was killed is waited for so long.
const lease = 1_000;
/** Who was stopped says nothing; all others answer, or are gone, whenever a busy machine gets to it. */
const silence = (way: Way): number => (way === "stop" ? 1_500 : 15_000);
const effects = ["keyed", "probe", "opaque"] as const;
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));
// Stopping takes two seconds each, so it is done where everything is switched on.
const tried = ways.filter((way) => way !== "stop" || isThorough);

/** What the client must be told in the end. Only an opaque effect that may have happened is unknown. */
function expected(point: Point, way: Way, effect: (typeof effects)[number]): Told["status"] {
  // The capability itself threw: told as it is, and the same key, sent again, finds out.
  if (point === "after-effect" && way === "throw" && effect === "keyed") return "failed";
  if (effect !== "opaque") return "success";
  if (point === "after-admit" || point === "before-start" || point === "after-finish") return "success";
  // The store's own methods throw here: the router is alive, so it knows what it did, unless it was the start's commit
  // or the capability whose word is missing.
  if (way === "throw" && point === "before-finish") return "success";
  return "unknown";
}

/**
 * Every moment of a call × every way to fail × every kind of effect, with real processes on one store. A router fails in the middle of
 * a call; the client asks another one; the first, if it was only stopped, wakes up and goes on. `prepare`: the processes `ledger` and
 * `router`, and the store of the routers.
 */
export function describeCrashPoints(prepare: () => Promise<{ scripts: Bundled; store: string }>): void {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-points-"));
  let scripts: Bundled;
  let store: string;
  let ledger: Started;
  let other: Started;

  const router = (failing: Pick<RouterSettings, "point" | "way"> = {}): Promise<Started> => {
    const settings: RouterSettings = { store, ledger: ledger.port, lease, variant: "fence", ...failing };
    return start(scripts.path("router"), JSON.stringify(settings));
  };

  beforeAll(async () => {
    ({ scripts, store } = await prepare());
    ledger = await start(scripts.path("ledger"), join(folder, "effects.jsonl"));
    other = await router();
  });

  afterAll(async () => {
    await Promise.all([other, ledger].filter(Boolean).map(end));
    scripts?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  async function happened(op: string): Promise<number> {
    const counts = (await (await fetch(`http://127.0.0.1:${ledger.port}/counts`)).json()) as Record<string, number>;
    return counts[op] ?? 0;
  }

  describe.concurrent.each(points)("a router that fails %s", (point) => {
    for (const way of tried) {
      for (const [idx, effect] of effects.entries()) {
        // All in test:long; else each way at each point with one of the effects, which take turns.
        if (!isLong && (points.indexOf(point) + ways.indexOf(way)) % effects.length !== idx) continue;
        it(`(${way}), the effect being ${effect}: it happens once at most, and the client learns how it stands`, async () => {
          const failing = await router({ point, way });
          try {
            const operation: Operation = { op: `${point}-${way}-${effect}`, idx, capId: `cap.chaos.${effect}.v1` };
            // The first frames go to the router that will fail, all others to the other one.
            let sends = 0;
            const client = new ChaosClient({ any: () => (sends++ < 2 ? failing.port : other.port) }, 0, silence(way));
            const told = await client.run(operation, 15_000);
            if (way === "stop") {
              failing.child.kill("SIGCONT");
              await pause(100);
            }
            const again = await new ChaosClient({ any: () => other.port }, 0).run(operation, 15_000);
            const count = await happened(operation.op);
            expect(told.status, JSON.stringify(told)).toBe(expected(point, way, effect));
            if (told.status === "failed") expect(again.status).toBe("success");
            else expect(again).toEqual(told);
            if (again.status === "success") expect(count).toBe(1);
            else expect(count).toBeLessThanOrEqual(1);
          } finally {
            await end(failing);
          }
        });
      }
    }
  });
}
