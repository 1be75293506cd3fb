import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { below, blockingUnseen, Processes } from "./processes.ts";

const run = promisify(execFile);

interface Row {
  pid: number;
  parent: number;
  group: number;
  foreground: number;
}

/** By `ps`: any Unix, and Windows not at all. */
export class PsProcesses extends Processes {
  readonly limits: readonly string[] = [blockingUnseen, "Processes are found by ps, descendants of the shell only."];

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

  async started(shell: number): Promise<number[]> {
    const rows = await this.#rows();
    return below(rows, [{ pid: shell }]).map(({ pid }) => pid);
  }
}
