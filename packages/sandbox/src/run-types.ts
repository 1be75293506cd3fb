import type { LogEntry } from "@toolglot/core";
import type { RetireReason } from "./reuse.ts";
import type { FileOutput, SandboxIsolation, SandboxLimits, SandboxToolCall, SandboxWall } from "./types.ts";

/** Failure of a program, in words made for the model that wrote it. */
export interface SandboxError {
  /**
   * The class name of the program's exception (`KeyError`, `SyntaxError`, `ToolError`…), or `Timeout`, `MemoryError`
   * (Python), `MemoryLimit` (JavaScript), `Aborted`, `MissingResult`, `ImportForbidden`, `ForbiddenName`,
   * `ToolCallLimit`, `ResultTooLarge`, `SourceTooLarge`, `EngineFailure`. Durable runs also: `InDoubt` (a call was under
   * way when its process ended, and may not be made twice), `Diverged` (the program did something else than before),
   * `LeaseLost` (another process has the run), `JournalFailure` (the log failed). A program's own class of such a name is
   * `Exception` (Python) or `Error` (JavaScript).
   */
  type: string;
  message: string;
  /** Line of the program, starting at 1. */
  line?: number;
  /** Column in that line, starting at 1. */
  column?: number;
  sourceLine?: string;
  /** What to do about it, when that is known. */
  hint?: string;
  /** Id of the tool call that failed, when the program ended in its error. */
  callId?: string;
}

/** A value that could not cross as it was: of the program's result, of the arguments of a call, or of a tool's result. */
export interface SandboxConversion {
  /** As `items[2].price`; empty for the value as a whole. Of arguments it begins with the parameter. */
  path: string;
  from: string;
  to: string;
  /** Of the call whose arguments or whose result it was in. Absent for the program's result. */
  callId?: string;
}

/** Use of resources by a run. Times in milliseconds. */
export interface SandboxStats {
  /** Name and version of the engine, as `pyodide 314.0.7`. */
  engine: string;
  isolation: SandboxIsolation;
  limits: SandboxLimits;
  /** Waiting for a free place and for the interpreter to be ready. */
  startMs: number;
  /** Whether the interpreter was ready when the run asked for it. */
  warm: boolean;
  /** Programs that its interpreter ran before; 0: it was a new one. */
  reused: number;
  /** Of the run, when it has one. */
  domain?: string;
  /** What `timeoutMs` limits. In a durable run: the time of the last guest, its replay included. */
  guestMs: number;
  /** What `toolTimeMs` limits. */
  toolMs: number;
  /** Waiting for approvals. */
  approvalMs: number;
  toolCalls: number;
  sourceBytes: number;
  resultBytes: number;
  logBytes: number;
  /** Megabytes of interpreter memory at the end, itself included; absent when the process ended first. */
  memoryMb?: number;
  /** Values that came out changed; at most 100. */
  conversions: SandboxConversion[];
  /** Imports that were ignored, output that was cut, walls that are missing. */
  warnings: string[];
  /** How often the guest was given up while the program waited. Durable runs only. */
  parked?: number;
}

/** The outcome of a run. */
export type SandboxRun = SandboxRunOk | SandboxRunError;

/** A program that ended well. */
export interface SandboxRunOk {
  status: "ok";
  /**
   * What the program assigned to `__result__`, as JSON data. In the style `notebook` else what it returned at its top, else the value
   * of its last expression, else null.
   */
  value: unknown;
  /** Files that the program made or changed, by path; absent when there are none. */
  files?: FileOutput[];
  logs: LogEntry[];
  toolCalls: SandboxToolCall[];
  stats: SandboxStats;
}

/** A program that failed, or was ended. */
export interface SandboxRunError {
  status: "error";
  error: SandboxError;
  logs: LogEntry[];
  toolCalls: SandboxToolCall[];
  stats: SandboxStats;
}

/** Result of {@link Sandbox.stats}. */
export interface SandboxPoolStats {
  engine: string;
  isolation: SandboxIsolation;
  /** Walls that should be there and are not, as the last interpreter found when it started. Empty before the first start. */
  missingWalls: SandboxWall[];
  /** Interpreters that are ready. */
  idle: number;
  /** Of those, how many have run a program before. */
  kept: number;
  /** Interpreters that could have been used again and were not, by the reason: see {@link RetireReason}. */
  retired: Record<RetireReason, number>;
  starting: number;
  running: number;
  /** Runs that wait for a place. */
  waiting: number;
  /** Interpreters started since the sandbox was made. */
  started: number;
  /** Of those, how many did not start, or ended while nobody used them. */
  failed: number;
  /** Runs that got an interpreter. */
  served: number;
  /** Where interpreters start from. `plain`: without a snapshot. `none`: nothing was started yet. */
  snapshot: "none" | "built" | "cached";
}
