import type { SandboxRunParked } from "../durable/types.ts";
import type { Lease } from "../pool.ts";
import type { SandboxError, SandboxRun, SandboxStats } from "../types.ts";
import type { Verdict } from "./approvals.ts";
import type { Session, SessionListener, SessionRules } from "./guest-session.ts";
import type { CallOutcome, PendingCall } from "./tool-work.ts";

// What a run needs so that it survives its guest and its process. Runs without it know nothing of journals.

/** A run as its durability sees it. */
export interface DurableProgram {
  readonly stats: SandboxStats;
  /** Calls that the program has made. */
  readonly made: number;
  /** Calls that have no answer yet. */
  readonly open: number;
  /** Nothing happens in the program until it gets an answer, or it has ended and its calls have not. */
  readonly resting: boolean;
  /** Milliseconds of tools so far. */
  readonly toolMs: number;
  /** Ends the run. */
  fail(error: SandboxError): void;
  /** Ends the run for now. Does nothing when it has ended. */
  park(parked: SandboxRunParked["parked"]): void;
}

/** One call to be carried out. */
export interface CallWork {
  pending: PendingCall;
  ask(): Promise<Verdict>;
  perform(): Promise<CallOutcome>;
  /** Gives the program the outcome. From then on its clock stands at `clock`. Does nothing after the end of the run. */
  deliver(outcome: CallOutcome, clock: number): void;
}

/** What keeps a run. */
export interface Durability {
  /** More of the request that the guest gets. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Milliseconds of tools that other processes have spent. */
  readonly toolMs: number;
  /** Called once, before anything else. `acquire` gets guests after the first. */
  attach(program: DurableProgram, acquire: () => Promise<Lease>): void;
  /** A session that outlives its guests. */
  openSession(lease: Lease, rules: SessionRules, listener: SessionListener): Session;
  /** Whether the answer to the call is in the journal. */
  isReplayed(call: number): boolean;
  /** Carries a call out, or takes its outcome from the journal, and delivers that in order. */
  carryOut(work: CallWork): void;
  /** Called whenever the program is {@link DurableProgram.resting}. */
  rest(): void;
  /** Writes the outcome down. Resolves with the outcome to report, which may be another one; never rejects. */
  end(run: SandboxRun | SandboxRunParked, by: "program" | "host"): Promise<SandboxRun | SandboxRunParked>;
}
