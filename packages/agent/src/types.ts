import type { Message } from "@toolglot/core";
import type { AgentEvent } from "./events.ts";
import type { RunResult, RunSnapshot, Steering } from "./result.ts";
import type { ResumeOptions } from "./session/types.ts";

/** Options of one run. */
export interface RunOptions {
  /** Stops the run; its result then has status `aborted`. */
  signal?: AbortSignal | undefined;
  /** Must be unique among runs that share an operation log. Default: a new one from the runtime; with `steps` there is none. */
  runId?: string | undefined;
}

/** Runs conversations. Holds no state between runs. */
export interface Agent<Value = unknown> {
  /**
   * Starts a run at once. A string is one user message. Throws `TypeError` when the input is empty; whatever happens
   * afterwards is in the result.
   *
   * @example
   * ```ts
   * const run = agent.run("What is 19 + 23?");
   * for await (const event of run) if (event.type === "text-delta") texts.push(event.text);
   * const result = await run.result;
   * ```
   */
  run(input: string | readonly Message[], options?: RunOptions): AgentRun<Value>;
  /**
   * Resumes a run that waits or was cut off: by its id, which needs `storage`, or from a snapshot. It has the same id, and its sums
   * continue. Calls with a saved result are not made again; one that was under way is, when its tool only reads or is marked as
   * harmless to repeat, else it is in doubt for the model.
   *
   * Rejects with `ToolglotError` `agent/session-unknown`, `agent/session-invalid` (`data.line`), `agent/session-mismatch` (another
   * protocol or mode), `agent/session-ended` (`data`: its `status`, `text` and `usage`), `agent/session-busy` (another process has claimed it), with what the
   * store rejects with, and with `TypeError` for options that make no sense.
   *
   * @example
   * ```ts
   * const run = await agent.resume(runId, { steer: "The server is back." });
   * const result = await run.result;
   * ```
   */
  resume(saved: RunSnapshot | string, options?: ResumeOptions): Promise<AgentRun<Value>>;
}

/** A run under way. Events are kept (see `keepEvents`), so it may be iterated late, twice, or never. */
export interface AgentRun<Value = unknown> extends AsyncIterable<AgentEvent>, Steering {
  readonly runId: string;
  /** Returns the run as it is now, for {@link Agent.resume}. */
  snapshot(): RunSnapshot;
  /** Never rejects: faults of the model, of tools and of the host are a status. With `steps`, those of the engine are not. */
  readonly result: Promise<RunResult<Value>>;
}
