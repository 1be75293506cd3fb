import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { spawn as spawnPty } from "@lydell/node-pty";
import { openShell } from "@toolglot/local-tools";

/** A way to run one command and have its output and exit status. */
export interface Runner {
  name: string;
  /** Whether the next command sees what this one set. */
  lasts: boolean;
  run(script: string): Promise<{ output: string; exit: number }>;
  close(): Promise<void>;
}

/** Our session. */
export async function session(backend: "pty" | "pipe", folder: string): Promise<Runner> {
  const shell = await openShell({ cwd: folder, backend, artifactDir: folder });
  return {
    name: backend === "pty" ? "session on a terminal" : "session over pipes",
    lasts: true,
    run: async (script) => {
      const { status, exit, output } = await shell.run(script, { timeoutMs: 120_000 });
      if (status !== "ended" || exit === undefined) throw new Error(`${status}: ${output}`);
      return { output, exit };
    },
    close: () => shell.close(),
  };
}

/** A new bash on a new terminal for each command. */
export const ptyEach: Runner = {
  name: "a new bash on a new terminal each time",
  lasts: false,
  run: (script) =>
    new Promise((resolve) => {
      const pty = spawnPty("bash", ["-c", script], { name: "dumb", cols: 200, rows: 50 });
      let output = "";
      pty.onData((data) => {
        output += data;
      });
      pty.onExit(({ exitCode }) => resolve({ output: output.replaceAll("\r\n", "\n"), exit: exitCode }));
    }),
  close: () => Promise.resolve(),
};

/** One bash that reads commands from a pipe and prints a line behind each: fast, and any command can forge or swallow that line. */
export function sentinel(folder: string): Runner {
  const shell: ChildProcess = spawn("bash", ["--norc"], { cwd: folder, stdio: ["pipe", "pipe", "ignore"] });
  const mark = randomBytes(8).toString("hex");
  let pending = "";
  let done: ((result: { output: string; exit: number }) => void) | undefined;
  shell.stdout?.setEncoding("utf8").on("data", (text: string) => {
    pending += text;
    const at = pending.lastIndexOf(mark);
    const end = at === -1 ? -1 : pending.indexOf("\n", at);
    if (end === -1) return;
    const result = { output: pending.slice(0, at), exit: Number(pending.slice(at + mark.length, end)) };
    pending = pending.slice(end + 1);
    done?.(result);
  });
  return {
    name: "one bash, a printed line as the end (not safe)",
    lasts: true,
    run: (script) =>
      new Promise((resolve) => {
        done = resolve;
        shell.stdin?.write(`${script}\necho "${mark}$?"\n`);
      }),
    close: async () => {
      shell.kill();
    },
  };
}
