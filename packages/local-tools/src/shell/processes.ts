import { attempt, sleep } from "@toolglot/internal";

/**
 * Whether something in the foreground waits for the terminal. `read`: it is blocked reading it. `poll`: it is blocked on a set of
 * descriptors with the terminal among them. `hidden`: not ours to look at (another user's, a set-uid program).
 */
export type Reading = "read" | "poll" | "no" | "hidden";

/** What is lost where the system doesn't show it. */
export const blockingUnseen =
  "This system doesn't show what a process is blocked on: a command counts as waiting for input when it is silent on an unfinished line.";

/** What can be seen of the shell's processes. What a system doesn't show is undefined, and false. */
export abstract class Processes {
  /** What can't be seen here, one sentence each. */
  abstract readonly limits: readonly string[];
  /** Whether {@link place} works here. */
  readonly showsPlaces: boolean = false;

  /**
   * Returns the group in the terminal's foreground, or, without a terminal, of the shell's newest child; the shell's own number when it is
   * the shell itself, undefined when unknown.
   */
  abstract foreground(shell: number, terminal: boolean): Promise<number | undefined>;

  /** Returns all processes of the shell's session, or what it has started, the shell excepted. */
  abstract started(shell: number): Promise<number[]>;

  /** Returns the same without waiting, for the host's exit; may know less. */
  startedSync(_shell: number): number[] {
    return [];
  }

  /** Returns processes of a group that were stopped while their parent sleeps until they have begun (`vfork`): neither continues by itself. */
  stoppedInStart(_group: number): number[] {
    return [];
  }

  /** Returns where the shell stands, to be compared later: equal means at the same place, undefined that it is not blocked or not visible. */
  place(_shell: number): string | undefined {
    return undefined;
  }

  /** Checks whether the group waits for the terminal or pipe at `place`. */
  reading(_group: number, _place: string): Reading | undefined {
    return undefined;
  }

  /** Returns what a process has open at a descriptor; undefined for nothing, too. */
  openAt(_pid: number, _fd: number): string | undefined {
    return undefined;
  }

  /** Checks whether this is the session's terminal by another name. */
  isTerminalName(_place: string): boolean {
    return false;
  }

  /** Checks whether a process was stopped by a signal. */
  isStopped(_pid: number): boolean {
    return false;
  }

  /** Returns the shell's directory, links resolved. */
  cwd(_shell: number): string | undefined {
    return undefined;
  }
}

/** Signals a process or, with a negative number, a group; 0 only asks whether it is there. False when there is none. */
export function signal(target: number, name: NodeJS.Signals | 0): boolean {
  return attempt(() => process.kill(target, name)) === true;
}

/** Returns all that descends from some processes, through those that count. */
export function below<Process extends { pid: number; parent: number }>(
  processes: readonly Process[],
  roots: readonly { pid: number }[],
  counts: (one: Process) => boolean = () => true,
): Process[] {
  const found: Process[] = [];
  const known = new Set(roots.map(({ pid }) => pid));
  // A child's number may be lower than its parent's: repeat until nothing is added.
  for (let before = -1; before !== found.length; ) {
    before = found.length;
    for (const one of processes) {
      if (known.has(one.pid) || !known.has(one.parent) || !counts(one)) continue;
      known.add(one.pid);
      found.push(one);
    }
  }
  return found;
}

/**
 * Where a shell stands when it waits at its prompt: in which system call, on which descriptor, with which buffer. A `read` of a script
 * uses another buffer, and a shell that replaced this one has its own addresses.
 */
export class PromptPlace {
  readonly #processes: Processes;
  readonly #shell: { readonly pid: number };
  #place: string | undefined;

  constructor(processes: Processes, shell: { readonly pid: number }) {
    this.#processes = processes;
    this.#shell = shell;
  }

  /** False where the system doesn't show it. */
  get known(): boolean {
    return this.#place !== undefined;
  }

  /** To be called while the shell is idle: remembers where it stands, the same twice in a row. `settled`: its prompt is printed. */
  async learn(settled: () => boolean): Promise<void> {
    let last: string | undefined;
    for (let round = 0; round < 2000 && this.#processes.showsPlaces; round++) {
      const place = settled() ? this.#processes.place(this.#shell.pid) : undefined;
      // Its standard input, which is descriptor 0.
      if (place !== undefined && place === last && place.includes(" 0x0 ")) {
        this.#place = place;
        return;
      }
      last = place;
      await sleep(1);
    }
  }

  /** `there`: it waits for what is typed. `astray`: it waits for lines, but from elsewhere, since a script took its input away. */
  here(): "there" | "astray" | "elsewhere" {
    const place = this.#processes.place(this.#shell.pid);
    if (place === undefined || this.#place === undefined) return "elsewhere";
    if (place === this.#place) return "there";
    const call = (whole: string): string => whole.split(" ", 4).join(" ");
    return call(place) === call(this.#place) ? "astray" : "elsewhere";
  }
}
