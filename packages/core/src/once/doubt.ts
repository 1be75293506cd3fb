import { checkKeys, isJson, isObject } from "@toolglot/internal";
import type { JsonValue } from "../json.ts";
import type { OperationKey, OperationLog, OperationRecord } from "../operation-log.ts";
import { OnceError } from "./error.ts";
import { holdOperation } from "./hold-operation.ts";
import type { OncePlan, ProbeAnswer } from "./options.ts";

/**
 * Settles whether an operation in doubt happened: a person's word, or a program's. The next call with its key then gets the value, or
 * does it. `by` names who, for people; it is kept with the record. With a `fence` (that of the error's record), the word is about that
 * attempt alone.
 *
 * Resolves to `false` when nothing of that key is in doubt; of two words the first counts. Rejects with `TypeError` for a mistake in the
 * arguments, and as the log does.
 *
 * @example
 * ```ts
 * const settled = await settleOnce(log, { scope: "shop/refund", key }, { happened: false }, "ann@shop");
 * ```
 */
export async function settleOnce(
  log: OperationLog,
  operation: OperationKey & { fence?: number },
  outcome: ProbeAnswer,
  by: string,
): Promise<boolean> {
  checkKeys("settleOnce", operation, "scope:text key:text fence:number", ["scope", "key"]);
  if (!isAnswer(outcome))
    throw new TypeError("settleOnce takes { happened: true, value } with JSON, or { happened: false }.");
  if (typeof by !== "string" || by === "") throw new TypeError("settleOnce: by must say who knows.");
  const { scope, key } = operation;
  const record = await log.read(operation);
  if (record?.startedAt !== undefined && (record.state === "started" || record.state === "claimed")) {
    // A process that died has put it in doubt, but nobody has asked for it since.
    const { fingerprint } = record;
    const found = await log.claim({ scope, key, fingerprint, owner: by, leaseMs: 1, abandoned: "doubt" });
    if (found.status === "claimed") await log.finish(found.claim, { state: "released" });
    // The claim has a fence of its own: the attempt is still the one that was meant.
    if (found.status !== "in-doubt" || record.fence !== (operation.fence ?? record.fence)) return false;
    return await log.settle(found.record, endOf(outcome), by);
  }
  return await log.settle(operation, endOf(outcome), by);
}

/** Asks a probe about a doubt, one caller at a time, and keeps its word. Undefined when it does not know, or there is none. */
export async function askProbe(
  log: OperationLog,
  plan: OncePlan,
  { scope, key, fence }: OperationRecord,
): Promise<ProbeAnswer | { happened?: undefined } | undefined> {
  const { probe, request } = plan;
  if (probe === undefined) return undefined;
  const turn = { ...request, scope: `once-probe:${scope}`, fingerprint: "", ttlMs: request.leaseMs, keepMs: 0 };
  const held = await holdOperation(log, { ...turn, abandoned: "reclaim" }, plan);
  if (!("claim" in held)) {
    plan.signal?.throwIfAborted();
    throw new OnceError("once/busy", `Another caller asks whether ${JSON.stringify(key)} happened.`, { scope, key });
  }
  try {
    const now = await log.read({ scope, key });
    if (now?.state !== "in-doubt" || now.fence !== fence) return {};
    const { data } = now;
    const asked = { key, signal: held.signal, ...(data !== undefined && { data }) };
    const answer = await Promise.resolve(asked)
      .then(probe)
      .catch(() => undefined);
    if (!isAnswer(answer)) return undefined;
    return (await log.settle(now, endOf(answer), "probe")) ? answer : {};
  } finally {
    await held.end({ state: "released" }).catch(() => false);
  }
}

function endOf(answer: ProbeAnswer): Parameters<OperationLog["settle"]>[1] {
  if (!answer.happened) return { state: "released" };
  const { value } = answer;
  return { state: "done", outcome: value === undefined ? {} : { value } };
}

function isAnswer(given: unknown): given is ProbeAnswer {
  if (!isObject(given)) return false;
  const { happened, value } = given as { happened?: unknown; value?: JsonValue };
  return happened === false || (happened === true && (value === undefined || isJson(value)));
}
