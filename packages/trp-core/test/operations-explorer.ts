/** One step of an actor: its name, and what the actor waits for until it may take it. */
interface Blocked {
  actor: string;
  step: string;
  go: () => void;
}

/** Which of so many blocked steps comes next, at the so-many-th choice. */
type Choose = (options: number, at: number) => number;

/** Runs actors one step at a time, in an order that somebody chooses. */
export class Schedule {
  readonly #choose: Choose;
  readonly #blocked: Blocked[] = [];
  readonly #dead = new Set<string>();
  /** How many there were to choose from, at each step. */
  readonly options: number[] = [];
  /** What was chosen, in words. */
  readonly trace: string[] = [];

  constructor(choose: Choose) {
    this.#choose = choose;
  }

  /** An actor is about to take a step: it goes on when its turn comes, or never. */
  turn(actor: string, step: string): Promise<void> {
    return new Promise((resolve) => this.#blocked.push({ actor, step, go: resolve }));
  }

  /** The actor takes no more steps. */
  kill(actor: string): void {
    this.#dead.add(actor);
  }

  /** Lets steps happen until no actor has one left. */
  async run(): Promise<void> {
    for (;;) {
      // All that follows from the last step has happened when nothing is left but macrotasks.
      await new Promise((resolve) => setImmediate(resolve));
      const open = this.#blocked.filter(({ actor }) => !this.#dead.has(actor));
      if (open.length === 0) return;
      // The same order on every run.
      open.sort((one, other) => (one.actor < other.actor ? -1 : one.actor > other.actor ? 1 : 0));
      const choice = this.#choose(open.length, this.options.length);
      this.options.push(open.length);
      const chosen = open[choice] as Blocked;
      this.trace.push(`${chosen.actor}:${chosen.step}`);
      this.#blocked.splice(this.#blocked.indexOf(chosen), 1);
      chosen.go();
    }
  }
}

/** Every path there is, depth first: the number of paths. `play` throws for what must not happen. */
export async function explore(play: (schedule: Schedule) => Promise<void>): Promise<number> {
  let path: number[] = [];
  for (let paths = 1; ; paths++) {
    const schedule = new Schedule((_options, at) => path[at] ?? 0);
    await follow(play, schedule, paths);
    const taken = schedule.options.map((_, index) => path[index] ?? 0);
    // The last step at which something else could have been chosen.
    let last = taken.length - 1;
    while (last >= 0 && (taken[last] as number) + 1 >= (schedule.options[last] as number)) last -= 1;
    if (last < 0) return paths;
    path = [...taken.slice(0, last), (taken[last] as number) + 1];
  }
}

/** So many orders, the same ones every time. */
export async function sample(play: (schedule: Schedule) => Promise<void>, count: number): Promise<number> {
  // A linear congruence is random enough to choose an order by, and tells the same every time.
  let state = 1;
  const choose = (options: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * options);
  };
  for (let paths = 1; paths <= count; paths++) await follow(play, new Schedule(choose), paths);
  return count;
}

async function follow(play: (schedule: Schedule) => Promise<void>, schedule: Schedule, paths: number): Promise<void> {
  try {
    await play(schedule);
  } catch (error) {
    throw new Error(`after ${paths} paths: ${schedule.trace.join(" ")}\n${String(error)}`, { cause: error });
  }
}
