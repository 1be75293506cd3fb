import type { OperationClaim } from "@toolglot/core";
import { settleWithin } from "@toolglot/internal";
import type { Lease } from "../pool.ts";
import type { DurableProgram, RunKeeper } from "../run/durability.ts";
import type { Session, SessionListener, SessionRules } from "../run/guest-session.ts";
import type { SandboxRun } from "../run-types.ts";
import { DurableCalls } from "./durable-calls.ts";
import { failedRun, journalError, leaseLostError, limitErrors, missingCall } from "./errors.ts";
import type { Journal } from "./journal.ts";
import type { Leases } from "./leases.ts";
import { ParkingSession } from "./parking-session.ts";
import { highest, type KeptCalls, type RunHeader, type RunOutcome } from "./records.ts";
import type { SandboxRunParked } from "./types.ts";

/** A run that this process has claimed. */
export interface OpenedRun {
  journal: Journal;
  claim: OperationClaim;
  leases: Leases;
  header: RunHeader;
  calls: KeptCalls;
}

/** How long the end of a run waits for its leases to be given up: with a log that is slow they end by themselves. */
const giveUpMs = 1000;

const notRenewed = "its lease could not be renewed";

/** Keeps one run in its journal, so that it survives its guest and its process. */
export class DurableRun implements RunKeeper {
  /** More of the request that the guest gets. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Milliseconds of tools that other processes have spent. */
  readonly toolMs: number;
  readonly #run: OpenedRun;
  readonly #program: DurableProgram;
  readonly #acquire: () => Promise<Lease>;
  readonly calls: DurableCalls;
  #session: ParkingSession | undefined;
  #resting = false;
  /** The log has not answered for as long as the lease lasts. */
  #onSilence: (error: Error) => void = () => {};

  /** `acquire` gets guests after the first. */
  constructor(run: OpenedRun, program: DurableProgram, acquire: () => Promise<Lease>) {
    this.#run = run;
    this.#program = program;
    this.#acquire = acquire;
    const { journal, leases, calls: kept } = run;
    const { clock, timeZone } = run.header;
    this.request = { clock, timeZone };
    this.toolMs = highest(kept, "toolMs", 0);
    this.calls = new DurableCalls({ journal, leases, kept, program, onLater: () => this.rest() }, clock);
    leases.onLost((loss) => {
      if (loss === "expired") this.#onSilence(new Error(notRenewed));
      program.fail(loss === "taken" ? leaseLostError : journalError(notRenewed));
    });
  }

  /** Returns a session that outlives its guests. */
  openSession(lease: Lease, rules: SessionRules, listener: SessionListener): Session {
    this.#session = new ParkingSession(lease, rules, listener, this.#program, this.#acquire);
    return this.#session;
  }

  /** Checks whether the answer to the call is in the journal. */
  isReplayed(call: number): boolean {
    return this.#run.calls.get(call)?.answer !== undefined;
  }

  /** Called whenever the program is {@link DurableProgram.resting}. */
  rest(): void {
    if (this.#resting) return;
    this.#resting = true;
    void this.calls.admitted().then(() => {
      this.#resting = false;
      this.#rest();
    });
  }

  #rest(): void {
    const program = this.#program;
    if (!program.resting) return;
    const { missing, waiting, replayed } = this.calls;
    if (missing) program.fail(missingCall(missing));
    else if (!replayed) return;
    else if (waiting) program.park({ id: this.#run.journal.settings.id, waiting });
    else this.#session?.parkAfter(this.#run.journal.settings.parkAfterMs);
  }

  /** Writes the outcome down. Resolves with the outcome to report, which may be another one; never rejects. */
  async end(run: SandboxRun | SandboxRunParked, by: "program" | "host"): Promise<SandboxRun | SandboxRunParked> {
    const quiet = this.calls.stop();
    const { missing, replayed } = this.calls;
    if (run.status === "parked") return this.#leave(quiet, run);
    const isLimit = run.status === "error" && limitErrors.includes(run.error.type);
    // A replay that is slower, or has less memory, does not come as far as the program once did.
    if (by === "program" && missing) return this.#leave(quiet, isLimit ? run : failedRun(run, missingCall(missing)));
    if (by === "host" && !(isLimit && replayed)) return this.#leave(quiet, run);
    const silence = new Promise<never>((_, reject) => {
      this.#onSilence = reject;
    });
    try {
      const written = await Promise.race([this.#run.journal.finish(this.#run.claim, outcomeOf(run)), silence]);
      void this.#run.leases.stop();
      return written ? run : failedRun(run, leaseLostError);
    } catch (error) {
      return this.#leave(quiet, failedRun(run, journalError(error)));
    }
  }

  /** Ends the run for this process: at once when no tool is at work, else when the last one has ended or its lease has. */
  async #leave<Outcome>(quiet: Promise<void>, run: Outcome): Promise<Outcome> {
    void this.#run.leases.stop();
    const left = quiet.then(() => this.#run.leases.giveUp());
    if (this.calls.quiet) await settleWithin(left, { ms: giveUpMs });
    return run;
  }
}

function outcomeOf({ toolCalls: _, ...outcome }: SandboxRun): RunOutcome {
  return outcome;
}
