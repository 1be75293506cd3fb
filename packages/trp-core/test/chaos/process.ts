import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

/** A child process that prints `{"port": N}` when it is ready. */
export interface Started {
  child: ChildProcess;
  port: number;
  /** What it wrote to its error output, for the message of a failing test. */
  errors(): string;
}

/** Starts one, which ends with this process; rejects when it ends before it is ready. `onChild` has it at once. */
export function start(
  script: string,
  argument: string,
  environment: Record<string, string> = {},
  onChild?: (child: ChildProcess) => void,
): Promise<Started> {
  const child = spawn(process.execPath, [script, argument], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...environment },
  });
  onChild?.(child);
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors = `${errors}${chunk}`.slice(-4000);
  });
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", (line) => {
      resolve({ child, port: JSON.parse(line).port, errors: () => errors });
    });
    child.once("exit", (code, signal) =>
      reject(new Error(`${script} ended (${code ?? signal}) before it was ready\n${errors}`)),
    );
    child.once("error", reject);
  });
}

/** In such a process: ends it when the one that started it is gone. */
export function endWithParent(): void {
  process.stdin.on("end", () => process.exit()).resume();
}

/** Ends it for good, stopped or not. */
export async function end({ child }: Started): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((done) => child.once("exit", done));
  child.kill("SIGKILL");
  await gone;
}
