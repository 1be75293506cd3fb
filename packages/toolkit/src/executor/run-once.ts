import {
  type ExecutorContext,
  type JsonValue,
  type OperationClaim,
  type OperationLog,
  type Plan,
  type ToolErrorInfo,
  type ToolResult,
  toJsonText,
} from "@toolglot/core";
import { pause } from "../call/call-scope.ts";
import { errorTypes } from "../errors.ts";
import { settleUnrun, tellUnrun } from "./unrun.ts";

/** Where a plan's request id is kept. */
export interface Once {
  log: OperationLog;
  scope: string;
  context: ExecutorContext;
}

/** Asked right before each step takes effect: why it must not, or nothing. */
export type Begin = () => Promise<ToolErrorInfo | undefined>;

const leaseMs = 60_000;
const firstLookMs = 20;
const longestLookMs = 1000;

/**
 * Runs a plan with a request id at most once, for as long as the log remembers (24 h). The same id with the same content
 * gives the recorded results, also while the first run is still going on: then it is waited for. With other content every
 * step is an error. A plan of which nothing ran (all denied, or wrong) frees its id, so that it can be sent again,
 * corrected. A run that was cut off by a crash is in doubt, and says so. Nothing runs that the log could not record.
 */
export async function runOnce(
  plan: Plan,
  { log, scope, context }: Once,
  run: (begin: Begin) => Promise<ToolResult[]>,
): Promise<ToolResult[]> {
  const key = { scope, key: plan.requestId as string };
  const fingerprint = await fingerprintOf(plan);
  const owner = context.runId;
  const forEach = (status: ToolResult["status"], type: string, message: string, warnings?: string[]): ToolResult[] =>
    plan.steps.map((step) =>
      settleUnrun(step, context, plan.requestId, {
        status,
        error: { type, message },
        ...(warnings && { metadata: { warnings } }),
      }),
    );
  const shown = JSON.stringify(plan.requestId);
  for (let look = firstLookMs; ; look = Math.min(longestLookMs, look * 2)) {
    let claimed: Awaited<ReturnType<OperationLog["claim"]>>;
    try {
      claimed = await log.claim({ ...key, fingerprint, owner, leaseMs });
    } catch (error) {
      return forEach("error", errorTypes.notRun, unrecorded.message, [`The operation log failed: ${textOf(error)}`]);
    }
    switch (claimed.status) {
      case "claimed":
        return runClaimed(log, claimed.claim, run);
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
          return tellUnrun(step, context, plan.requestId, { ...result, callId: step.callId, metadata });
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
        if (!(await pause(look, context.signal))) {
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
  claim: OperationClaim,
  run: (begin: Begin) => Promise<ToolResult[]>,
): Promise<ToolResult[]> {
  let begun = false;
  let lost = false;
  let heldUntil = performance.now() + leaseMs;
  const renewing = setInterval(() => {
    const asked = performance.now();
    log.renew(claim, leaseMs).then(
      (held) => {
        if (held) heldUntil = asked + leaseMs;
        else lost = true;
      },
      () => {}, // the lease holds a while: the next one may get through
    );
  }, leaseMs / 3);
  try {
    const results = await run(async () => {
      if (lost || performance.now() >= heldUntil) return takenOver;
      if (begun) return undefined;
      try {
        begun = await log.begin(claim);
      } catch {
        return unrecorded;
      }
      return begun ? undefined : takenOver;
    });
    if (!begun) {
      await log.finish(claim, { state: "released" }).catch(() => false);
      return results;
    }
    return await log.finish(claim, { state: "done", outcome: record(results) }).then(
      (kept) => (kept ? results : results.map(doubted)),
      (error: unknown) =>
        results.map((result) => warned(result, `The results could not be recorded: ${textOf(error)}`)),
    );
  } finally {
    clearInterval(renewing);
  }
}

/** Whoever took the request over holds it in doubt: its success is not for this run to report. */
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

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Results as JSON: what the log can keep. */
function record(results: readonly ToolResult[]): JsonValue {
  return JSON.parse(toJsonText(results)) as JsonValue;
}

/** SHA-256 of what the plan does, in hexadecimal. Names in any order are the same plan; call ids and places don't count. */
async function fingerprintOf({ common, steps }: Plan): Promise<string> {
  const content = {
    common: sorted(common),
    steps: steps.map(({ index, tool, params, uris, onError, retry, errors }) => ({
      index,
      tool,
      params: sorted(params),
      uris: sorted(uris),
      onError,
      retry,
      errors: errors.map(({ type, message }) => [type, message]),
    })),
  };
  const text = toJsonText(content);
  // Pages without https have no digests: then the content is its own fingerprint.
  if (!globalThis.crypto?.subtle) return text;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Keys in order at every depth; bytes as their numbers. Objects are told apart from arrays of pairs. */
function sorted(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Array.from(value) };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return { entries: entries.map(([key, inner]) => [key, sorted(inner)]) };
}
