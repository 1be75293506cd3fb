import type { ClaimResult, JsonValue, OperationClaim, OperationKey, OperationRecord } from "@toolglot/core";
import { randomText } from "../random-text.ts";
import type { CallAnswer, KeptCall, KeptCalls, KeptDecision, RunHeader, RunOutcome } from "./records.ts";
import type { DurableSettings } from "./settings.ts";

/** Keys read at once. Calls are claimed in their order, so that a whole batch without any is the end. */
const BATCH = 32;

/** One run in an operation log. Methods reject with what the log rejects with. */
export class Journal {
  readonly settings: DurableSettings;
  readonly #owner = randomText();

  constructor(settings: DurableSettings) {
    this.settings = settings;
  }

  claimRun(fingerprint: string): Promise<ClaimResult> {
    return this.#claim("run", fingerprint, "reclaim");
  }

  /** `again`: whether a call that was under way may be made again. */
  claimCall(index: number, fingerprint: string, again: boolean): Promise<ClaimResult> {
    return this.#claim(`call:${index + 1}`, fingerprint, again ? "reclaim" : "doubt");
  }

  begin(claim: OperationClaim, data: RunHeader | { name: string; args: Record<string, unknown> }): Promise<boolean> {
    return this.settings.log.begin(claim, toJson(data));
  }

  finish(claim: OperationClaim, outcome: RunOutcome | CallAnswer | KeptDecision): Promise<boolean> {
    const state = "ok" in outcome && !outcome.ok ? "failed" : "done";
    return this.settings.log.finish(claim, { state, outcome: toJson(outcome) });
  }

  /** For a call that is known not to have been made. */
  release(claim: OperationClaim): Promise<boolean> {
    return this.settings.log.finish(claim, { state: "released" });
  }

  /** Writes down what somebody decided. That it is written is a convenience: a decision that is lost is asked for again. */
  async decide(index: number, fingerprint: string, decision: KeptDecision): Promise<void> {
    const result = await this.#claim(`approval:${index + 1}`, fingerprint, "reclaim");
    if (result.status === "claimed") await this.finish(result.claim, decision);
  }

  /** What was decided about this very call. */
  async readDecision(index: number, fingerprint: string): Promise<KeptDecision | undefined> {
    const record = await this.settings.log.read(this.#key(`approval:${index + 1}`));
    return record?.fingerprint === fingerprint ? (record.outcome as KeptDecision | undefined) : undefined;
  }

  readRun(): Promise<OperationRecord | undefined> {
    return this.settings.log.read(this.#key("run"));
  }

  readCallRecord(index: number): Promise<OperationRecord | undefined> {
    return this.settings.log.read(this.#key(`call:${index + 1}`));
  }

  async readCalls(): Promise<KeptCalls> {
    const calls = new Map<number, KeptCall>();
    for (let from = 0; ; from += BATCH) {
      const found = await Promise.all(Array.from({ length: BATCH }, (_, index) => this.#readCall(from + index)));
      for (const call of found) if (call) calls.set(call.index, call);
      if (found.every((call) => call === undefined)) return calls;
    }
  }

  async #readCall(index: number): Promise<KeptCall | undefined> {
    const record = await this.readCallRecord(index);
    if (record === undefined) return undefined;
    const { fingerprint, state, startedAt, leaseUntil, data, outcome } = record;
    const answer = outcome as CallAnswer | undefined;
    const asked = (data ?? answer) as { name: string; args: Record<string, unknown> } | undefined;
    const call: KeptCall = {
      ...{ index, fingerprint, leaseUntil, inDoubt: state === "in-doubt", started: startedAt !== undefined },
      ...(asked === undefined ? {} : { name: asked.name, args: asked.args }),
    };
    return answer === undefined ? call : { ...call, answer };
  }

  #claim(key: string, fingerprint: string, abandoned: "doubt" | "reclaim"): Promise<ClaimResult> {
    const { log, leaseMs, keepMs } = this.settings;
    // What is forgotten stays known as long again: a run that comes back too late must not begin anew.
    const kept = { ttlMs: keepMs, keepMs };
    return log.claim({ ...this.#key(key), fingerprint, owner: this.#owner, leaseMs, abandoned, ...kept });
  }

  #key(key: string): OperationKey {
    return { scope: `sandbox:${this.settings.id}`, key };
  }
}

/** All of it is made of JSON: arguments and values came as such. */
function toJson(value: object): JsonValue {
  return JSON.parse(JSON.stringify(value)) as JsonValue;
}
