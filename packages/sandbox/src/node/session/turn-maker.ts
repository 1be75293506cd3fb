import { ToolglotError } from "@toolglot/core";
import { errorText, fromBase64 } from "@toolglot/internal";
import { unfinishedErrors } from "../../durable/replay-errors.ts";
import type { EncodedFile, GuestMemory } from "../../engine.ts";
import { NotAtRestError } from "../../reuse.ts";
import { endsInterpreter } from "../../run/guest-session.ts";
import type { SessionHost } from "../../session/host.ts";
import type { PendingProgram, SessionRun } from "../../session/types.ts";
import type { SandboxRunOptions } from "../../types.ts";
import { sessionError } from "./errors.ts";
import type { SessionSettings } from "./options.ts";
import { rebuild } from "./rebuild.ts";
import { checkRoom } from "./session-files.ts";
import { SessionLog } from "./session-log.ts";
import type { Held, SessionPrograms } from "./session-programs.ts";
import type { SessionTurns } from "./session-turns.ts";

/** One program on its way. */
interface Program {
  code: string;
  /** In the log. */
  runId: string | undefined;
  /** It has ended there. */
  isReplay: boolean;
  /** Files were given for it. */
  isGiven: boolean;
}

const backHint = "variables are as before this program";

/** Makes turns of a session of programs and files: what a program left is kept, or all stays as before it. */
export class TurnMaker {
  readonly #host: SessionHost;
  readonly #settings: SessionSettings;
  readonly #turns: SessionTurns;
  readonly #programs: SessionPrograms;
  readonly #log: SessionLog | undefined;
  /** The program of a log that was not brought to its end. */
  pending: PendingProgram | undefined;

  constructor(host: SessionHost, settings: SessionSettings, turns: SessionTurns, programs: SessionPrograms) {
    this.#host = host;
    this.#settings = settings;
    this.#turns = turns;
    this.#programs = programs;
    const { log, limits } = settings;
    this.#log = log && new SessionLog(log, turns.now.head.id, limits);
  }

  /** Finds the program that is pending. */
  async look(): Promise<void> {
    const { head, name = "" } = this.#turns.now;
    this.pending = await this.#log?.pending(head.turn, name);
  }

  get #id(): string {
    return this.#turns.now.head.id;
  }

  get #turn(): number {
    return this.#turns.now.head.turn;
  }

  /** Makes the session again when no interpreter here can take its memory, and that is wanted. */
  async #orRebuilt<Value>(work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      if (!isMismatch(error) || !this.#settings.rebuild) throw error;
      await this.rebuild(error);
      return await work();
    }
  }

  /** Rebuilds a session of another version, which `mismatch` describes. Rejects with the reason why that can't be. */
  async rebuild(mismatch: ToolglotError): Promise<void> {
    const { label: engine, guestHash = "", wheelsHash = "" } = this.#host.engine;
    const log = this.#log as SessionLog;
    const here = { engine, guestHash, wheelsHash };
    await rebuild({ turns: this.#turns, programs: this.#programs, log, here }, mismatch);
  }

  /** Runs a program as a turn of its own. */
  async run(code: string, options: SandboxRunOptions): Promise<SessionRun> {
    return await this.#orRebuilt(() => this.#run(code, options));
  }

  /** Goes on with the pending program. */
  async resume(options: SandboxRunOptions): Promise<SessionRun> {
    return await this.#orRebuilt(() => this.#resume(options));
  }

  /** Writes a file as a turn of its own. */
  async write(file: EncodedFile): Promise<void> {
    this.#checkTurns();
    const { head, name = "" } = this.#turns.now;
    const by = await this.#log?.next(head.turn, name);
    const after = await this.#turns.written(file, by);
    if (by !== undefined) await this.#log?.keepFile(by, file);
    await this.#turns.adopt(after);
  }

  /** Takes the pending program back, and goes back by the others. */
  async undo(turns: number): Promise<void> {
    const { pending } = this;
    if (pending) await this.#log?.takeBack(pending.runId);
    await this.#turns.undo(pending ? turns - 1 : turns);
    this.pending = undefined;
  }

  async #run(code: string, options: SandboxRunOptions, isForgotten = false): Promise<SessionRun> {
    const { head, name = "" } = this.#turns.now;
    this.#checkTurns();
    const given = this.#host.engine.files?.encode(options.files ?? []) ?? [];
    const more = given.map(({ path, data }) => ({ path, bytes: fromBase64(data).length }));
    checkRoom(more, head, this.#settings.limits.maxFileBytes);
    const runId = await this.#log?.next(head.turn, name, isForgotten);
    try {
      return await this.#execute({ code, runId, isReplay: false, isGiven: more.length > 0 }, options);
    } catch (error) {
      const isExpired = ToolglotError.isInstance(error) && error.code === "sandbox/run-expired";
      if (!isExpired || isForgotten) throw error;
      return await this.#run(code, options, true);
    }
  }

  async #resume(options: SandboxRunOptions): Promise<SessionRun> {
    if (this.#log === undefined || this.pending === undefined) throw noPendingError(this.#id);
    const { runId, code } = this.pending;
    const { header, outcome } = await this.#log.read(runId);
    if (header === undefined) {
      this.pending = undefined;
      throw noPendingError(this.#id);
    }
    // What ended its interpreter left no memory: its outcome is all that there is of it.
    const isReplay = outcome !== undefined && !(outcome.status === "error" && endsInterpreter(outcome.error.type));
    return await this.#execute({ code, runId, isReplay, isGiven: header.files !== undefined }, options);
  }

  /** Runs a program, or resumes the pending one, and keeps what it left. */
  async #execute(program: Program, options: SandboxRunOptions): Promise<SessionRun> {
    const { code, runId, isReplay } = program;
    const { head, name = "" } = this.#turns.now;
    const { id, turn, reseed } = head;
    const start = { id, turn, image: name, reseed };
    const settings = runId === undefined ? undefined : this.#log?.settings(runId);
    const log = settings && { settings, start, isReplay };
    let held: Held;
    try {
      held = await this.#programs.execute(this.pending ? undefined : code, options, this.#turns.now, log);
    } catch (error) {
      await this.#setPending(program, isMismatch(error));
      throw error;
    }
    this.pending = undefined;
    const run = await this.#keep(held, program);
    // A program whose image could not be stored is resumed from its journal.
    if (this.#turn === turn && this.pending === undefined) {
      const type = run.status === "error" && run.error.type;
      const mayForget = type === "EngineFailure" || (type === "Aborted" && options.signal?.aborted === true);
      await this.#setPending(program, mayForget, run);
    }
    return run;
  }

  /** After a program of which nothing was kept. `mayForget`: when it has called nothing. */
  async #setPending({ runId, code, isReplay }: Program, mayForget: boolean, run?: SessionRun): Promise<void> {
    if (runId === undefined || this.#log === undefined) return;
    this.pending = { runId, code };
    if (run?.status === "parked" || (isReplay && (run === undefined || isUnfinished(run)))) return;
    // Where the log can't be read either, it stays pending.
    const isOpen = await this.#log.isOpen(runId, this.#turns.now.name, mayForget).catch(() => true);
    if (!isOpen) this.pending = undefined;
  }

  async #keep(held: Held, { runId, code, isGiven }: Program): Promise<SessionRun> {
    const { run, lease, memory } = held;
    const { maxImageBytes, maxFileBytes } = this.#settings.limits;
    const tooLarge = memory && excess(memory, maxImageBytes, maxFileBytes);
    if (memory === undefined || tooLarge !== undefined || (runId !== undefined && isUnfinished(run))) {
      lease?.release();
      return this.#rolledBack(held, tooLarge && `session-too-large: ${tooLarge}`);
    }
    if (!memory.ran) {
      // Files that were given for it are not the session's.
      lease?.release(isGiven ? undefined : this.#turns.now.held || undefined);
      return { ...run, turn: this.#turn, state: "kept" };
    }
    const after = this.#turns.next(memory, runId);
    lease?.release(after.held);
    try {
      await this.#turns.adopt(after);
    } catch (error) {
      // What its calls have done stays done: whoever asked has to hear of it.
      if (runId !== undefined) this.pending = { runId, code };
      return this.#rolledBack(held, `store-failure: what it left could not be stored (${errorText(error)})`);
    }
    return { ...run, turn: this.#turn, state: "kept" };
  }

  /** `why`: a warning besides those of the run itself. */
  #rolledBack({ run, fault, lease }: Held, why: string | undefined): SessionRun {
    const turn = this.#turn;
    if (run.status === "parked") return { ...run, turn, state: "rolled-back" };
    const { warnings } = run.stats;
    if (why !== undefined) warnings.push(why);
    if (run.status === "error") {
      const { error } = run;
      if (lease === undefined && error.type === "SourceTooLarge") return { ...run, turn, state: "kept" };
      const hint = error.hint === undefined ? backHint : `${error.hint}; ${backHint}`;
      return { ...run, error: { ...error, hint }, turn, state: "rolled-back" };
    }
    if (why !== undefined) return { ...run, turn, state: "rolled-back" };
    if (fault instanceof NotAtRestError) warnings.push("not-at-rest: what the program left can't be kept");
    else warnings.push("not-at-rest: the interpreter ended after the program");
    return { ...run, turn, state: "rolled-back" };
  }

  /** Throws when nothing may be added to the session. */
  #checkTurns(): void {
    if (this.pending) {
      const { runId } = this.pending;
      const message = `The program ${runId} of the session ${this.#id} was not brought to its end: resumeRun() goes on with it, undo() takes it back.`;
      throw sessionError("parked", message, { id: this.#id, runId });
    }
    const { maxPrograms } = this.#settings.limits;
    if (this.#turn < maxPrograms) return;
    const message = `The session ${this.#id} has come to ${this.#turn} turns, and may come to ${maxPrograms}: open a new one, or raise maxPrograms.`;
    throw sessionError("too-large", message, { turns: this.#turn, max: maxPrograms });
  }
}

function isMismatch(error: unknown): error is ToolglotError {
  return ToolglotError.isInstance(error) && error.code === "sandbox/session-mismatch";
}

/** Checks whether a program of a log was not brought to its end. */
function isUnfinished(run: Held["run"]): boolean {
  return run.status === "error" && unfinishedErrors.includes(run.error.type);
}

/** Returns the error for a session without a pending program. */
function noPendingError(id: string): Error {
  return new ToolglotError("sandbox/run-unknown", `No program of the session ${id} is pending.`, { data: { id } });
}

/** Returns what of a memory is more than it may be; undefined when nothing is. */
function excess({ pages, files }: GuestMemory, maxImageBytes: number, maxFileBytes: number): string | undefined {
  if (pages.length > maxImageBytes) return `${pages.length} bytes have changed, more than ${maxImageBytes}`;
  const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
  return bytes > maxFileBytes ? `its files have ${bytes} bytes, more than ${maxFileBytes}` : undefined;
}
