import type { ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isLong, isThorough, someOf } from "@toolglot/internal/testing";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresForTests } from "../../../scripts/lib/postgres.mjs";
import type { Bundled } from "../../trp-core/test/chaos/bundle.ts";
import { ChaosClient, type Operation, type Told } from "../../trp-core/test/chaos/client.ts";
import { describeCrashPoints } from "../../trp-core/test/chaos/crash-points.ts";
import { end, type Started, start } from "../../trp-core/test/chaos/process.ts";
import type { RouterSettings } from "../../trp-core/test/chaos/router.ts";
import { auditOf } from "../../trp-core/test/chaos/written.ts";
import { openPostgres } from "../src/index.ts";
import { bundleProcesses, ledger } from "./bundle.ts";
import { type Broken, breaks, brokenAt, moments } from "./chaos/points.ts";
import type { Opened } from "./chaos/stage.ts";

const { url, skip } = await postgresForTests();
const reason = skip ? ` (${skip})` : "";
const schemaOf = (name: string): string => `${name}_${process.pid}_${Date.now()}`;
const lease = 1_000;
const effects = ["keyed", "probe", "opaque"] as const;

describe.skipIf(skip)(`every moment of a call${reason}`, () => {
  const options = { url, schema: schemaOf("points") };
  describeCrashPoints(async () => ({
    scripts: await bundleProcesses([ledger, "processes/router"]),
    store: JSON.stringify({ options } satisfies Opened),
  }));
});

describe.skipIf(skip)(`a router that fails in a commit${reason}`, () => {
  const folder = mkdtempSync(join(tmpdir(), "toolglot-commits-"));
  const options = { url, schema: schemaOf("commits") };
  let scripts: Bundled;
  let world: Started;
  let other: Started;

  const running = new Map<string, ChildProcess>();

  const router = (own: Omit<Opened, "options">, opened: Opened["options"] = options): Promise<Started> => {
    const store = JSON.stringify({ options: opened, ...own } satisfies Opened);
    const settings: RouterSettings = { store, ledger: world.port, lease, variant: "fence" };
    const noted = (child: ChildProcess): void => {
      if (own.broken) running.set(opened.schema as string, child);
    };
    return start(scripts.path("router"), JSON.stringify(settings), {}, noted);
  };
  const keyed = (op: string): Operation => ({ op, idx: 0, capId: "cap.chaos.keyed.v1" });
  const happened = async (op: string): Promise<number> => {
    const counts = (await (await fetch(`http://127.0.0.1:${world.port}/counts`)).json()) as Record<string, number>;
    return counts[op] ?? 0;
  };
  beforeAll(async () => {
    scripts = await bundleProcesses([ledger, "processes/router"]);
    world = await start(scripts.path("ledger"), join(folder, "effects.jsonl"));
    other = await router({});
  });
  afterAll(async () => {
    await Promise.all([other, world].filter(Boolean).map(end));
    scripts?.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Only an opaque effect that was begun, and whose end nobody has written, is unknown. */
  function expected({ moment, of, way }: Broken, effect: (typeof effects)[number]): Told["status"] {
    const isBegun = of === "start" ? moment === "after-commit-before-answer" : moment === "before-commit";
    return effect === "opaque" && way !== "terminate" && isBegun ? "unknown" : "success";
  }

  const calls = moments.flatMap((moment) =>
    (["start", "finish"] as const).flatMap((of) => breaks.map((way): Broken => ({ moment, of, way }))),
  );
  // Stopping takes two seconds each. Else each of them with one of the effects, which take turns.
  const cases = calls
    .filter(({ way }) => way !== "stop" || isThorough)
    .flatMap((broken, turn) => effects.map((effect, idx) => ({ ...broken, effect, idx, turn })))
    .filter(({ idx, turn }) => isLong || turn % effects.length === idx);

  it.concurrent.each(cases)(
    "$moment of its $of ($way), the effect being $effect",
    async ({ effect, idx, ...broken }) => {
      const failing = await router({ broken });
      try {
        const op = `${broken.moment}-${broken.of}-${broken.way}-${effect}`;
        const operation = { op, idx, capId: `cap.chaos.${effect}.v1` };
        // The first frames go to the router that will fail, all others to the other one.
        let sends = 0;
        const any = (): number => (sends++ < 2 ? failing.port : other.port);
        const told = await new ChaosClient({ any }, 0, broken.way === "stop" ? 1_500 : 15_000).run(operation, 30_000);
        if (broken.way === "stop") failing.child.kill("SIGCONT");
        const again = await new ChaosClient({ any: () => other.port }, 0).run(operation, 15_000);
        expect(failing.errors()).toContain(brokenAt);
        expect(told.status, JSON.stringify(told)).toBe(expected(broken, effect));
        expect(again).toEqual(told);
        const count = await happened(op);
        if (told.status === "success") expect(count).toBe(1);
        else expect(count).toBeLessThanOrEqual(1);
      } finally {
        await end(failing);
      }
    },
  );

  const allWorks = (["seal", "migration"] as const).flatMap((of) =>
    moments.flatMap((moment) => breaks.map((way): Broken => ({ moment, of, way }))),
  );
  const killed = allWorks.filter(({ way }) => way === "kill");
  const works = isThorough ? someOf(allWorks, 3, killed) : killed;
  it.concurrent.each(works)("$moment of a $of ($way): another one goes on", async (broken) => {
    // Who stands still in a transaction loses it after so long.
    const own = { ...options, schema: schemaOf(`${broken.of}_${works.indexOf(broken)}`), statementTimeoutMs: 2_000 };
    const failing = router({ broken }, own);
    // Who fails in the migration may never be ready.
    const never = broken.of === "migration" ? [pause(2_000)] : [];
    const first = await Promise.race([failing.catch(() => undefined), ...never]);
    if (first) await new ChaosClient({ any: () => first.port }, 0).run(keyed(`${own.schema}-first`), 3_000);
    const next = await router({}, own);
    const store = await openPostgres(own);
    try {
      const told = await new ChaosClient({ any: () => next.port }, 0, 15_000).run(keyed(`${own.schema}-next`), 60_000);
      expect(told.status).toBe("success");
      expect((await store.audit.read()).length).toBeGreaterThan(1);
      if (broken.way === "kill") expect(running.get(own.schema)?.signalCode).toBe("SIGKILL");
      running.get(own.schema)?.kill("SIGCONT");
      expect(await auditOf(store)).toMatchObject({ ok: true });
    } finally {
      await store.close();
      running.get(own.schema)?.kill("SIGKILL");
      await end(next);
    }
  });
});
