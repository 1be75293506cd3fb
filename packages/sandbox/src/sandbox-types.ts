import type { AnyTool } from "@toolglot/core";
import type { DurableOptions, SandboxDurableRunOptions, SandboxRunParked } from "./durable/types.ts";
import type { SandboxPoolStats, SandboxRun } from "./run-types.ts";
import type { SandboxSession, SessionOptions } from "./session/types.ts";
import type { ProgramStyle, SandboxLanguage, SandboxLimits, SandboxRunOptions } from "./types.ts";

/** Runs programs. No run finds anything of an earlier one. */
export interface Sandbox {
  readonly language: SandboxLanguage;
  readonly limits: Readonly<SandboxLimits>;
  /** Those of every run, as given to {@link createSandbox}. */
  readonly tools: readonly AnyTool[];
  /** Python: the names of the libraries that a program finds. JavaScript: none. */
  readonly libraries: readonly string[];
  /** Those of programs in this style. */
  librariesOf(style: ProgramStyle): readonly string[];
  /** Of runs that do not say otherwise. */
  readonly style: ProgramStyle;
  /**
   * Runs a program. Resolves for everything that the program, its tools or its end can do; rejects with a `TypeError`
   * for a caller's mistake, and with a `ToolglotError` after `drain()` or the disposal (`sandbox/disposed`), or when
   * {@link PoolOptions.maxWaiting} programs wait already (`sandbox/busy`, with `data.running` and `data.waiting`).
   */
  run(code: string, options?: SandboxRunOptions): Promise<SandboxRun>;
  /**
   * Runs a program that survives its process. The same id and code resume where the run stopped, or return its outcome again.
   * A call whose answer is in the journal is not made again; one that was under way when the process ended is made again
   * only with `readOnlyHint` or `idempotentHint`, else the run ends as `InDoubt`.
   *
   * What the program itself ended in is written down, a `Timeout` and `ToolCallLimit` too. After any other error
   * (`Aborted`, `EngineFailure`, `InDoubt`, `Diverged`, `LeaseLost`, `JournalFailure`) the run can resume under its id. After
   * `Aborted` a tool that is at work is waited for no longer; what it returns while this process holds its lease is written
   * down, and so is a `ToolError`; after any other error the call counts as under way.
   *
   * Rejects also with what the log rejects with, and with a `ToolglotError`: `sandbox/run-live` (another process has it; `data.until`
   * is the end of its lease), `sandbox/run-conflict` (the id belongs to another program), `sandbox/run-expired` (it is older than `keepMs`),
   * `sandbox/journal-unreadable` (the log returns what no run wrote).
   */
  run(code: string, options: SandboxDurableRunOptions): Promise<SandboxRun | SandboxRunParked>;
  /**
   * As a durable `run`, with the program from the journal. Rejects with a `ToolglotError` (`sandbox/run-unknown`) when there is
   * none under that id.
   */
  resume(
    durable: DurableOptions,
    options?: Omit<SandboxDurableRunOptions, "durable">,
  ): Promise<SandboxRun | SandboxRunParked>;
  /**
   * A new session: programs that share their variables. In Node alone, in browsers it rejects with `sandbox/sessions-unsupported`.
   * `id`: 1 to 128 letters, digits, dots, hyphens and underscores; default: a random one. Throws `TypeError` for options that make
   * no sense; rejects with a `ToolglotError` (`sandbox/session-exists`, `sandbox/session-live`), and with what the storage rejects with.
   */
  openSession(options?: SessionOptions & { id?: string }): Promise<SandboxSession>;
  /**
   * Goes on with a session where its newest image was made, in whatever process. Rejects with a `ToolglotError`:
   * `sandbox/session-unknown`, `-live` (somebody has it open; `data.until` is the end of the lease), `-expired` (it was not used for
   * `expireMs`, and is removed), `-tampered` (the image is not what was stored under this key), `-mismatch` (it was made by another version;
   * `data`: `field`, `saved`, `here`).
   *
   * `begin`: opens a new session when there is none.
   *
   * `rebuild`, of a durable session: one of another version is made again, by running its programs from its start with the
   * answers that they got; nothing is called. It has then no image to go back to. `-mismatch` has the reason why that is not possible in
   * `data.reason` and, where it is one program's fault, `data.turn`: a program comes to another end, makes another call, or lacks a tool
   * (give `tools` those that programs were given); they are more than 500, or run longer than 60 s. A session whose interpreter's memory
   * is found to be another only when it is needed is made again by `run`.
   */
  resumeSession(id: string, options?: SessionOptions & { rebuild?: boolean; begin?: boolean }): Promise<SandboxSession>;
  /** Resolves when the pool is full. Rejects with a `ToolglotError` (`sandbox/engine-start-failed`) when no interpreter starts. */
  warm(): Promise<void>;
  stats(): SandboxPoolStats;
  /** Takes no more programs, waits for those that run or wait, then ends every interpreter. */
  drain(): Promise<void>;
  /** Ends every interpreter; runs end as `Aborted`. */
  [Symbol.asyncDispose](): Promise<void>;
}
