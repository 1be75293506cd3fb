import { checkEnd, checkQuiet, watchClaims } from "./checks.ts";
import type { Mistakes } from "./mistakes.ts";
import { Random } from "./random.ts";
import { World } from "./world.ts";

/** What came of one seed. */
export interface Outcome {
  seed: number;
  /** Of everything that happened: two runs of one seed have the same. */
  digest: string;
  /** What must not be; empty when all is well. */
  wrong: string[];
  /** How often what happened. */
  counts: Record<string, number>;
  /** What happened, line by line: only when it was asked for. */
  trace: string[] | undefined;
}

/** Options of {@link simulate}. */
export interface SimulateOptions {
  /** Makes the store naive, to see that it shows. */
  mistakes?: Mistakes;
  /** Keeps what happened, line by line. Default false. */
  isTraced?: boolean;
}

/** Plays what follows from a seed. One at a time: it takes the clocks and timers of the thread. */
export async function simulate(
  seed: number,
  { mistakes = {}, isTraced = false }: SimulateOptions = {},
): Promise<Outcome> {
  const world = new World(seed, { mistakes, isTraced });
  const { time, wrong, counts } = world;
  watchClaims(world);
  const undo = time.install(new Random(seed ^ 0x5eed));
  try {
    await world.play(async () => {
      await checkQuiet(world);
      await checkAudit(world);
    });
    await checkEnd(world);
    await checkAudit(world);
  } finally {
    undo();
  }
  counts.effects = world.outside.done.length;
  counts.events = time.events;
  return { seed, digest: time.digest(), wrong, counts, trace: time.lines };
}

/** Reads the audit log through a router: its chain, and the rows about each operation. */
async function checkAudit({ time, nodes, wrong }: World): Promise<void> {
  const node = nodes.find(({ router, process }) => router !== undefined && process.isAlive);
  let report: { ok: boolean } | undefined;
  time.after(0, node?.process, async () => {
    report = await node?.router?.audit.verify();
  });
  await time.run(time.now + 30_000, () => report !== undefined);
  if (!report?.ok) wrong.push(`audit: ${JSON.stringify(report) ?? "it could not be read"}`);
}
