import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A process that is measured, or that others are measured by. */
export interface Started {
  readonly pid: number;
  /** Resolves with the first line that fits, of either output, after the first `skip` that do. */
  said(pattern: RegExp, skip?: number): Promise<RegExpExecArray>;
  /** Sends a line, and resolves with the next answer in JSON. */
  ask(line: string): Promise<unknown>;
  /** `byInput`: it ends with its input; else it is told to by a signal. */
  end(byInput?: boolean): Promise<void>;
}

/** Starts a program with Node. */
export function start(args: readonly string[], cwd?: string): Started {
  const child = spawn(process.execPath, args, { cwd });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  for (const input of [child.stdout, child.stderr]) {
    createInterface({ input }).on("line", (line) => {
      lines.push(line);
      for (const listener of listeners) listener();
    });
  }
  let answers = 0;
  const started: Started = {
    pid: child.pid ?? 0,
    said: (pattern, skip = 0) =>
      new Promise((resolve, reject) => {
        const gone = (code: number | null): void => reject(new Error(`it ended with ${code}:\n${lines.join("\n")}`));
        const look = (): void => {
          const found = lines.map((line) => pattern.exec(line)).filter((one) => one !== null)[skip];
          if (found === undefined) return;
          listeners.delete(look);
          child.off("exit", gone);
          resolve(found);
        };
        listeners.add(look);
        child.once("exit", gone);
        look();
      }),
    async ask(line) {
      child.stdin.write(`${line}\n`);
      return JSON.parse((await started.said(/^\{.*\}$/, answers++))[0]);
    },
    async end(byInput = false) {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      if (byInput) child.stdin.end();
      else child.kill("SIGTERM");
      await ended;
    },
  };
  return started;
}

/** What Linux counts of a process, from its state on; undefined when it has ended. */
export function statOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ");
  } catch {
    return undefined;
  }
}

/** All processes, each with the one that started it. */
export const parents = (): { pid: string; parent: string }[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      const parent = statOf(pid)?.[1];
      return parent === undefined ? [] : [{ pid, parent }];
    });

/** Children of this process that live, theirs too. */
export function descendants(): string[] {
  const all = parents();
  const found = [String(process.pid)];
  for (const parent of found) found.push(...all.filter((each) => each.parent === parent).map(({ pid }) => pid));
  return found.slice(1);
}

/** Milliseconds of processor time of these processes and of their children that have ended, in steps of 10 ms each. */
export const processorMs = (pids: readonly string[] = ["self"]): number =>
  pids.flatMap((pid) => statOf(pid)?.slice(11, 15) ?? []).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);

/** The same of this process, its threads, and all of its children. */
export const wholeProcessorMs = (): number => processorMs(["self", ...descendants()]);

/** Megabytes that are in memory of these processes; by default of this process and its children. */
export const residentMb = (pids: readonly string[] = [...descendants(), "self"]): number =>
  pids.reduce((sum, pid) => sum + Number(statOf(pid)?.[21] ?? 0) * 4096, 0) / 1024 / 1024;
