import type { Random } from "./random.ts";

/** What can go wrong, in one place or for all. */
export interface Troubled {
  /** Kills a router, which comes back after a while: now, or when so many more of its transactions are committed. */
  kill(downMs: number, commits: number): void;
  /** Stops a router, now or then, which later goes on as if nothing had been. */
  stop(forMs: number, commits: number): void;
  /** Cuts a router off from the database, or from the agents, now or then. */
  cut(from: "database" | "agents", forMs: number, commits: number): void;
  /** Ends the connections of a router at the database in the middle of its next transactions. */
  terminate(commits: number): void;
  /** The database ends at once and comes back. */
  restart(downMs: number): void;
  /** A standby takes over; one that lags behind has not got what was committed in the last `lagMs`. */
  failOver(downMs: number, lagMs: number): void;
  /** Transactions wait for locks that somebody holds. */
  lock(waitMs: number, forMs: number): void;
  /** A router refuses calls for a while: somebody's rate is used up there. */
  refuse(forMs: number): void;
  /** The wall clock of a router jumps. */
  jump(byMs: number): void;
}

const hour = 3_600_000;

/** After how many transactions: none, or few. */
const soon = (random: Random): number => random.pick([0, 0, 1, 2, 3, 5]);

/** One kind of trouble, and how it is drawn. */
const troubles: Readonly<Record<string, (troubled: Troubled, random: Random) => void>> = {
  kill: (troubled, random) => troubled.kill(random.between(100, 6_000), soon(random)),
  stop: (troubled, random) => troubled.stop(random.mostlyNear(50, 9_000), soon(random)),
  "cut off": (troubled, random) =>
    troubled.cut(random.chance(0.7) ? "database" : "agents", random.mostlyNear(50, 9_000), 0),
  // For longer than anybody waits to learn what became of it.
  "cut off at a commit": (troubled, random) => troubled.cut("database", random.between(2_000, 9_000), soon(random) + 1),
  terminate: (troubled, random) => troubled.terminate(random.pick([1, 3, 8, 20])),
  restart: (troubled, random) => troubled.restart(random.between(50, 4_000)),
  "fail over": (troubled, random) => troubled.failOver(random.between(200, 7_000), 0),
  lock: (troubled, random) => troubled.lock(random.mostlyNear(20, 4_000), random.between(500, 4_000)),
  refuse: (troubled, random) => troubled.refuse(random.mostlyNear(50, 6_000)),
  clock: (troubled, random) => troubled.jump(random.between(-6 * hour, 6 * hour)),
};

/**
 * The troubles of one run: some kinds of them, so that what is hidden by one kind shows where it is absent. Calls `act` for each
 * with its time.
 */
export function drawTroubles(
  random: Random,
  untilMs: number,
  schedule: (at: number, name: string, act: (troubled: Troubled) => void) => void,
): void {
  const own = random.fork();
  const names = Object.keys(troubles).filter(() => own.chance(0.45));
  const gapMs = own.pick([300, 1_000, 3_000]);
  if (names.length > 0) {
    for (let at = own.between(0, gapMs * 2); at < untilMs; at += own.mostlyNear(gapMs / 4, gapMs * 4)) {
      const name = own.pick(names);
      const drawn = own.fork();
      schedule(at, name, (troubled) => troubles[name]?.(troubled, drawn));
    }
  }
  // An asynchronous standby takes over at most once: what it loses concerns the rest of the run.
  if (!own.chance(0.15)) return;
  const [at, downMs, lagMs] = [own.between(2_000, untilMs), own.between(200, 3_000), own.mostlyNear(5, 2_000)];
  schedule(at, "lose", (troubled) => troubled.failOver(downMs, lagMs));
}
