import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { ConfinedProcesses } from "./confined-processes.ts";
import { blockingUnseen, LinuxProcesses } from "./linux-processes.ts";

const run = promisify(execFile);

/**
 * Whether something in the foreground waits for the terminal. `read`: it is blocked reading it. `poll`: it is blocked on a set of
 * descriptors with the terminal among them. `hidden`: not ours to look at (another user's, a set-uid program).
 */
export type Reading = "read" | "poll" | "no" | "hidden";

/** What can be seen of the shell's processes. */
export interface Processes {
  /** What can't be seen here, one sentence each. */
  readonly limits: readonly string[];
  /** Whether {@link place} works here. */
  readonly showsPlaces: boolean;
  /**
   * The group in the terminal's foreground, or, without a terminal, of the shell's newest child; the shell's own number when it is
   * the shell itself, undefined when unknown.
   */
  foreground(shell: number, terminal: boolean): Promise<number | undefined>;
  /**
   * Processes of a group that were stopped before they began their program, while the one that starts them sleeps until they have: with
   * `vfork`, as dash does it, neither goes on by itself.
   */
  stoppedInStart(group: number): number[];
  /** Where the shell stands, to be compared later: equal means at the same place, undefined that it is not blocked or not visible. */
  place(shell: number): string | undefined;
  /** Whether the group waits for the terminal or pipe at `place`. */
  reading(group: number, place: string): Reading | undefined;
  /** What a process has open at a descriptor; undefined for nothing, and where the system doesn't show it. */
  openAt(pid: number, fd: number): string | undefined;
  /** Whether this is the session's terminal by another name. */
  isTerminalName(place: string): boolean;
  /** Whether a process was stopped by a signal. */
  isStopped(pid: number): boolean;
  /** All processes of the shell's session, or what it has started, the shell excepted. */
  started(shell: number): Promise<number[]>;
  /** The same without waiting, for the host's exit; may know less. */
  startedSync(shell: number): number[];
  /** The shell's directory, links resolved. */
  cwd(shell: number): string | undefined;
}

/** The view of this system's processes. */
export function processesHere(confined: boolean): Processes {
  if (process.platform !== "linux" || !LinuxProcesses.available()) return new PsProcesses();
  return confined ? new ConfinedProcesses() : new LinuxProcesses();
}

interface Row {
  pid: number;
  parent: number;
  group: number;
  foreground: number;
}

/** By `ps`: any Unix, and Windows not at all. */
class PsProcesses implements Processes {
  readonly limits: readonly string[] = [blockingUnseen, "Processes are found by ps, descendants of the shell only."];

  readonly showsPlaces = false;

  async #rows(): Promise<Row[]> {
    try {
      const { stdout } = await run("ps", ["-A", "-o", "pid=,ppid=,pgid=,tpgid="], { maxBuffer: 16 * 1024 * 1024 });
      return stdout
        .split("\n")
        .map((line) => line.trim().split(/\s+/).map(Number))
        .filter((row) => row.length === 4)
        .map(([pid = 0, parent = 0, group = 0, foreground = 0]) => ({ pid, parent, group, foreground }));
    } catch {
      return [];
    }
  }

  async foreground(shell: number, terminal: boolean): Promise<number | undefined> {
    const rows = await this.#rows();
    const own = rows.find((row) => row.pid === shell);
    if (terminal) return own && own.foreground > 0 ? own.foreground : undefined;
    return rows.filter((row) => row.parent === shell && row.group !== own?.group).at(-1)?.group ?? own?.group;
  }

  stoppedInStart(): number[] {
    return [];
  }

  place(): undefined {
    return undefined;
  }

  reading(): undefined {
    return undefined;
  }

  openAt(): undefined {
    return undefined;
  }

  isTerminalName(): boolean {
    return false;
  }

  isStopped(): boolean {
    return false;
  }

  async started(shell: number): Promise<number[]> {
    const rows = await this.#rows();
    const found = new Set([shell]);
    // Parents come before children only by habit: go on until nothing is added.
    for (let before = 0; before !== found.size; ) {
      before = found.size;
      for (const row of rows) if (found.has(row.parent)) found.add(row.pid);
    }
    found.delete(shell);
    return [...found];
  }

  startedSync(): number[] {
    return [];
  }

  cwd(): undefined {
    return undefined;
  }
}
