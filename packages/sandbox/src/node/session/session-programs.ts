import type { AnyTool } from "@toolglot/core";
import { defined, inBackground, onAbort, randomHex } from "@toolglot/internal";
import { leaseLostError } from "../../durable/errors.ts";
import type { SessionStart } from "../../durable/records.ts";
import { replayRun } from "../../durable/replay-run.ts";
import { runDurably } from "../../durable/run-durably.ts";
import type { DurableSettings } from "../../durable/settings.ts";
import type { SandboxRunParked } from "../../durable/types.ts";
import type { GuestMemory } from "../../engine.ts";
import type { Lease } from "../../pool.ts";
import type { RunRequest } from "../../run/types.ts";
import type { SandboxRun } from "../../run-types.ts";
import type { SessionHost } from "../../session/host.ts";
import type { SandboxRunOptions } from "../../types.ts";
import type { Holding } from "./holding.ts";
import type { SessionSettings } from "./options.ts";
import type { SessionTurns, TurnState } from "./session-turns.ts";

/** Outcome of a run of a session. */
export interface Held {
  run: SandboxRun | SandboxRunParked;
  lease: Lease | undefined;
  memory: GuestMemory | undefined;
  /** Why there is no memory. */
  fault: unknown;
}

/** Settings by which a program of a session is kept in its journal. */
export interface LoggedProgram {
  settings: DurableSettings;
  /** The image that it continues from. Absent: it runs again beside another one, as its session is made again. */
  start?: SessionStart;
  /** It has ended: no tool is called. */
  isReplay: boolean;
  /** Milliseconds that it may run, when these are fewer than those of the sandbox. */
  timeoutMs?: number;
}

/** Runs the programs of a session in interpreters that have its memory. */
export class SessionPrograms {
  readonly #host: SessionHost;
  readonly #settings: SessionSettings;
  readonly #holding: Holding;
  readonly #turns: SessionTurns;
  readonly #domain: string;
  #idle: ReturnType<typeof setTimeout> | undefined;

  constructor(host: SessionHost, settings: SessionSettings, holding: Holding, turns: SessionTurns) {
    this.#host = host;
    this.#settings = settings;
    this.#holding = holding;
    this.#turns = turns;
    this.#domain = settings.domain ?? `session ${randomHex(32)}`;
    this.#waitIdle();
  }

  /**
   * Runs a program in an interpreter that has the memory of `before`, and reads what that is after it. Without `code` that of the
   * journal.
   */
  async execute(
    code: string | undefined,
    options: SandboxRunOptions,
    before: TurnState,
    log?: LoggedProgram,
  ): Promise<Held> {
    clearTimeout(this.#idle);
    return await this.#execute(code, options, before, log).finally(() => this.#waitIdle());
  }

  /** Lets go of the memory, and ends the interpreter that nobody else can use. */
  giveUp(): void {
    clearTimeout(this.#idle);
    this.#turns.rest();
    if (this.#settings.domain === undefined) this.#host.forget(this.#domain);
  }

  async #execute(
    code: string | undefined,
    options: SandboxRunOptions,
    before: TurnState,
    log: LoggedProgram | undefined,
  ): Promise<Held> {
    const { held, head } = before;
    const claim = this.#holding.held;
    const own = new AbortController();
    const stops = [options.signal, claim.signal].map((one) => onAbort(one ?? undefined, () => own.abort(one?.reason)));
    let lease: Lease | undefined;
    let refused: unknown;
    const lend = async (given: Lease): Promise<Lease> => {
      lease = given;
      try {
        const { guest } = given;
        if (held !== "" && guest.holds !== held) await guest.restore?.(await this.#turns.memory(before), held);
      } catch (error) {
        refused = this.#turns.mismatch(error);
        throw error;
      }
      return { ...given, release: () => {}, leave: () => given.release() };
    };
    try {
      const { style, limits } = this.#settings;
      const tools = mergeTools(this.#settings.tools, options.tools);
      const run = await this.#host.execute(
        code ?? "",
        {
          ...defined({ style, callIdPrefix: log?.settings.id }),
          ...{ ...defined(options), tools, signal: own.signal },
        },
        {
          domain: this.#domain,
          session: { held, reseed: head.reseed, maxFileBytes: limits.maxFileBytes },
          lend,
          keep: log && keeping(code, log),
        },
      );
      if (refused !== undefined) throw refused;
      if (run.status === "error" && run.error.type === "Aborted" && claim.isLost) {
        return { run: { ...run, error: leaseLostError }, lease, memory: undefined, fault: undefined };
      }
      if (run.status === "parked") return { run, lease, memory: undefined, fault: undefined };
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
    this.#idle = inBackground(() => this.giveUp(), this.#settings.limits.idleMs);
  }
}

/** Runs a program in its journal. */
function keeping(code: string | undefined, { settings, start, isReplay, timeoutMs }: LoggedProgram) {
  return (request: RunRequest, acquire: () => Promise<Lease>): Promise<SandboxRun | SandboxRunParked> => {
    const { limits } = request;
    const most = Math.min(timeoutMs ?? limits.timeoutMs, limits.timeoutMs);
    const kept = { ...request, code, start, limits: { ...limits, timeoutMs: most } };
    return (isReplay ? replayRun : runDurably)(settings, kept, acquire);
  };
}

/** Those of a program win over those of its session. */
function mergeTools(base: readonly AnyTool[], over: readonly AnyTool[] = []): AnyTool[] {
  return [...base.filter((one) => !over.some(({ name }) => name === one.name)), ...over];
}
