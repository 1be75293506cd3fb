import type { Decision, JsonObject } from "@toolglot/core";
import { defined, textDigest } from "@toolglot/internal";
import type { AliasRow } from "@toolglot/trp-core/frames";
import { needsKey } from "../catalog-view.ts";
import { mayHaveRun } from "../errors.ts";
import type { OpenKeys } from "../open-keys.ts";
import type { CallResult, TrpClient } from "../types.ts";

/** A call that waits for somebody's decision. */
export interface WaitingCall {
  /** The router's record, when there is one. */
  approvalId: string | undefined;
  capId: string;
  args: Record<string, unknown>;
  key: string | undefined;
  callId: string;
}

/** Who decides about calls that need an approval. */
export interface RouterApprovals {
  /**
   * Brings the host's decision to the router, in the name of somebody who may decide (never the agent's own): approves or
   * denies the record, or signs a token. The call is then made again with the same key. Without this, a call that
   * needs an approval stays `pending`, and the host is not asked.
   */
  decide(waiting: WaitingCall, decision: Decision): Promise<{ approvalToken?: string }> | Promise<void>;
}

/** What the calls of one agent share. */
export interface CallSetting {
  client: TrpClient;
  /** Operations that are not over. */
  open: OpenKeys;
  signal: AbortSignal;
  timeoutMs?: number | undefined;
  traceId?: string | undefined;
}

/** One call of a model, under one key, however often it is sent. */
export class RowCall {
  readonly row: AliasRow;
  readonly args: JsonObject;
  readonly #setting: CallSetting;
  readonly #key: string | undefined;

  private constructor(setting: CallSetting, row: AliasRow, args: JsonObject, key: string | undefined) {
    this.#setting = setting;
    this.row = row;
    this.args = args;
    this.#key = key;
  }

  /**
   * `step`: the same for the same step of the same run, whichever process runs it. `program`: the program that makes the call,
   * which may make the same call several times, and mean it.
   */
  static async make(
    setting: CallSetting,
    row: AliasRow,
    args: JsonObject,
    step: readonly (string | number)[],
    program?: string,
  ): Promise<RowCall> {
    if (!needsKey(row)) return new RowCall(setting, row, args, undefined);
    const own = program === undefined ? "run_" : `run_${(await textDigest(program)).slice(0, 16)}_`;
    const known = setting.open.find(row.cap_id, args);
    const isOther = known !== undefined && !(program !== undefined && known.startsWith(own));
    const key = isOther ? known : `${own}${await textDigest(JSON.stringify(step))}`;
    return new RowCall(setting, row, args, key);
  }

  /** Rejects when there was no answer. */
  async send(token: { approvalToken?: string } = {}): Promise<CallResult> {
    const { client, open, signal, timeoutMs, traceId } = this.#setting;
    const { row, args } = this;
    const { idx, cap_id: capId, schema_digest: schemaDigest } = row;
    const request = { idx, capId, args, schemaDigest, ...defined({ key: this.#key, timeoutMs }), ...token };
    try {
      const outcome = await client.call(request, { signal, ...defined({ traceId }) });
      open.note(args, outcome);
      return outcome;
    } catch (error) {
      if (mayHaveRun(error)) open.noteLost(capId, args, this.#key);
      throw error;
    }
  }

  /** Brings a decision to the router. Undefined when an approval did not get there. What was denied stays undone all the same. */
  async decide(
    outcome: CallResult,
    decision: Decision,
    { decide }: RouterApprovals,
  ): Promise<{ approvalToken?: string } | undefined> {
    const { key, callId, error } = outcome;
    const waiting = { approvalId: error?.retryHint.approval_id, capId: this.row.cap_id, args: this.args, key, callId };
    if (!decision.approved) this.#setting.open.forget(this.row.cap_id, this.args);
    try {
      return (await decide(waiting, decision)) ?? {};
    } catch {
      return decision.approved ? undefined : {};
    }
  }
}
