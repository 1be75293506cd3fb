import { ToolglotError } from "@toolglot/core";
import { fromBase64, randomHex } from "@toolglot/internal";
import { checkRunOptions } from "../../check-options.ts";
import { unfinishedErrors } from "../../durable/errors.ts";
import type { EncodedFile, GuestMemory } from "../../engine.ts";
import { NotAtRestError } from "../../reuse.ts";
import { endsInterpreter } from "../../run/guest-session.ts";
import type { SessionHost } from "../../session/host.ts";
import type { StoredTurn } from "../../session/store.ts";
import type {
  PendingProgram,
  SandboxSession,
  SessionFile,
  SessionRun,
  SessionVariable,
} from "../../session/types.ts";
import type { SandboxRunOptions } from "../../types.ts";
import { sessionError } from "./errors.ts";
import { type Holding, holdSession, liveError } from "./holding.ts";
import { resolveId, type SessionSettings } from "./options.ts";
import { rebuild } from "./rebuild.ts";
import { checkRoom } from "./session-files.ts";
import { SessionLog } from "./session-log.ts";
import { type Held, SessionPrograms } from "./session-programs.ts";
import { SessionTurns, type StoredState } from "./session-turns.ts";

/** Programs of one session that may wait. */
const maxWaiting = 100;

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

/** A session that this process holds. */
export class OpenSession implements SandboxSession {
  readonly #host: SessionHost;
  readonly #settings: SessionSettings;
  readonly #holding: Holding;
  readonly #turns: SessionTurns;
  readonly #programs: SessionPrograms;
  readonly #log: SessionLog | undefined;
  #pending: PendingProgram | undefined;
  /** The last of what goes one after another; never rejects. */
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #closing: Promise<void> | undefined;

  /** `state`: of the newest image. */
  constructor(host: SessionHost, settings: SessionSettings, holding: Holding, state: StoredState) {
    this.#host = host;
    this.#settings = settings;
    this.#holding = holding;
    this.#turns = new SessionTurns(settings, holding, state);
    this.#programs = new SessionPrograms(host, settings, holding, this.#turns);
    const { log, limits } = settings;
    this.#log = log && new SessionLog(log, holding.id, limits);
  }

  /** Finds the program that is pending. */
  async look(): Promise<void> {
    const { head, name = "" } = this.#turns.now;
    this.#pending = await this.#log?.pending(head.turn, name);
  }

  get pending(): PendingProgram | undefined {
    return this.#pending && { ...this.#pending };
  }

  get id(): string {
    return this.#holding.id;
  }

  get turn(): number {
    return this.#turns.now.head.turn;
  }

  async run(code: string, options: SandboxRunOptions = {}): Promise<SessionRun> {
    if (typeof code !== "string") throw new TypeError("run() takes the program as text.");
    checkProgramOptions(options);
    return await this.#next(() => this.#orRebuilt(() => this.#run(code, options)));
  }

  async resumeRun(options: SandboxRunOptions = {}): Promise<SessionRun> {
    checkProgramOptions(options);
    if (options.files !== undefined) throw new TypeError("resumeRun() takes no files: the program has those that it began with.");
    return await this.#next(() => this.#orRebuilt(() => this.#resume(options)));
  }

  checkpoints(): readonly StoredTurn[] {
    return [...this.#turns.earlier];
  }

  variables(): readonly SessionVariable[] {
    return this.#turns.now.head.variables.map((one) => ({ ...one }));
  }

  files(): readonly SessionFile[] {
    return this.#turns.now.head.files.map(({ path, bytes, turn }) => ({ path, bytes, turn }));
  }

  async readFile(path: string): Promise<Uint8Array> {
    const file = this.#encoded(path, "");
    return await this.#next(async () => {
      const found = (await this.#turns.memory()).files.find((one) => one.path === file.path);
      if (found) return Uint8Array.from(found.data);
      throw new TypeError(`readFile(): the session ${this.id} has no file ${JSON.stringify(path)}.`);
    });
  }

  async writeFile(path: string, data: Uint8Array | string): Promise<void> {
    const file = this.#encoded(path, data);
    await this.#next(async () => {
      this.#checkTurns();
      const { head, name = "" } = this.#turns.now;
      const by = await this.#log?.next(head.turn, name);
      const after = await this.#turns.written(file, by);
      if (by !== undefined) await this.#log?.keepFile(by, file);
      await this.#turns.adopt(after);
    });
  }

  async undo(turns = 1): Promise<void> {
    if (!Number.isInteger(turns) || turns < 1) throw new TypeError("undo() takes a number of turns, from 1.");
    await this.#next(async () => {
      const pending = this.#pending;
      if (pending) await this.#log?.takeBack(pending.runId);
      await this.#turns.undo(pending ? turns - 1 : turns);
      this.#pending = undefined;
    });
  }

  async save(): Promise<{ turn: number; bytes: number; packed: number }> {
    return await this.#next(() => this.#turns.save());
  }

  async fork(options: { id?: string; turn?: number; reseed?: boolean } = {}): Promise<OpenSession> {
    const { turn, reseed = false } = options;
    const id = resolveId(options.id);
    return await this.#next(async () => {
      const origin = await this.#turns.image(turn);
      const { store, limits } = this.#settings;
      const holding = await holdSession(store, id, limits.leaseMs);
      try {
        if (await store.head(id)) throw sessionError("exists", `There is a session ${id} already.`, { id });
        const head = {
          ...{ ...origin.head, id, lineage: [], reseed: reseed || origin.head.reseed, was: undefined },
          ...(this.#log && { origin: randomHex(32) }),
        };
        const state = await SessionTurns.put(this.#settings, holding, { head, packed: origin.packed });
        return new OpenSession(this.#host, this.#settings, holding, state);
      } catch (error) {
        await holding.release();
        throw error;
      }
    });
  }

  async close(options: { forget?: boolean } = {}): Promise<void> {
    this.#closing ??= this.#close(options.forget ?? false);
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(forget: boolean): Promise<void> {
    await this.#tail;
    this.#programs.giveUp();
    const { store, save } = this.#settings;
    if (this.#holding.lease.loss !== undefined) return;
    try {
      if (forget) await store.drop(this.id, this.#holding.fence, "all");
      else if (save !== "manual") await this.#turns.save();
    } finally {
      await this.#holding.release();
    }
  }

  #encoded(path: string, data: Uint8Array | string): EncodedFile {
    const [file] = this.#host.engine.files?.encode([{ path, data }]) ?? [];
    if (file === undefined) throw new TypeError("There are files in Python alone.");
    return file;
  }

  /** Throws when nothing may be added to the session. */
  #checkTurns(): void {
    if (this.#pending) {
      const { runId } = this.#pending;
      const message = `The program ${runId} of the session ${this.id} was not brought to its end: resumeRun() goes on with it, undo() takes it back.`;
      throw sessionError("parked", message, { id: this.id, runId });
    }
    const { maxPrograms } = this.#settings.limits;
    if (this.turn < maxPrograms) return;
    const message = `The session ${this.id} has come to ${this.turn} turns, and may come to ${maxPrograms}: open a new one, or raise maxPrograms.`;
    throw sessionError("too-large", message, { turns: this.turn, max: maxPrograms });
  }

  /** Does it after all that was asked before. */
  async #next<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#closing) throw sessionError("closed", `The session ${this.id} was closed.`, { id: this.id });
    if (this.#waiting >= maxWaiting) {
      const message = `${maxWaiting} programs of the session ${this.id} wait already. Run this one later.`;
      throw new ToolglotError("sandbox/busy", message, { data: { waiting: maxWaiting } });
    }
    this.#waiting++;
    const done = this.#tail.then(async () => {
      this.#waiting--;
      if (this.#holding.lease.loss !== undefined) throw liveError(this.id);
      await this.#turns.settled();
      return await work();
    });
    this.#tail = done.then(
      () => {},
      () => {},
    );
    return await done;
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

  /** Makes a session of another version again, as `mismatch` says that it is. Rejects with why that can't be. */
  async rebuild(mismatch: ToolglotError): Promise<void> {
    const { label: engine, guestHash = "", wheelsHash = "" } = this.#host.engine;
    const log = this.#log as SessionLog;
    const here = { engine, guestHash, wheelsHash };
    await rebuild({ turns: this.#turns, programs: this.#programs, log, here }, mismatch);
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
    if (this.#log === undefined || this.#pending === undefined) throw noPendingError(this.id);
    const { runId, code } = this.#pending;
    const { header, outcome } = await this.#log.read(runId);
    if (header === undefined) {
      this.#pending = undefined;
      throw noPendingError(this.id);
    }
    // What ended its interpreter left no memory: its outcome is all that there is of it.
    const isReplay = outcome !== undefined && !(outcome.status === "error" && endsInterpreter(outcome.error.type));
    return await this.#execute({ code, runId, isReplay, isGiven: header.files !== undefined }, options);
  }

  /** Runs a program, or goes on with the pending one, and keeps what it left. */
  async #execute(program: Program, options: SandboxRunOptions): Promise<SessionRun> {
    const { code, runId, isReplay } = program;
    const { head, name = "" } = this.#turns.now;
    const { id, turn, reseed } = head;
    const start = { id, turn, image: name, reseed };
    const settings = runId === undefined ? undefined : this.#log?.settings(runId);
    const log = settings && { settings, start, isReplay };
    let held: Held;
    try {
      held = await this.#programs.execute(this.#pending ? undefined : code, options, this.#turns.now, log);
    } catch (error) {
      await this.#setPending(program, isMismatch(error));
      throw error;
    }
    let run: SessionRun;
    try {
      run = await this.#keep(held, program);
    } catch (error) {
      if (runId !== undefined) this.#pending = { runId, code };
      throw error;
    }
    if (this.turn > turn) this.#pending = undefined;
    else {
      const type = run.status === "error" && run.error.type;
      const mayForget = type === "EngineFailure" || (type === "Aborted" && options.signal?.aborted === true);
      await this.#setPending(program, mayForget, run);
    }
    return run;
  }

  /** After a program of which nothing was kept. `mayForget`: when it has called nothing. */
  async #setPending({ runId, code, isReplay }: Program, mayForget: boolean, run?: SessionRun): Promise<void> {
    if (runId === undefined || this.#log === undefined) return;
    this.#pending = { runId, code };
    if (run?.status === "parked" || (isReplay && (run === undefined || isUnfinished(run)))) return;
    // Where the log can't be read either, it stays pending.
    const isOpen = await this.#log.isOpen(runId, this.#turns.now.name, mayForget).catch(() => true);
    if (!isOpen) this.#pending = undefined;
  }

  async #keep(held: Held, { runId, isGiven }: Program): Promise<SessionRun> {
    const { run, lease, memory } = held;
    const { maxImageBytes, maxFileBytes } = this.#settings.limits;
    const tooLarge = memory && excess(memory, maxImageBytes, maxFileBytes);
    if (memory === undefined || tooLarge !== undefined || (runId !== undefined && isUnfinished(run))) {
      lease?.release();
      return this.#rolledBack(held, tooLarge);
    }
    if (!memory.ran) {
      // Files that were given for it are not the session's.
      lease?.release(isGiven ? undefined : this.#turns.now.held || undefined);
      return { ...run, turn: this.turn, state: "kept" };
    }
    const after = this.#turns.next(memory, runId);
    lease?.release(after.held);
    await this.#turns.adopt(after);
    return { ...run, turn: this.turn, state: "kept" };
  }

  #rolledBack({ run, fault, lease }: Held, tooLarge: string | undefined): SessionRun {
    const turn = this.turn;
    if (run.status === "parked") return { ...run, turn, state: "rolled-back" };
    if (run.status === "error") {
      const { error } = run;
      if (lease === undefined && error.type === "SourceTooLarge") return { ...run, turn, state: "kept" };
      const hint = error.hint === undefined ? backHint : `${error.hint}; ${backHint}`;
      return { ...run, error: { ...error, hint }, turn, state: "rolled-back" };
    }
    const { warnings } = run.stats;
    if (tooLarge !== undefined) warnings.push(`session-too-large: ${tooLarge}`);
    else if (fault instanceof NotAtRestError) warnings.push("not-at-rest: what the program left can't be kept");
    else warnings.push("not-at-rest: the interpreter ended after the program");
    return { ...run, turn, state: "rolled-back" };
  }
}

function isMismatch(error: unknown): error is ToolglotError {
  return ToolglotError.isInstance(error) && error.code === "sandbox/session-mismatch";
}

/** Whether a program of a log was not brought to its end. */
function isUnfinished(run: Held["run"]): boolean {
  return run.status === "error" && unfinishedErrors.includes(run.error.type);
}

/** There is nothing to go on with. */
function noPendingError(id: string): Error {
  return new ToolglotError("sandbox/run-unknown", `No program of the session ${id} is pending.`, { data: { id } });
}

/** Throws `TypeError` for options that a session's programs don't have. */
function checkProgramOptions(options: SandboxRunOptions): void {
  checkRunOptions(options);
  for (const name of ["domain", "durable"] as const) {
    if (options[name] !== undefined) throw new TypeError(`${name} is no option of a session's programs.`);
  }
}

/** What of a memory is more than it may be; undefined when nothing is. */
function excess({ pages, files }: GuestMemory, maxImageBytes: number, maxFileBytes: number): string | undefined {
  if (pages.length > maxImageBytes) return `${pages.length} bytes have changed, more than ${maxImageBytes}`;
  const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
  return bytes > maxFileBytes ? `its files have ${bytes} bytes, more than ${maxFileBytes}` : undefined;
}
