import { ToolglotError } from "@toolglot/core";
import { checkKeys, randomHex } from "@toolglot/internal";
import { checkRunOptions } from "../../check-options.ts";
import type { EncodedFile } from "../../engine.ts";
import type { SessionHost } from "../../session/host.ts";
import type { StoredTurn } from "../../session/kept.ts";
import type { PendingProgram, SandboxSession, SessionFile, SessionRun, SessionVariable } from "../../session/types.ts";
import type { SandboxRunOptions } from "../../types.ts";
import { sessionError } from "./errors.ts";
import { demandNew, existsError, type Holding, holdSession, liveError } from "./holding.ts";
import { resolveId, type SessionSettings } from "./options.ts";
import { SessionPrograms } from "./session-programs.ts";
import { SessionTurns, type StoredState } from "./session-turns.ts";
import { TurnMaker } from "./turn-maker.ts";

/** Programs of one session that may wait. */
const maxWaiting = 100;

/** A session that this process holds. */
export class OpenSession implements SandboxSession {
  readonly #host: SessionHost;
  readonly #settings: SessionSettings;
  readonly #holding: Holding;
  readonly #turns: SessionTurns;
  readonly #programs: SessionPrograms;
  readonly #maker: TurnMaker;
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
    this.#maker = new TurnMaker(host, settings, this.#turns, this.#programs);
  }

  /** Rebuilds a session of another version, if there is a `mismatch`, and finds the program that is pending. */
  async prepare(mismatch: ToolglotError | undefined): Promise<void> {
    if (mismatch) await this.#maker.rebuild(mismatch);
    await this.#maker.look();
  }

  get pending(): PendingProgram | undefined {
    const { pending } = this.#maker;
    return pending && { ...pending };
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
    return await this.#next(() => this.#maker.run(code, options));
  }

  async resumeRun(options: SandboxRunOptions = {}): Promise<SessionRun> {
    checkProgramOptions(options);
    if (options.files !== undefined)
      throw new TypeError("resumeRun() takes no files: the program has those that it began with.");
    return await this.#next(() => this.#maker.resume(options));
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
    await this.#next(() => this.#maker.write(file));
  }

  async undo(turns = 1): Promise<void> {
    if (!Number.isInteger(turns) || turns < 1) throw new TypeError("undo() takes a number of turns, from 1.");
    await this.#next(() => this.#maker.undo(turns));
  }

  async save(): Promise<{ turn: number; bytes: number; packed: number }> {
    return await this.#next(() => this.#turns.save());
  }

  async fork(options: { id?: string; turn?: number; reseed?: boolean } = {}): Promise<OpenSession> {
    checkKeys("fork", options, "id:string turn:number reseed:boolean");
    const { turn, reseed = false } = options;
    const id = resolveId(options.id);
    return await this.#next(async () => {
      const origin = await this.#turns.image(turn);
      const { storage, limits } = this.#settings;
      await demandNew(storage, id);
      const holding = await holdSession(storage, id, limits.leaseMs);
      try {
        if (holding.turns.length > 0) throw existsError(id);
        const head = {
          ...{ ...origin.head, id, lineage: [], reseed: reseed || origin.head.reseed, was: undefined },
          ...(this.#settings.log && { origin: randomHex(32) }),
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
    checkKeys("close", options, "forget:boolean");
    this.#closing ??= this.#close(options.forget ?? false);
    await this.#closing;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #close(forget: boolean): Promise<void> {
    await this.#tail;
    this.#programs.giveUp();
    const { save } = this.#settings;
    if (this.#holding.isLost) return;
    try {
      if (forget) await this.#holding.forget();
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
      if (this.#holding.isLost) throw liveError(this.id);
      await this.#turns.settled();
      return await work();
    });
    this.#tail = done.then(
      () => {},
      () => {},
    );
    return await done;
  }
}

/** Throws `TypeError` for options that a session's programs don't have. */
function checkProgramOptions(options: SandboxRunOptions): void {
  checkRunOptions(options);
  for (const name of ["domain", "durable"] as const) {
    if (options[name] !== undefined) throw new TypeError(`${name} is no option of a session's programs.`);
  }
}
