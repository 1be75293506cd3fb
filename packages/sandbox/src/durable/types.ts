import type { LogEntry } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import type { SandboxStats } from "../run-types.ts";
import type { SandboxRunOptions, SandboxToolCall } from "../types.ts";

/**
 * Options by which a run survives its guest and its process. The answers of its tool calls are written to a log; a program that has
 * to wait for long is given up, and run again to the same point in a fresh guest when the answer is there, in whatever
 * process. Each guest has `timeoutMs` for the program from its start, waiting not counted.
 *
 * Random numbers are those of the first run. The program's clock stands still between two answers: a program that waits by
 * looking at the clock ends as `Timeout`.
 */
export interface DurableOptions {
  /**
   * Where the journal is kept: `folderStorage(dir)` of `@toolglot/storage`, for one. Only its operations are used. They hold the program,
   * and arguments and results of its calls, as they are.
   */
  storage: Pick<Storage, "operations">;
  /** Names the run, 1 to 200 characters. A caller who can choose it can read the outcome of that run. */
  id: string;
  /** Milliseconds that an idle program waits in memory before its guest is given up. Default 60,000; 0: at once. */
  parkAfterMs?: number;
  /**
   * Milliseconds after which another process may take over a run whose process is gone; renewed while the run lives.
   * Default 15,000.
   */
  leaseMs?: number;
  /**
   * Milliseconds that outcomes of calls and of the run are remembered; what a run begins with counts to its end. Default 30
   * days. An older run cannot be resumed. Twice as long after its end its id is free, and stands for a new run.
   */
  keepMs?: number;
}

/** Options of a durable {@link Sandbox.run}. A decision of `approve` is written down and not asked for again. */
export interface SandboxDurableRunOptions extends Omit<SandboxRunOptions, "durable"> {
  durable: DurableOptions;
}

/** A durable run that waits for approvals. Its journal is all that is left of it. */
export interface SandboxRunParked {
  status: "parked";
  parked: {
    id: string;
    /** Calls that wait, in the order in which they were made. */
    waiting: { callId: string; name: string; args: Record<string, unknown>; reason: string }[];
  };
  logs: LogEntry[];
  toolCalls: SandboxToolCall[];
  stats: SandboxStats;
}
