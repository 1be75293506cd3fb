import { type OperationClaim, ToolglotError } from "@toolglot/core";
import type { Storage } from "@toolglot/core/storage";
import { Journal } from "./journal.ts";
import { type CallAnswer, highest, type KeptCall } from "./records.ts";
import { resolveSettings } from "./settings.ts";

/** Finding of somebody: what the call returned, how it failed, or that it did not happen and may be made. */
export type CallSettlement = { value: unknown } | { error: string } | "released";

/**
 * Settles a call that is in doubt, so that its run can be resumed. `call`: its id (`<id>:3`) or its number, from 1. The
 * value is JSON data; an error reaches the program word for word, as `ToolError`.
 *
 * Throws `TypeError` for a call that is none or a value that is no JSON; a `ToolglotError` when there is nothing to settle:
 * `sandbox/call-unknown` (the journal has no such call), `sandbox/call-live` (it may still be running; `data.until` is the end of its
 * lease), `sandbox/call-settled` (it has an outcome, or was not begun), and `sandbox/journal-unreadable`.
 *
 * @example
 * ```ts
 * await settleCall(storage, "report-7", 3, { value: { sent: true } });
 * await settleCall(storage, "report-7", 4, "released"); // it did not happen, and may be made
 * ```
 */
export async function settleCall(
  storage: Pick<Storage, "operations">,
  id: string,
  call: string | number,
  settlement: CallSettlement,
): Promise<void> {
  const index = indexOf(call);
  const json = textOf(settlement);
  const journal = new Journal(resolveSettings({ storage, id }));
  await journal.readHeader();
  const calls = await journal.readCalls();
  const kept = calls.get(index);
  const claim = await claimDoubtful(journal, kept, call);
  const common = {
    delivery: highest(calls, "delivery", 0) + 1,
    at: highest(calls, "at", Date.now()),
    ms: 0,
    toolMs: highest(calls, "toolMs", 0),
    name: kept?.name ?? "",
    args: kept?.args ?? {},
  };
  const answer: CallAnswer | "released" =
    settlement === "released"
      ? settlement
      : "error" in settlement && json === ""
        ? { ...common, ok: false, type: "ToolError", message: settlement.error }
        : { ...common, ok: true, json };
  if (!(await journal.settle(claim, kept?.fingerprint ?? "", answer))) throw settledError(call);
}

/** Resolves with a claim that may write the outcome. Nobody else's can from then on. */
async function claimDoubtful(
  journal: Journal,
  kept: KeptCall | undefined,
  call: string | number,
): Promise<OperationClaim> {
  if (kept === undefined) {
    throw callError("unknown", call, "is not in the journal.");
  }
  if (kept.answer || !(kept.started || kept.inDoubt)) throw settledError(call);
  const result = await journal.claimCall(kept.index, kept.fingerprint, false);
  if (result.status === "busy") {
    const { leaseUntil } = result.record;
    const what = `may still be going on, until ${new Date(leaseUntil).toISOString()} at least.`;
    throw callError("live", call, what, { until: leaseUntil });
  }
  // Somebody else has released it in between.
  if (result.status === "claimed") await journal.giveUp(result.claim);
  if (result.status !== "in-doubt") throw settledError(call);
  const { scope, key, fence } = result.record;
  return { scope, key, fence };
}

function settledError(call: string | number): ToolglotError {
  return callError("settled", call, "is not in doubt.");
}

function callError(code: string, call: string | number, what: string, data?: { until: number }): ToolglotError {
  return new ToolglotError(`sandbox/call-${code}`, `The call ${call} ${what}`, { data: { call, ...data } });
}

function indexOf(call: string | number): number {
  const number = typeof call === "number" ? call : Number(/:(\d+)$/.exec(String(call))?.[1]);
  if (!Number.isInteger(number) || number < 1) {
    throw new TypeError(`call must be a call id, as "run:3", or its number, from 1; not ${JSON.stringify(call)}.`);
  }
  return number - 1;
}

/** Returns the value as JSON, which is never empty; empty for an error and a release. */
function textOf(given: CallSettlement): string {
  const { value, error } = Object(given) as { value?: unknown; error?: unknown };
  const isNone = given === "released" || (value === undefined && typeof error === "string");
  const json = isNone ? "" : error === undefined ? JSON.stringify(value) : undefined;
  if (json !== undefined) return json;
  throw new TypeError('settleCall() takes { value } with JSON data, { error } with text, or "released".');
}
