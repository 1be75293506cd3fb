import type { Decision } from "@toolglot/core";
import type { SandboxRunParked } from "../durable/types.ts";
import type { Lease } from "../pool.ts";
import type { SandboxError, SandboxRun, SandboxStats } from "../run-types.ts";
import type { Verdict } from "./approvals.ts";
import type { GuardedSteps, left } from "./guarded.ts";
import type { Session, SessionListener, SessionRules } from "./guest-session.ts";
import type { CallOutcome, PendingCall } from "./types.ts";

// What a run shows to the code that keeps it in a journal. Runs without a journal know nothing of one.

/** A run, as its journal needs to see it. */
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
  /** `reason`: one sentence for the person. Default: that the program wants to call the tool. */
  ask(reason?: string): Promise<Verdict>;
  /** Carries it out with the host's hooks around it. */
  guarded(steps: GuardedSteps): Promise<CallOutcome | typeof left>;
  /** `decision`: what the tool asked for, when it has done nothing without. */
  perform(decision?: Decision): Promise<CallOutcome>;
  /** Sends the program the outcome. From then on its clock stands at `clock`. Does nothing after the end of the run. */
  deliver(outcome: CallOutcome, clock: number): void;
}

/** Keeps a run in its journal, or replays it from there. */
export interface RunKeeper {
  /** More of the request that the guest gets. */
  readonly request: Readonly<Record<string, unknown>>;
  /** Milliseconds of tools that other processes have spent. */
  readonly toolMs: number;
  readonly calls: { carryOut(work: CallWork): void };
  openSession(lease: Lease, rules: SessionRules, listener: SessionListener): Session;
  /** Whether the answer to the call is in the journal. */
  isReplayed(call: number): boolean;
  /** Called whenever the program is {@link DurableProgram.resting}. */
  rest(): void;
  /** Resolves with the outcome to report, which may be another one; never rejects. */
  end(run: SandboxRun | SandboxRunParked, by: "program" | "host"): Promise<SandboxRun | SandboxRunParked>;
}
