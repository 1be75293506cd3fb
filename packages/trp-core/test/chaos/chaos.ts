import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RouterStore } from "../../src/store/index.ts";
import type { Bundled } from "./bundle.ts";
import { ChaosClient, type Heard, type Operation } from "./client.ts";
import { type Case, judge, type Verdict } from "./judge.ts";
import type { Variant } from "./naive.ts";
import { end, type Started, start } from "./process.ts";
import type { RouterSettings } from "./router.ts";
import { killing, type Unrest } from "./unrest.ts";

/** Where it happens: what differs between stores. */
export interface Stage {
  /** With the processes `ledger` and `router`. */
  scripts: Pick<Bundled, "path">;
  /** What routers open: a file, a URL. */
  store: string;
  open(store: string): Promise<RouterStore>;
  /** Whatever else breaks, beside routers. */
  unrest?: Unrest[];
}

/** Settings of one run. */
export interface ChaosOptions {
  variant: Variant;
  operations: number;
  routers?: number;
  clients?: number;
  /** Milliseconds. */
  lease?: number;
  /** How often a router is killed or stopped, in milliseconds. */
  every?: number;
  /** Kinds of effects, by their numbers: keyed, probe, opaque. Default all. */
  kinds?: number[];
  /** How they are asked for, one after the other. Default: half of them ASYNC, and a quarter of each cancelled. */
  ways?: Pick<Operation, "mode" | "cancels">[];
  /** Before a call is started, and while it runs, at most. Milliseconds. */
  slow?: number;
}

/** What came of it. */
export interface ChaosReport extends Verdict {
  /** What was broken how often. */
  unrest: Record<string, number>;
  /** From the first call to the last answer. */
  seconds: number;
}

const capabilities = ["cap.chaos.keyed.v1", "cap.chaos.probe.v1", "cap.chaos.opaque.v1"];
const allWays: Pick<Operation, "mode" | "cancels">[] = [
  ...[{}, { mode: "ASYNC" as const }, {}, { mode: "ASYNC" as const }, {}, { mode: "ASYNC" as const }],
  ...[{ cancels: true }, { mode: "ASYNC" as const, cancels: true }],
];
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Routers as processes, clients that send twice, somebody who kills and stops, and a ledger that tells. */
export async function chaos(stage: Stage, { variant, operations, ...options }: ChaosOptions): Promise<ChaosReport> {
  const {
    routers: size = 2,
    clients = 16,
    lease = 400,
    every = 60,
    kinds = [0, 1, 2],
    ways = allWays,
    slow = 30,
  } = options;
  const { scripts, store } = stage;
  const folder = mkdtempSync(join(tmpdir(), "toolglot-chaos-"));
  const ledger = await start(scripts.path("ledger"), join(folder, "effects.jsonl"));
  const settings: RouterSettings = { store, ledger: ledger.port, lease, variant, slow };
  const another = (): Promise<Started> => start(scripts.path("router"), JSON.stringify(settings));
  const routers: Started[] = [];
  // One after the other the first time: a start under load is tested elsewhere.
  for (let index = 0; index < size; index++) routers.push(await another());
  const any = (): number => (routers[Math.floor(Math.random() * routers.length)] as Started).port;
  let over = false;
  const unrest = [killing(routers, another, every, lease), ...(stage.unrest ?? [])].map((one) => one(() => over));
  const cases: (Case & { client: ChaosClient })[] = [];
  const began = performance.now();
  try {
    let next = 0;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const client = new ChaosClient({ any }, 0.3);
        for (let index = next++; index < operations; index = next++) {
          const idx = kinds[index % kinds.length] as number;
          const way = ways[Math.floor(index / kinds.length) % ways.length];
          const operation = { op: `op${index}`, idx, capId: capabilities[idx] as string, ...way };
          // Sometimes two agents mean the same operation; what one of them cancels, the other doesn't.
          const isShared = operation.cancels !== true && Math.random() < 0.1;
          const also = isShared ? new ChaosClient({ any }, 0).run(operation, 60_000) : undefined;
          const told = await client.run(operation, 60_000);
          cases.push({ client, operation, told, heard: client.heard.get(operation.op) as Heard });
          await also;
        }
      }),
    );
    over = true;
    const seconds = (performance.now() - began) / 1000;
    const broken = Object.assign({}, ...(await Promise.all(unrest)));
    // Those that are left find what the others left behind.
    await pause(lease * 4);
    await inTurns(cases, ({ client, operation }) => client.lookBack(operation, 10_000));
    const effects = (await (await fetch(`http://127.0.0.1:${ledger.port}/counts`)).json()) as Record<string, number>;
    await Promise.all(routers.map(end));
    const seen = readFileSync(join(folder, "effects.jsonl"), "utf8").split("\n");
    return { ...(await judge(() => stage.open(store), cases, effects, seen)), unrest: broken, seconds };
  } finally {
    over = true;
    await Promise.allSettled(unrest);
    await Promise.all([...routers, ledger].map(end));
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The clients side by side, the cases of each one after the other. */
async function inTurns<T extends { client: ChaosClient }>(cases: T[], act: (one: T) => Promise<void>): Promise<void> {
  const clients = new Set(cases.map(({ client }) => client));
  await Promise.all(
    [...clients].map(async (client) => {
      for (const one of cases) if (one.client === client) await act(one);
    }),
  );
}
