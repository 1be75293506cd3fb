import { setTimeout as pause } from "node:timers/promises";
import {
  createSandbox,
  type Sandbox,
  type SandboxOptions,
  type SandboxRun,
  type SandboxRunOptions,
} from "../../../src/node/index.ts";

/**
 * Runs a program when what ran the one before it is ready again, or has ended: one interpreter is used again as long as it
 * can be, and no other.
 */
export async function runNext(sandbox: Sandbox, code: string, options: SandboxRunOptions = {}): Promise<SandboxRun> {
  for (let tries = 0; tries < 3000 && sandbox.stats().starting > 0; tries++) await pause(5);
  return await sandbox.run(code, options);
}

/** What a program's author sees of its run. */
export function seenOf(run: SandboxRun): unknown {
  const { conversions, warnings } = run.stats;
  const end = run.status === "ok" ? { value: run.value } : { error: run.error };
  return { ...end, logs: run.logs, conversions, warnings };
}

/** For suites in which no interpreter should end for its age. */
export const endless = { maxPrograms: 10_000, maxMs: 86_400_000 } as const;

/**
 * A sandbox that runs programs one after another in one interpreter, and starts another one only after a program that ended it: a
 * start costs more than a second of processor time. For tests of what a program does, not of what it runs in.
 */
export function keptSandbox(options: SandboxOptions): Sandbox {
  const sandbox = createSandbox({ domain: "tests", reuse: endless, ...options });
  // Durable runs have the same two arguments, and another outcome.
  const run = (code: string, given?: SandboxRunOptions) => runNext(sandbox, code, given);
  return { ...sandbox, run: run as Sandbox["run"] };
}
