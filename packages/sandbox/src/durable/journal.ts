import type {
  ClaimResult,
  JsonValue,
  OperationClaim,
  OperationEnd,
  OperationKey,
  OperationRecord,
} from "@toolglot/core";
import { randomHex, toBase64 } from "@toolglot/internal";
import { unreadableError } from "./errors.ts";
import { readAnswer, readAsked, readDecision, readHeader, readOutcome } from "./read-records.ts";
import type { CallAnswer, KeptCall, KeptCalls, KeptDecision, RunHeader, RunOutcome } from "./records.ts";
import type { DurableSettings } from "./settings.ts";

/** The log's answer to a claim. `asked`: the moment of `performance.now()` before. */
export type JournalClaim = ClaimResult & { asked: number };

/** An operation that this process may carry out. */
export type Claimed = Extract<JournalClaim, { status: "claimed" }>;

/** Keys read at once. Calls are claimed in their order, so that a whole batch without any is the end. */
const batchSize = 32;

/**
 * One run in an operation log. Methods reject with what the log rejects with, and with a `ToolglotError`
 * (`sandbox/journal-unreadable`) for an entry that this version did not write.
 */
export class Journal {
  readonly settings: DurableSettings;
  readonly #owner = randomHex(32);
  /** How long outcomes are remembered: as long as the run began with, so that none is forgotten before its time. */
  keepMs: number;

  constructor(settings: DurableSettings) {
    this.settings = settings;
    this.keepMs = settings.keepMs;
  }

  claimRun(fingerprint: string): Promise<JournalClaim> {
    return this.claim("run", fingerprint, "reclaim");
  }

  /** `again`: whether a call that was under way may be made again. */
  claimCall(index: number, fingerprint: string, again: boolean): Promise<JournalClaim> {
    return this.claim(`call:${index + 1}`, fingerprint, again ? "reclaim" : "doubt");
  }

  begin(claim: OperationClaim, data: RunHeader | { name: string; args: Record<string, unknown> }): Promise<boolean> {
    return this.settings.log.begin(claim, toJson(data));
  }

  finish(claim: OperationClaim, outcome: RunOutcome | CallAnswer | KeptDecision): Promise<boolean> {
    return this.settings.log.finish(claim, endOf(outcome));
  }

  /** Releases a call that is known not to have been made. It stays in the journal, as one that was not begun. */
  async release(claim: OperationClaim, fingerprint: string): Promise<boolean> {
    if (!(await this.settings.log.finish(claim, { state: "released" }))) return false;
    return this.#keepReleased(claim, fingerprint);
  }

  /** Writes down what somebody found out about a call in doubt: its answer, or that it was not made. */
  async settle(call: OperationClaim, fingerprint: string, answer: CallAnswer | "released"): Promise<boolean> {
    const end = answer === "released" ? { state: answer } : endOf(answer);
    if (!(await this.settings.log.settle(call, end, "settleCall"))) return false;
    return answer === "released" ? this.#keepReleased(call, fingerprint) : true;
  }

  async #keepReleased({ key }: OperationClaim, fingerprint: string): Promise<true> {
    await this.claim(key, fingerprint, "reclaim", 1);
    return true;
  }

  /** Ends a lease at once. Never rejects: what can't be written ends by itself. */
  async giveUp(claim: OperationClaim): Promise<void> {
    try {
      await this.settings.log.renew(claim, 1);
    } catch {
      // Said so above.
    }
  }

  /** Writes down what somebody decided. That it is written is a convenience: a decision that is lost is asked for again. */
  async decide(index: number, fingerprint: string, decision: KeptDecision): Promise<void> {
    const result = await this.claim(`approval:${index + 1}`, fingerprint, "reclaim");
    if (result.status === "claimed") await this.finish(result.claim, decision);
  }

  /** Resolves with what was decided about this very call. */
  async readDecision(index: number, fingerprint: string): Promise<KeptDecision | undefined> {
    const record = await this.settings.log.read(this.keyOf(`approval:${index + 1}`));
    return record?.fingerprint === fingerprint ? readDecision(record.outcome) : undefined;
  }

  /** Resolves with the header of the run; undefined when it was not begun. From here on its `keepMs` counts. */
  async readHeader(): Promise<RunHeader | undefined> {
    return (await this.readRun())?.header;
  }

  /** Undefined when it was not even claimed. */
  async readRun(): Promise<{ header: RunHeader | undefined; outcome: RunOutcome | undefined } | undefined> {
    const record = await this.settings.log.read(this.keyOf("run"));
    if (record === undefined) return undefined;
    return {
      header: this.headerOf(record),
      outcome: record.outcome === undefined ? undefined : this.outcomeOf(record),
    };
  }

  /** As {@link Journal.readHeader}, from the record of a claim. */
  headerOf({ data }: OperationRecord): RunHeader | undefined {
    if (data === undefined) return undefined;
    const header = readHeader(data) ?? this.unreadable("run");
    this.keepMs = header.keepMs ?? this.keepMs;
    return header;
  }

  /** Reads the outcome from the record of a run that has ended. */
  outcomeOf({ outcome }: OperationRecord): RunOutcome {
    return readOutcome(outcome) ?? this.unreadable("run");
  }

  async readCalls(): Promise<KeptCalls> {
    const calls = new Map<number, KeptCall>();
    for (let from = 0; ; from += batchSize) {
      const found = await Promise.all(Array.from({ length: batchSize }, (_, index) => this.#readCall(from + index)));
      for (const call of found) if (call) calls.set(call.index, call);
      if (found.every((call) => call === undefined)) return calls;
    }
  }

  async #readCall(index: number): Promise<KeptCall | undefined> {
    const key = `call:${index + 1}`;
    const record = await this.settings.log.read(this.keyOf(key));
    if (record === undefined) return undefined;
    const { fingerprint, state, startedAt, leaseUntil, data, outcome } = record;
    const answer = outcome === undefined ? undefined : (readAnswer(outcome) ?? this.unreadable(key));
    const asked = data === undefined ? answer : (readAsked(data) ?? this.unreadable(key));
    const call: KeptCall = {
      ...{ index, fingerprint, leaseUntil, inDoubt: state === "in-doubt", started: startedAt !== undefined },
      ...(asked === undefined ? {} : { name: asked.name, args: asked.args }),
    };
    return answer === undefined ? call : { ...call, answer };
  }

  protected async claim(
    key: string,
    fingerprint: string,
    abandoned: "doubt" | "reclaim",
    leaseMs: number = this.settings.leaseMs,
  ): Promise<JournalClaim> {
    // What is forgotten stays known as long again: a run that comes back too late must not begin anew.
    const kept = { ttlMs: this.keepMs, keepMs: this.keepMs };
    const claim = { ...this.keyOf(key), fingerprint, owner: this.#owner, leaseMs, abandoned, ...kept };
    const asked = performance.now();
    return { ...(await this.settings.log.claim(claim)), asked };
  }

  protected unreadable(key: string): never {
    throw unreadableError(this.settings.id, key);
  }

  protected keyOf(key: string): OperationKey {
    return { scope: `sandbox:${this.settings.id}`, key };
  }
}

function endOf(outcome: RunOutcome | CallAnswer | KeptDecision): OperationEnd {
  return { state: "ok" in outcome && !outcome.ok ? "failed" : "done", outcome: toJson(outcome) };
}

/** Returns an object as JSON. All of it is made of JSON, but the contents of files: arguments and values came as such. */
export function toJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value, (_, one) => (one instanceof Uint8Array ? toBase64(one) : one))) as JsonValue;
}
