import type { AnyTool } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import type { SandboxRunParked } from "../durable/types.ts";
import type { SandboxRunError, SandboxRunOk } from "../run-types.ts";
import type { ProgramStyle, SandboxRunOptions } from "../types.ts";
import type { StoredTurn } from "./kept.ts";

/** Options of {@link Sandbox.openSession} and {@link Sandbox.resumeSession}. */
export interface SessionOptions {
  /**
   * Where images are kept, and who has the session: `folderStorage(dir)` of `@toolglot/storage`, for one. Default: the memory of the
   * sandbox. Times are those of the storage's clock.
   */
  storage?: Storage;
  /**
   * Signs the images, 32 bytes or more: whoever has it can make memory that will run. Required with a storage that survives the
   * process. The same to resume with; it never gets into an interpreter.
   */
  key?: Uint8Array;
  /**
   * Makes the session's programs durable runs, see {@link DurableOptions}: each is the run `<id>#<turn>` in the storage's `operations`,
   * and resumes from the image before it. Then `save` is `each`. Needs the guard. The storage holds the programs, the files that they
   * are given, and arguments and results of their calls, as they are, for 30 days or `expireMs`. Default false.
   */
  durable?: boolean;
  /** Tools of the session's programs, besides those of the sandbox, and winning over them. They are bound anew for each program. */
  tools?: readonly AnyTool[];
  /** Of programs that do not say otherwise. Default: that of the sandbox. */
  style?: ProgramStyle;
  /** As {@link SandboxOptions.domain}. Default: one of this session alone. */
  domain?: string;
  /**
   * When images are stored. `each`: before `run` resolves; the default with a storage, and when `durable`. `idle`: in the background; the default
   * without one. `manual`: by `save` alone, of which `undo` goes back to the last one, and what comes after it is lost with the process.
   */
  save?: "each" | "idle" | "manual";
  limits?: Partial<SessionLimits>;
}

/** Limits of a session. */
export interface SessionLimits {
  /** Bytes of the memory that it has changed. A program after which there are more is rolled back. Default 67,108,864. */
  maxImageBytes: number;
  /** Bytes of its files together (Python), at most 33,554,432, which is the default. */
  maxFileBytes: number;
  /** Turns that it may come to; what would make one more is refused with `sandbox/session-too-large`. Default 10,000. */
  maxPrograms: number;
  /** Images of earlier turns that are kept, for `undo` and `fork`. Default 8. */
  checkpoints: number;
  /**
   * Milliseconds without a program after which it releases its interpreter; the next program then takes longer. When `durable` also those
   * that a program waits in memory for a call, before its interpreter is released. Default 30,000.
   */
  idleMs: number;
  /** Milliseconds since its last image after which it can't be resumed any more. Default 7 days. */
  expireMs: number;
  /** Milliseconds after which another process may take over when this one is gone; renewed while it is open. Default 15,000. */
  leaseMs: number;
}

/** A variable of a session, as far as it can be known without running any of the session's code. */
export interface SessionVariable {
  name: string;
  /** Name of its class; in JavaScript of its built-in type, as `number`, `Array`, `Map`, `object`. */
  type: string;
  /** At most 120 characters. Of values whose class is the program's own, the name of that; in JavaScript of objects their type. */
  preview: string;
}

/** A file of a session. */
export interface SessionFile {
  /** Under `/mnt/data`, as `charts/sales.png`. Chosen by a program: untrusted text. */
  path: string;
  bytes: number;
  /** The turn that made or changed it. */
  turn: number;
}

/**
 * The outcome of a program of a session. `turn`: how many have changed the session by now. `state`: `kept`, what the
 * program did to its variables stays, also when it ended in an exception; `rolled-back`, all is as before this program, also while it is
 * `parked`, which it can be in a durable session alone.
 */
export type SessionRun = (SandboxRunOk | SandboxRunError | SandboxRunParked) & {
  turn: number;
  state: "kept" | "rolled-back";
};

/** A program of a durable session that was parked or interrupted. */
export interface PendingProgram {
  /** Of its run: for `settleCall`. */
  runId: string;
  code: string;
}

/** Programs that share their variables, one after another, over processes. */
export interface SandboxSession {
  readonly id: string;
  /** Programs that changed it, files that `writeFile` wrote, and steps back, since it was opened for the first time. */
  readonly turn: number;
  /**
   * When `durable`: the program that `resumeRun` resumes; until then, or `undo`, no other is run. It was parked, its process ended, its
   * image could not be stored, or it ended as `Aborted` or `EngineFailure` after a call, as `InDoubt`, `Diverged`, `LeaseLost` or
   * `JournalFailure`.
   */
  readonly pending: PendingProgram | undefined;
  /**
   * Runs a program, after those that were called before. It finds what earlier ones left at their top: variables, functions, classes;
   * and in Python's style `notebook` the files under `/mnt/data`, to which the option `files` adds. What it leaves open or running is not
   * kept: files are closed (warning `file-closed: PATH`), tasks cancelled (`task-cancelled: COUNT`). A variable that hides a tool
   * is reported as `hides-tool: NAME`. In JavaScript declarations that can't be found in the program's text are its own (warning
   * `not-kept: …`).
   *
   * Ends that end the interpreter roll the session back (`Timeout`, `Aborted`, `MemoryError`, `MemoryLimit`, `RecursionError`, `EngineFailure`,
   * `ToolCallLimit`, `ResultTooLarge`, `LeaseLost`), and so does what can't be kept, with a warning in `stats.warnings`. A
   * program that was refused before it ran (`SyntaxError`, `ForbiddenName`…) makes no turn.
   *
   * Rejects as {@link Sandbox.run} does, with `sandbox/busy` when 100 programs of this session wait, with the storage's errors (the
   * session is then rolled back), and with `sandbox/session-closed`, `sandbox/session-live` (another process has taken it
   * over), `sandbox/session-tampered` and `sandbox/session-mismatch`. A durable session also with what the storage rejects with, and with
   * `sandbox/session-parked` (`data.runId`) while a program is pending.
   */
  run(code: string, options?: SandboxRunOptions): Promise<SessionRun>;
  /**
   * Goes on with the pending program, from the image before it: calls that were answered get their answers from the journal. Where the
   * program has ended, and its image was not stored, it runs once more for that, no tool is called, and the outcome is that of the
   * journal. Rejects as `run` does, and with `sandbox/run-unknown` when nothing is pending.
   */
  resumeRun(options?: SandboxRunOptions): Promise<SessionRun>;
  /** Turns that `undo` can go back to, the oldest first. */
  checkpoints(): readonly StoredTurn[];
  /**
   * Goes back by so many images, default 1, which is a turn of its own. A pending program is the first of them: it is taken back, what its
   * calls did is not; while another process may still run it, it rejects with `sandbox/run-live`. Rejects with `sandbox/session-checkpoint` when so many are not
   * there; nothing has changed then.
   */
  undo(turns?: number): Promise<void>;
  /**
   * Creates a session that continues from this one, or from an earlier turn of which there is an image. Random numbers continue as in
   * this one, unless `reseed` is set. Rejects with `sandbox/session-checkpoint`, `sandbox/session-exists`, `sandbox/session-live`.
   */
  fork(options?: { id?: string; turn?: number; reseed?: boolean }): Promise<SandboxSession>;
  /** Stores its image, unless it is stored. `bytes`: of the memory it has changed. `packed`: of the image. */
  save(): Promise<{ turn: number; bytes: number; packed: number }>;
  /** Its variables, in the order of their making, at most 200. */
  variables(): readonly SessionVariable[];
  /** Its files, by path; none in JavaScript. Times and modes are not kept, nor are links. */
  files(): readonly SessionFile[];
  /** The content of a file, by a path as `sales.csv` or `/mnt/data/sales.csv`. Rejects with `TypeError` when there is none, as always in JavaScript. */
  readFile(path: string): Promise<Uint8Array>;
  /**
   * Writes a file, in place of what was there, which is a turn of its own; folders on its way are made. Rejects with `TypeError`
   * for a path that can't be one, and in JavaScript, and with `sandbox/session-too-large` (`data.bytes`, `data.max`) when all files would have
   * more than `maxFileBytes`.
   */
  writeFile(path: string, data: Uint8Array | string): Promise<void>;
  /** Waits for its programs, saves (unless `manual`) and releases the session. `forget`: removes all its images. */
  close(options?: { forget?: boolean }): Promise<void>;
  /** As `close()`. */
  [Symbol.asyncDispose](): Promise<void>;
}
