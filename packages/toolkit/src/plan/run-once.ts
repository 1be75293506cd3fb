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
import { stopped, untilAborted } from "../call-scope.ts";
import { errorTypes } from "../errors.ts";

/** Where a plan's request id is kept. */
export interface Once {
  log: OperationLog;
  scope: string;
  context: ExecutorContext;
}

const leaseMs = 60_000;
const firstLookMs = 20;
const longestLookMs = 1000;

/**
 * Runs a plan with a request id at most once, for as long as the log remembers (24 h). The same id with the same content
 * gives the recorded results, also while the first run is still going on: then it is waited for. With other content every
 * step is an error. A plan of which nothing ran (all denied, or wrong) frees its id, so that it can be sent again,
 * corrected. A run that was cut off by a crash is in doubt, and says so.
 */
export async function runOnce(
  plan: Plan,
  { log, scope, context }: Once,
  run: (begin: () => Promise<boolean>) => Promise<ToolResult[]>,
): Promise<ToolResult[]> {
  const key = { scope, key: plan.requestId as string };
  const fingerprint = await fingerprintOf(plan);
  const owner = context.runId;
  for (let look = firstLookMs; ; look = Math.min(longestLookMs, look * 2)) {
    const claimed = await log.claim({ ...key, fingerprint, owner, leaseMs });
    switch (claimed.status) {
      case "claimed":
        return runClaimed(log, claimed.claim, run);
      case "replay":
        return replay(plan, claimed.record.outcome);
      case "conflict":
        return forEach(plan, "error", {
          type: errorTypes.requestIdConflict,
          message: `The request_id ${JSON.stringify(plan.requestId)} was used for another plan. Use a new one.`,
        });
      case "in-doubt":
        return forEach(plan, "in-doubt", {
          type: errorTypes.inDoubt,
          message: `It is not known which steps of ${JSON.stringify(plan.requestId)} took effect. Find out before you send it again, under a new request_id.`,
        });
      default: {
        const waited = new Promise<void>((resolve) => setTimeout(resolve, look));
        if ((await untilAborted(waited, context.signal)) === stopped || context.signal.aborted) {
          const message = "The same request is still running; its results were not waited for.";
          return forEach(plan, "interrupted", { type: errorTypes.interrupted, message });
        }
      }
    }
  }
}

async function runClaimed(
  log: OperationLog,
  claim: OperationClaim,
  run: (begin: () => Promise<boolean>) => Promise<ToolResult[]>,
): Promise<ToolResult[]> {
  let begun: Promise<boolean> | undefined;
  const renewing = setInterval(() => void log.renew(claim, leaseMs).catch(() => false), leaseMs / 3);
  try {
    const results = await run(() => {
      begun ??= log.begin(claim);
      return begun;
    });
    const ran = begun !== undefined && (await begun);
    await log.finish(claim, ran ? { state: "done", outcome: record(results) } : { state: "released" });
    return results;
  } finally {
    clearInterval(renewing);
  }
}

/** Results as JSON: what the log can keep. */
function record(results: readonly ToolResult[]): JsonValue {
  return JSON.parse(toJsonText(results)) as JsonValue;
}

/** The recorded results, under the call ids of this plan. */
function replay(plan: Plan, outcome: JsonValue | undefined): ToolResult[] {
  const recorded = outcome as unknown as ToolResult[];
  return plan.steps.map(({ callId }, index) => {
    const result = recorded[index] as ToolResult;
    return { ...result, callId, metadata: { ...result.metadata, replayed: true } };
  });
}

function forEach(plan: Plan, status: "error" | "in-doubt" | "interrupted", error: ToolErrorInfo): ToolResult[] {
  const content = [{ type: "text" as const, text: `Error: ${error.message}` }];
  return plan.steps.map(({ callId, tool, index }) => ({
    callId,
    name: tool,
    status,
    content,
    error,
    metadata: { step: index, requestId: plan.requestId },
  }));
}

/** SHA-256 of what the plan does, in hexadecimal. Names in any order are the same plan; call ids and places don't count. */
async function fingerprintOf({ common, steps }: Plan): Promise<string> {
  const content = {
    common: sorted(common),
    steps: steps.map(({ index, tool, params, uris, onError, retry }) => ({
      index,
      tool,
      params: sorted(params),
      uris: sorted(uris),
      onError,
      retry,
    })),
  };
  const text = toJsonText(content);
  // Pages without https have no digests: then the content is its own fingerprint.
  if (!globalThis.crypto?.subtle) return text;
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Keys in order at every depth; bytes as their numbers. */
function sorted(value: unknown): unknown {
  if (value instanceof Uint8Array) return { bytes: Array.from(value) };
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
