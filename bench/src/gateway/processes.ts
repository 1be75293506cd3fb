import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

/** A process that is measured. */
export interface Started {
  readonly pid: number;
  /** Resolves with the first line that fits, of either output, after the first `skip` that do. */
  said(pattern: RegExp, skip?: number): Promise<RegExpExecArray>;
  end(): Promise<void>;
}

/** Starts a program with Node. */
export function start(args: readonly string[], cwd: string): Started {
  const child: ChildProcess = spawn(process.execPath, args, { cwd, stdio: ["ignore", "pipe", "pipe"] });
  const lines: string[] = [];
  const listeners = new Set<() => void>();
  for (const output of [child.stdout, child.stderr]) {
    if (output === null) continue;
    createInterface({ input: output }).on("line", (line) => {
      lines.push(line);
      for (const listener of listeners) listener();
    });
  }
  return {
    pid: child.pid ?? 0,
    said: (pattern, skip = 0) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = lines.map((line) => pattern.exec(line)).filter((one) => one !== null)[skip];
          if (found) resolve(found);
        };
        listeners.add(look);
        child.once("exit", (code) => reject(new Error(`it ended with ${code}:\n${lines.join("\n")}`)));
        look();
      }),
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, "exit");
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** Resident memory of a process, in MB. */
export function residentMb(pid: number): number {
  const kb = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kb) / 1024;
}
