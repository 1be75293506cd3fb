import {
  createRecord,
  type ExecutorContext,
  type JsonValue,
  type OperationLog,
  type Plan,
  type PlanStep,
  type ToolErrorInfo,
  type ToolResult,
  toJsonText,
} from "@toolglot/core";
import { type HeldOperation, holdOperation, settledResult } from "@toolglot/core/executing";
import { canonicalJson, errorText, textDigest, toHex } from "@toolglot/internal";
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
  let found: Awaited<ReturnType<typeof holdOperation>>;
  try {
    found = await holdOperation(log, { ...key, fingerprint, owner, leaseMs }, { signal: context.signal });
  } catch (error) {
    return forEach("error", errorTypes.notRun, unrecorded.message, [`The operation log failed: ${errorText(error)}`]);
  }
  if ("claim" in found) return runClaimed(found, run);
  switch (found.status) {
    case "replay": {
      const recorded = found.record.outcome as unknown as ToolResult[] | undefined;
      if (!Array.isArray(recorded) || recorded.length !== plan.steps.length) {
        return forEach("in-doubt", errorTypes.inDoubt, `It is not known how ${shown} ended: its record can't be read.`);
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
    case "busy": {
      const message = "The same request is still running; its results were not waited for.";
      return forEach("interrupted", errorTypes.interrupted, message);
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

async function runClaimed(held: HeldOperation, run: (begin: Begin) => Promise<PlanRun>): Promise<ToolResult[]> {
  let begun = false;
  try {
    const { results, waits } = await run(async () => {
      if (!(await held.hold())) return takenOver;
      if (begun) return undefined;
      try {
        begun = await held.begin();
      } catch {
        return unrecorded;
      }
      return begun ? undefined : takenOver;
    });
    // Of a plan that waits, whoever runs it again has the results of the steps that ran.
    if (!begun || waits) {
      await held.end({ state: "released" }).catch(() => false);
      return results;
    }
    return await held.end({ state: "done", outcome: toJson(results) }).then(
      (kept) => (kept ? results : results.map(doubted)),
      (error: unknown) =>
        results.map((result) => warned(result, `The results could not be recorded: ${errorText(error)}`)),
    );
  } finally {
    void held.stop();
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
