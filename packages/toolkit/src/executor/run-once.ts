import {
  createRecord,
  type ExecutorContext,
  type JsonValue,
  type OperationClaim,
  type OperationLog,
  type OperationRecord,
  type Plan,
  type PlanStep,
  type ToolErrorInfo,
  type ToolResult,
  toJsonText,
} from "@toolglot/core";
import { settledResult } from "@toolglot/core/executing";
import { canonicalJson, clockSince, errorText, keepLease, sleep, textDigest, toHex } from "@toolglot/internal";
import { errorTypes } from "../errors.ts";
import { reportUnrun, settleUnrun } from "./unrun.ts";

/** Place where a plan's request id is kept. */
export interface Once {
  log: OperationLog;
  scope: string;
  context: ExecutorContext;
}

/** Called right before each step takes effect. Resolves with the reason why the step must not run, if there is one. */
export type Begin = () => Promise<ToolErrorInfo | undefined>;

/** Outcome of a plan. `waits`: a step of it waits for a decision, after which the plan is run again. */
export interface PlanRun {
  results: ToolResult[];
  waits: boolean;
}

const leaseMs = 60_000;
const firstPollMs = 20;
const maxPollMs = 1000;

/**
 * Runs a plan with a request id at most once, for as long as the log remembers it (24 h). A second plan with the same
 * id and the same content gets the recorded results; while the first run continues, it waits for them. With other
 * content every step is an error. When nothing of a plan ran (all steps denied or wrong), its id is free for a
 * corrected plan. When a crash interrupted a run, its results say that the outcome is unknown. A step that the log
 * can't record does not run.
 */
export async function runOnce(
  plan: Plan,
  { log, scope, context }: Once,
  run: (begin: Begin) => Promise<PlanRun>,
): Promise<ToolResult[]> {
  const key = { scope, key: plan.requestId as string };
  const fingerprint = await fingerprintOf(plan);
  const owner = context.runId;
  const forEach = (
    status: ToolResult["status"],
    type: string,
    message: string,
    warnings?: string[],
  ): Promise<ToolResult[]> => {
    const settled = { status, error: { type, message }, ...(warnings && { metadata: { warnings } }) };
    const known = ({ callId: id, tool: name, params: input }: PlanStep) =>
      settledResult(context, { id, name, input, protocol: "tam" });
    return Promise.all(
      plan.steps.map(async (step) => (await known(step)) ?? settleUnrun(step, context, plan.requestId, settled)),
    );
  };
  const shown = JSON.stringify(plan.requestId);
  for (let pollMs = firstPollMs; ; pollMs = Math.min(maxPollMs, pollMs * 2)) {
    const asked = performance.now();
    let claimed: Awaited<ReturnType<OperationLog["claim"]>>;
    try {
      claimed = await log.claim({ ...key, fingerprint, owner, leaseMs });
    } catch (error) {
      return forEach("error", errorTypes.notRun, unrecorded.message, [`The operation log failed: ${errorText(error)}`]);
    }
    switch (claimed.status) {
      case "claimed":
        return runClaimed(log, claimed, asked, run);
      case "replay": {
        const recorded = claimed.record.outcome as unknown as ToolResult[] | undefined;
        if (!Array.isArray(recorded) || recorded.length !== plan.steps.length) {
          return forEach(
            "in-doubt",
            errorTypes.inDoubt,
            `It is not known how ${shown} ended: its record can't be read.`,
          );
        }
        return plan.steps.map((step, index) => {
          const result = recorded[index] as ToolResult;
          const metadata = { ...result.metadata, replayed: true };
          return reportUnrun(step, context, plan.requestId, { ...result, callId: step.callId, metadata });
        });
      }
      case "conflict": {
        const message = `The request_id ${shown} was used for another plan. Use a new one.`;
        return forEach("error", errorTypes.requestIdConflict, message);
      }
      case "in-doubt": {
        const message = `It is not known which steps of ${shown} took effect. Find out before you send it again, under a new request_id.`;
        return forEach("in-doubt", errorTypes.inDoubt, message);
      }
      case "expired": {
        const message = `The results of ${shown} are no longer known; its steps were not run again. Use a new request_id.`;
        return forEach("error", errorTypes.requestIdConflict, message);
      }
      case "busy":
        if (!(await sleep(pollMs, context.signal))) {
          const message = "The same request is still running; its results were not waited for.";
          return forEach("interrupted", errorTypes.interrupted, message);
        }
    }
  }
}

const takenOver: ToolErrorInfo = {
  type: errorTypes.notRun,
  message: "The call was not run: another process has taken the request over.",
};
const unrecorded: ToolErrorInfo = {
  type: errorTypes.notRun,
  message: "The call was not run: the request could not be recorded, so it might have run twice.",
};

async function runClaimed(
  log: OperationLog,
  { claim, record }: { claim: OperationClaim; record: OperationRecord },
  asked: number,
  run: (begin: Begin) => Promise<PlanRun>,
): Promise<ToolResult[]> {
  let begun = false;
  const { claimedAt, leaseUntil } = record;
  const lease = keepLease(log, claim, { leaseMs, leaseUntil, now: clockSince(claimedAt, asked) });
  try {
    const { results, waits } = await run(async () => {
      if (!(await lease.hold())) return takenOver;
      if (begun) return undefined;
      try {
        begun = await log.begin(claim);
      } catch {
        return unrecorded;
      }
      return begun ? undefined : takenOver;
    });
    // Of a plan that waits, whoever runs it again has the results of the steps that ran.
    if (!begun || waits) {
      await log.finish(claim, { state: "released" }).catch(() => false);
      return results;
    }
    return await log.finish(claim, { state: "done", outcome: toJson(results) }).then(
      (kept) => (kept ? results : results.map(doubted)),
      (error: unknown) =>
        results.map((result) => warned(result, `The results could not be recorded: ${errorText(error)}`)),
    );
  } finally {
    lease.stop();
  }
}

/** Returns a result marked as in doubt: another process took the request over, so this run must not report success. */
function doubted(result: ToolResult): ToolResult {
  if (result.status !== "ok" && result.status !== "pending") return result;
  const { data: _, ...rest } = result;
  const message = "The step ran, but another process has taken the request over: find out what took effect.";
  const content = [{ type: "text" as const, text: `Error: ${message}` }];
  return { ...rest, status: "in-doubt", content, error: { type: errorTypes.inDoubt, message } };
}

function warned(result: ToolResult, warning: string): ToolResult {
  const before = Array.isArray(result.metadata?.warnings) ? (result.metadata.warnings as unknown[]) : [];
  return { ...result, metadata: { ...result.metadata, warnings: [...before, warning] } };
}

/** Results as JSON: what the log can keep. */
function toJson(results: readonly ToolResult[]): JsonValue {
  return JSON.parse(toJsonText(results)) as JsonValue;
}

/** Resolves with a digest of what the plan does. Names in any order are the same plan; call ids and spans don't count. */
function fingerprintOf({ common, steps }: Plan): Promise<string> {
  const content = {
    common: bytesApart(common),
    steps: steps.map(({ index, tool, params, uris, onError, retry, errors }) => ({
      index,
      tool,
      params: bytesApart(params),
      uris,
      onError,
      retry,
      errors: errors.map(({ type, message }) => [type, message]),
    })),
  };
  try {
    return textDigest(canonicalJson(content));
  } catch {
    // Nested too deeply for that. No tool takes such a value, but its plan must end in results like any other.
    return textDigest(toJsonText(content));
  }
}

/** Values in two groups, because bytes have no form in JSON that could not be that of another value. */
function bytesApart(values: Readonly<Record<string, unknown>>): unknown {
  const json = createRecord<unknown>();
  const bytes = createRecord<unknown>();
  for (const [name, value] of Object.entries(values)) {
    if (value instanceof Uint8Array) bytes[name] = toHex(value);
    else json[name] = value;
  }
  return { json, bytes };
}
