import { addUsage, defined, isObject } from "@toolglot/internal";
import type { CallWork, DurableProgram } from "../run/durability.ts";
import { readConversions } from "../run/guest-events.ts";
import { journalError, otherCall } from "./errors.ts";
import { callFingerprint } from "./fingerprint.ts";
import type { CallAnswer, KeptCall, KeptCalls } from "./records.ts";
import { ReplayOrder } from "./replay-order.ts";

/** Replay of a program's calls: each gets its answer from a journal, in the order of the first run. */
export abstract class ReplayedCalls {
  readonly #kept: KeptCalls;
  readonly #program: DurableProgram;
  protected readonly replay: ReplayOrder;
  /** The run has ended: nothing is begun any more. */
  protected over = false;
  /** The last call that the journal has. */
  #keptUntil = -1;
  #admission: Promise<void> = Promise.resolve();

  constructor(kept: KeptCalls, program: DurableProgram) {
    this.#kept = kept;
    this.#program = program;
    this.replay = new ReplayOrder(kept);
    for (const index of kept.keys()) this.#keptUntil = Math.max(this.#keptUntil, index);
  }

  get replayed(): boolean {
    return this.replay.done;
  }

  /** Resolves when every call that was made has been compared with the journal. */
  async admitted(): Promise<void> {
    for (let seen: Promise<void> | undefined; seen !== this.#admission; ) {
      seen = this.#admission;
      await seen;
    }
  }

  /** A call of the journal that the program, as far as it has come, did not make. */
  get missing(): KeptCall | undefined {
    const { next } = this.replay;
    if (next !== undefined && next.index >= this.#program.made) return next;
    return this.#keptUntil < this.#program.made ? undefined : this.#kept.get(this.#keptUntil);
  }

  /** Stops: nothing is begun any more. Resolves when no tool is at work. */
  async stop(): Promise<void> {
    this.over = true;
  }

  /** Carries a call out, or takes its outcome from the journal, and delivers that in order. */
  carryOut(work: CallWork): void {
    this.#admission = this.#admission.then(() => this.#admit(work)).catch((error) => this.failed(error));
  }

  async #admit(work: CallWork): Promise<void> {
    const { index, call } = work.pending;
    const print = await callFingerprint(call.name, call.args);
    if (this.over) return;
    const kept = this.#kept.get(index);
    if (kept !== undefined && kept.fingerprint !== print) {
      this.#program.fail(otherCall(kept, call.name, call.args));
    } else if (kept?.answer) {
      const { answer } = kept;
      this.replay.made(index, () => repeat(work, answer));
    } else {
      this.begin(work, print, kept).catch((error) => this.failed(error));
    }
  }

  /** A call without an answer in the journal. */
  protected abstract begin(work: CallWork, print: string, kept: KeptCall | undefined): Promise<void>;

  protected failed(error: unknown): void {
    this.#program.fail(journalError(error));
  }
}

function repeat({ pending, deliver }: CallWork, answer: CallAnswer): void {
  pending.call.ms = answer.ms;
  if (isObject(answer.usage)) {
    pending.call.usage = {};
    addUsage(pending.call.usage, answer.usage);
  }
  const notes = Array.isArray(answer.notes) ? answer.notes.map(String) : undefined;
  if (answer.ok) {
    const { json, conversions } = answer;
    const value = { value: JSON.parse(json), json, conversions: readConversions(conversions) };
    deliver({ ok: true, ...value, ...defined({ notes }) }, answer.at);
  } else {
    const { type, message, data } = answer;
    deliver({ ok: false, isCertain: true, ...defined({ type, message, data, notes }) }, answer.at);
  }
}
