import { type AnyTool, ToolglotError } from "@toolglot/core";
import { defined, fromBase64, inBackground, onAbort, randomHex } from "@toolglot/internal";
import { checkRunOptions } from "../../check-options.ts";
import { leaseLostError } from "../../durable/errors.ts";
import type { EncodedFile, GuestMemory } from "../../engine.ts";
import type { Lease } from "../../pool.ts";
import { NotAtRestError } from "../../reuse.ts";
import type { SessionHost } from "../../session/host.ts";
import type { StoredTurn } from "../../session/store.ts";
import type { SandboxSession, SessionFile, SessionRun, SessionVariable } from "../../session/types.ts";
import type { SandboxRun, SandboxRunOptions } from "../../types.ts";
import { sessionError } from "./errors.ts";
import { type Holding, holdSession, liveError } from "./holding.ts";
import type { ImageHead } from "./image.ts";
import { resolveId, type SessionSettings } from "./options.ts";
import { checkRoom } from "./session-files.ts";
import { SessionTurns, type TurnState } from "./session-turns.ts";

/** Programs of one session that may wait. */
const maxWaiting = 100;

const backHint = "variables are as before this program";

/** What a run of a session comes to. */
interface Held {
  run: SandboxRun;
  lease: Lease | undefined;
  memory: GuestMemory | undefined;
  /** Why there is no memory. */
  fault: unknown;
}

/** A session that this process holds. */
export class OpenSession implements SandboxSession {
  readonly #host: SessionHost;
  readonly #settings: SessionSettings;
  readonly #holding: Holding;
  readonly #turns: SessionTurns;
  readonly #domain: string;
  /** The last of what goes one after another; never rejects. */
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;
  #closing: Promise<void> | undefined;
  #idle: ReturnType<typeof setTimeout> | undefined;

  /** `head`: of the newest image, which is stored as `stored`. */
  constructor(host: SessionHost, settings: SessionSettings, holding: Holding, head: ImageHead, stored: StoredTurn) {
    this.#host = host;
    this.#settings = settings;
    this.#holding = holding;
    this.#domain = settings.domain ?? `session ${randomHex(32)}`;
    this.#turns = new SessionTurns(settings, holding, head, stored);
  }

  get id(): string {
    return this.#holding.id;
  }

  get turn(): number {
    return this.#turns.now.head.turn;
  }

  async run(code: string, options: SandboxRunOptions = {}): Promise<SessionRun> {
    if (typeof code !== "string") throw new TypeError("run() takes the program as text.");
    checkRunOptions(options);
    for (const name of ["domain", "durable"] as const) {
      if (options[name] !== undefined) throw new TypeError(`${name} is no option of a session's programs.`);
    }
    return await this.#next(() => this.#run(code, options));
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
      await this.#turns.adopt(await this.#turns.written(file));
    });
  }

  async undo(turns = 1): Promise<void> {
    if (!Number.isInteger(turns) || turns < 1) throw new TypeError("undo() takes a number of turns, from 1.");
    await this.#next(() => this.#turns.undo(turns));
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
        const head = { ...origin.head, id, lineage: [], reseed: reseed || origin.head.reseed };
        const stored = await SessionTurns.put(this.#settings, holding, { head, packed: origin.packed });
        return new OpenSession(this.#host, this.#settings, holding, head, stored);
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
    this.#giveUp();
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

  #checkTurns(): void {
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

  async #run(code: string, options: SandboxRunOptions): Promise<SessionRun> {
    const before = this.#turns.now;
    const { maxImageBytes, maxFileBytes } = this.#settings.limits;
    this.#checkTurns();
    const given = this.#host.engine.files?.encode(options.files ?? []) ?? [];
    const more = given.map(({ path, data }) => ({ path, bytes: fromBase64(data).length }));
    checkRoom(more, before.head, maxFileBytes);
    clearTimeout(this.#idle);
    const held = await this.#execute(code, options, before).finally(() => this.#waitIdle());
    const { run, lease, memory } = held;
    const tooLarge = memory && excess(memory, maxImageBytes, maxFileBytes);
    if (memory === undefined || tooLarge !== undefined) {
      lease?.release();
      return this.#rolledBack(held, tooLarge);
    }
    if (!memory.ran) {
      // Files that were given for it are not the session's.
      lease?.release(more.length > 0 ? undefined : before.held || undefined);
      return { ...run, turn: this.turn, state: "kept" };
    }
    const after = this.#turns.next(memory);
    lease?.release(after.held);
    await this.#turns.adopt(after);
    return { ...run, turn: this.turn, state: "kept" };
  }

  #rolledBack({ run, fault, lease }: Held, tooLarge: string | undefined): SessionRun {
    const turn = this.turn;
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

  /** Runs a program in an interpreter that has the session's memory, and reads what that is after it. */
  async #execute(code: string, options: SandboxRunOptions, before: TurnState): Promise<Held> {
    const { held, head } = before;
    const { lease: claim } = this.#holding;
    const own = new AbortController();
    const stops = [options.signal, claim.signal].map((one) => onAbort(one ?? undefined, () => own.abort(one?.reason)));
    let lease: Lease | undefined;
    let refused: unknown;
    const lend = async (given: Lease): Promise<Lease> => {
      lease = given;
      try {
        const { guest } = given;
        if (held !== "" && guest.holds !== held) await guest.restore?.(await this.#turns.memory(), held);
      } catch (error) {
        refused = this.#turns.mismatch(error);
        throw error;
      }
      return { ...given, release: () => {} };
    };
    try {
      const { style, limits } = this.#settings;
      const tools = mergeTools(this.#settings.tools, options.tools);
      const run = await this.#host.execute(
        code,
        { ...defined({ style }), ...defined(options), tools, signal: own.signal },
        {
          domain: this.#domain,
          session: { held, reseed: head.reseed, maxFileBytes: limits.maxFileBytes },
          lend,
        },
      );
      if (refused !== undefined) throw refused;
      if (run.status === "error" && run.error.type === "Aborted" && claim.loss !== undefined) {
        return { run: { ...run, error: leaseLostError }, lease, memory: undefined, fault: undefined };
      }
      const capturing = (lease as Lease | undefined)?.guest.capture?.();
      const [captured] = await Promise.allSettled([capturing]);
      return captured.status === "fulfilled"
        ? { run, lease, memory: captured.value, fault: undefined }
        : { run, lease, memory: undefined, fault: captured.reason };
    } catch (error) {
      (lease as Lease | undefined)?.release();
      throw error;
    } finally {
      for (const stop of stops) stop();
    }
  }

  #waitIdle(): void {
    this.#idle = inBackground(() => this.#giveUp(), this.#settings.limits.idleMs);
  }

  /** Ends the interpreter that nobody else can use. */
  #giveUp(): void {
    clearTimeout(this.#idle);
    if (this.#settings.domain === undefined) this.#host.forget(this.#domain);
  }
}

/** What of a memory is more than it may be; undefined when nothing is. */
function excess({ pages, files }: GuestMemory, maxImageBytes: number, maxFileBytes: number): string | undefined {
  if (pages.length > maxImageBytes) return `${pages.length} bytes have changed, more than ${maxImageBytes}`;
  const bytes = files.reduce((sum, { data }) => sum + data.length, 0);
  return bytes > maxFileBytes ? `its files have ${bytes} bytes, more than ${maxFileBytes}` : undefined;
}

/** Those of a program win over those of its session. */
function mergeTools(base: readonly AnyTool[], over: readonly AnyTool[] = []): AnyTool[] {
  return [...base.filter((one) => !over.some(({ name }) => name === one.name)), ...over];
}
