import type { OperationClaim } from "@toolglot/core";
import { defined } from "@toolglot/internal";
import { approvalReason, decidedOutcome, isAsked, performDecided, type Verdict } from "../run/approvals.ts";
import type { CallWork, DurableProgram } from "../run/durability.ts";
import { left } from "../run/guarded.ts";
import type { CallOutcome, ProgramTool } from "../run/types.ts";
import { inDoubtError, journalError, leaseLostError, otherCall } from "./errors.ts";
import { callFingerprint } from "./fingerprint.ts";
import type { Journal } from "./journal.ts";
import type { Leases } from "./leases.ts";
import { type CallAnswer, highest, type KeptCall, type KeptCalls } from "./records.ts";
import { ReplayedCalls } from "./replayed-calls.ts";
import type { SandboxRunParked } from "./types.ts";

/** Checks whether a call that may have happened may be made again. */
export function mayRepeat({ tool }: ProgramTool): boolean {
  return (tool.annotations?.readOnlyHint ?? false) || (tool.annotations?.idempotentHint ?? false);
}

/** Things that the calls of a run share. */
export interface CallsPlace {
  journal: Journal;
  leases: Leases;
  kept: KeptCalls;
  program: DurableProgram;
  /** A call waits for a decision that comes later. */
  onLater(): void;
}

type Waiting = SandboxRunParked["parked"]["waiting"];
type Refusal = Extract<CallOutcome, { ok: false }>;
/** What a call counts to. */
type Held = { busy: boolean; performing: boolean };

/**
 * Carries out the calls of one run. Those with an answer in the journal get it, in the order of the first run. The others are
 * claimed, run and written down; they start when nothing is left to replay.
 */
export class DurableCalls extends ReplayedCalls {
  readonly #place: CallsPlace;
  readonly #waiting = new Map<number, { work: CallWork; reason: string }>();
  /** Calls that a tool works on, or that the log is asked about before and after. */
  #busy = 0;
  /** Tools at work, and answers that are being written. */
  #performing = 0;
  #onQuiet: () => void = () => {};
  #delivery: number;
  #clock: number;
  #tail: Promise<void> = Promise.resolve();

  constructor(place: CallsPlace, clock: number) {
    super(place.kept, place.program);
    this.#place = place;
    this.#delivery = highest(place.kept, "delivery", 0);
    this.#clock = highest(place.kept, "at", clock);
  }

  /** Whether no tool is at work, and no answer is being written. */
  get quiet(): boolean {
    return this.#performing === 0;
  }

  /** What the program waits for, when it is nothing but decisions that come later. */
  get waiting(): Waiting | undefined {
    if (this.#waiting.size === 0 || this.#waiting.size < this.#place.program.open) return undefined;
    const waiting = [...this.#waiting].sort(([a], [b]) => a - b);
    return waiting.map(([, { work, reason }]) => {
      const { callId, name, args } = work.pending.call;
      return { callId, name, args, reason };
    });
  }

  override stop(): Promise<void> {
    this.over = true;
    return new Promise((resolve) => {
      this.#onQuiet = resolve;
      if (this.#busy === 0) resolve();
    });
  }

  protected override async begin(work: CallWork, print: string, kept: KeptCall | undefined): Promise<void> {
    const { pending } = work;
    const { journal, leases } = this.#place;
    await this.replay.complete;
    if (this.over) return;
    const result = await journal.claimCall(pending.index, print, mayRepeat(pending.program));
    if (result.status !== "claimed") {
      this.#refused(work, result.status, kept);
      return;
    }
    const { claim } = result;
    if (this.over) {
      await journal.giveUp(claim);
      return;
    }
    leases.hold(result);
    const held = { busy: false, performing: false };
    try {
      const outcome = await work.guarded({
        decide: () => this.#decide(work, held),
        perform: () => this.#perform(work, claim, { print, wasStarted: kept?.started ?? false, held }),
      });
      if (outcome === left || this.#isTooLate(outcome, held)) return;
      this.#hold(held);
      await this.#settle(work, claim, outcome);
    } finally {
      if (held.performing) this.#performing--;
      if (held.busy && --this.#busy === 0) this.#onQuiet();
    }
  }

  /** From here on `stop` waits for the call. */
  #hold(held: Held): void {
    if (held.busy) return;
    held.busy = true;
    this.#busy++;
  }

  /** Checks whether an outcome is too late. After the end of the run, when the tool's signal was aborted, only certain ones count. */
  #isTooLate(outcome: CallOutcome, { performing }: Held): boolean {
    return this.over && !(performing && (outcome.ok || outcome.isCertain));
  }

  async #decide(work: CallWork, held: Held): Promise<CallOutcome | typeof left | undefined> {
    const { tool } = work.pending.program;
    const verdict = isAsked(tool) ? await this.#decision(work) : undefined;
    if (this.over) return left;
    if (verdict?.status === "later") {
      this.#wait(work, approvalReason(tool));
      return left;
    }
    this.#hold(held);
    return decidedOutcome(tool, verdict);
  }

  /** Somebody else's claim, where there must be none but an abandoned one of this very call. */
  #refused(work: CallWork, status: string, kept: KeptCall | undefined): void {
    const { call } = work.pending;
    const { program } = this.#place;
    if (status === "in-doubt") program.fail(inDoubtError(call.callId, call));
    else if (status === "expired") program.fail(journalError(`what call ${call.callId} came to is forgotten`));
    else if (status === "conflict" && kept) program.fail(otherCall(kept, call.name, call.args));
    else program.fail(leaseLostError);
  }

  #wait(work: CallWork, reason: string): void {
    this.#waiting.set(work.pending.index, { work, reason });
    this.#place.onLater();
  }

  async #decision(work: CallWork, reason?: string): Promise<Verdict> {
    const { journal } = this.#place;
    const { index, call } = work.pending;
    // Of the input as a hook left it: that is what somebody decides about.
    const print = await callFingerprint(call.name, call.args);
    const decision = await journal.readDecision(index, print);
    if (decision?.approved === true) return { status: "approved" };
    if (decision) return { status: "denied", message: decision.message, decided: true };
    if (this.over) return { status: "later" };
    const verdict = await work.ask(reason);
    if (this.over || verdict.status === "later") return verdict;
    // Kept apart from the answer: between the two the process may die.
    if (verdict.status === "approved") await journal.decide(index, print, { approved: true });
    else if (verdict.status === "denied" && verdict.decided)
      await journal.decide(index, print, { approved: false, message: verdict.message });
    return verdict;
  }

  async #perform(
    work: CallWork,
    claim: OperationClaim,
    { print, wasStarted, held }: { print: string; wasStarted: boolean; held: Held },
  ): Promise<CallOutcome | typeof left> {
    const { journal, leases, program } = this.#place;
    const { name, args } = work.pending.call;
    const begun = (await leases.confirm(claim)) && !this.over && (await journal.begin(claim, { name, args }));
    // That may have taken its time.
    const confirmed = begun && (await leases.confirm(claim));
    if (this.over || !confirmed) {
      // One that an earlier process had begun may have happened then.
      if (begun && !wasStarted) await journal.release(claim, print);
      if (!this.over) program.fail(leaseLostError);
      return left;
    }
    held.performing = true;
    this.#performing++;
    const first = await work.perform();
    const refusal = first.ok || first.needs === undefined ? undefined : first;
    const outcome = refusal === undefined ? first : await this.#ask(work, refusal);
    if (outcome !== undefined) return outcome;
    await this.#postpone(work, claim, print, (refusal as Refusal).message);
    return left;
  }

  /** Gets what a tool needs that did nothing without. Undefined when that comes later. */
  async #ask(work: CallWork, { needs, message }: Refusal): Promise<CallOutcome | undefined> {
    if (needs === "later" || this.over) return undefined;
    const verdict = await this.#decision(work, message);
    if (verdict.status === "later" || this.over) return undefined;
    const outcome = await performDecided(work.pending.program.tool, verdict, (decision) => work.perform(decision));
    // The decision is written down: the next process brings it again.
    return outcome.ok || outcome.needs === undefined ? outcome : undefined;
  }

  /** Leaves a call that was begun, and not made, to the next process. */
  async #postpone(work: CallWork, claim: OperationClaim, print: string, reason: string): Promise<void> {
    const { journal, leases, program } = this.#place;
    leases.drop(claim);
    if (!(await journal.release(claim, print))) program.fail(leaseLostError);
    else if (!this.over) this.#wait(work, reason);
  }

  /** Writes the answer down, then sends it to the program: answers are numbered, and sent, in the same order. */
  async #settle(work: CallWork, claim: OperationClaim, outcome: CallOutcome): Promise<void> {
    const { journal, leases, program } = this.#place;
    const { name, args, ms, usage } = work.pending.call;
    this.#clock = Math.max(this.#clock, Date.now());
    this.#delivery++;
    const said = defined({ notes: outcome.notes, usage });
    const common = { delivery: this.#delivery, at: this.#clock, ms, toolMs: program.toolMs, name, args, ...said };
    const answer: CallAnswer = outcome.ok
      ? {
          ...common,
          ok: true,
          json: outcome.json,
          ...(outcome.conversions.length > 0 && { conversions: outcome.conversions }),
        }
      : { ...common, ok: false, type: outcome.type, message: outcome.message, ...defined({ data: outcome.data }) };
    // Before it is written: a claim that was finished can't be renewed, which would count as a lost one.
    leases.drop(claim);
    const writing = journal.finish(claim, answer);
    const before = this.#tail;
    const delivery = (async () => {
      const [written] = await Promise.all([writing, before]);
      if (!written) program.fail(leaseLostError);
      else work.deliver(outcome, answer.at);
    })();
    this.#tail = delivery;
    await delivery;
  }
}
