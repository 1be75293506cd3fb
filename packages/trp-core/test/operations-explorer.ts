/** One step of an actor: its name, and what the actor waits for until it may take it. */
interface Blocked {
  actor: string;
  step: string;
  go: () => void;
}

/** Runs actors one step at a time, in an order that a path of choices says. */
export class Schedule {
  readonly #path: readonly number[];
  readonly #blocked: Blocked[] = [];
  readonly #dead = new Set<string>();
  /** How many there were to choose from, at each step. */
  readonly options: number[] = [];
  /** What was chosen, in words. */
  readonly trace: string[] = [];

  constructor(path: readonly number[]) {
    this.#path = path;
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
      const choice = this.#path[this.options.length] ?? 0;
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
    const schedule = new Schedule(path);
    try {
      await play(schedule);
    } catch (error) {
      throw new Error(`after ${paths} paths: ${schedule.trace.join(" ")}\n${String(error)}`, { cause: error });
    }
    const taken = schedule.options.map((_, index) => path[index] ?? 0);
    // The last step at which something else could have been chosen.
    let last = taken.length - 1;
    while (last >= 0 && (taken[last] as number) + 1 >= (schedule.options[last] as number)) last -= 1;
    if (last < 0) return paths;
    path = [...taken.slice(0, last), (taken[last] as number) + 1];
  }
}
