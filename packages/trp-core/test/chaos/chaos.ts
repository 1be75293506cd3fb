import { gather, type Stage } from "./cast.ts";
import { ChaosClient, type Operation } from "./client.ts";
import { type Case, judge, type Verdict } from "./judge.ts";
import type { Variant } from "./naive.ts";

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

export const capabilities = ["cap.chaos.keyed.v1", "cap.chaos.probe.v1", "cap.chaos.opaque.v1"];
const allWays: Pick<Operation, "mode" | "cancels">[] = [
  ...[{}, { mode: "ASYNC" as const }, {}, { mode: "ASYNC" as const }, {}, { mode: "ASYNC" as const }],
  ...[{ cancels: true }, { mode: "ASYNC" as const, cancels: true }],
];
/** How long a client goes on asking for one operation. Milliseconds. */
const patience = 120_000;
const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms));

/** Routers as processes, clients that send twice, somebody who kills and stops, and a ledger that tells. */
export async function chaos(stage: Stage, { variant, operations, ...options }: ChaosOptions): Promise<ChaosReport> {
  const { routers = 2, clients = 16, lease = 400, every = 60, kinds = [0, 1, 2], ways = allWays, slow = 30 } = options;
  const cast = await gather(stage, { variant, routers, lease, every, slow });
  // Who says nothing for so long counts as gone: longer than some are stopped.
  const silence = Math.max(1_500, lease * 2.5);
  const cases: (Case & { client: ChaosClient })[] = [];
  const began = performance.now();
  try {
    let next = 0;
    await Promise.all(
      Array.from({ length: clients }, async () => {
        const client = new ChaosClient(cast, 0.3, silence);
        for (let index = next++; index < operations; index = next++) {
          const idx = kinds[index % kinds.length] as number;
          const way = ways[Math.floor(index / kinds.length) % ways.length];
          const operation = { op: `op${index}`, idx, capId: capabilities[idx] as string, ...way };
          // Sometimes two agents mean the same operation; what one of them cancels, the other doesn't.
          const isShared = operation.cancels !== true && Math.random() < 0.1;
          const also = isShared ? new ChaosClient(cast, 0, silence).run(operation, patience) : undefined;
          const told = await client.run(operation, patience);
          cases.push({ client, operation, told, heard: client.heardOf(operation.op) });
          await also;
        }
      }),
    );
    const seconds = (performance.now() - began) / 1000;
    const unrest = await cast.calm();
    await quiet(stage);
    await inTurns(cases, ({ client, operation }) => client.lookBack(operation, 10_000));
    const [effects, seen] = [await cast.effects(), cast.seen()];
    await cast.end();
    return { ...(await judge(() => stage.open(stage.store), cases, effects, seen)), unrest, seconds };
  } finally {
    await cast.end();
  }
}

/** Waits until those that are left have settled what the others left behind, at most 30 s: the judge sees what they have not. */
export async function quiet({ open, store: name }: Stage): Promise<void> {
  const store = await open(name);
  for (let waited = 0; waited < 30_000; waited += 250) {
    if ((await store.operations.list({ states: ["started"], limit: 1 })).length === 0) break;
    await pause(250);
  }
  await store.close();
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
