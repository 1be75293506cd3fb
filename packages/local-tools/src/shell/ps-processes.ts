import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { blockingUnseen } from "./linux-processes.ts";
import type { Processes } from "./processes.ts";

const run = promisify(execFile);

interface Row {
  pid: number;
  parent: number;
  group: number;
  foreground: number;
}

/** By `ps`: any Unix, and Windows not at all. */
export class PsProcesses implements Processes {
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
    // Parents come before children only by habit: repeat until nothing is added.
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
