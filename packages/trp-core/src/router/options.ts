import { checkKeys, defined } from "@toolglot/internal";
import type { RouterLimits, RouterOptions, RouterTimes } from "./types.ts";

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;

/** `TypeError` for options that can't be. Capabilities, limits and times are checked where they are read. */
export function checkOptions(options: RouterOptions): void {
  checkKeys(
    "createRouter",
    options,
    [
      'capabilities:object[] store:{now,ping,prune,close} allowVolatile:boolean repeats:"guarded"|"free" policy:{evaluate} approvalSecrets:string[] pendingApprovals:size mayDecide:function',
      "downstreamSecret:text routerId:text limits:object times:object strictEpoch:boolean maxResultTokens:size countTokens:function catalogTools:boolean safety:{check}",
      "onError:function validator:function keylessReads:boolean tracing:object outbox:boolean auditFields:function checkpoints:object",
    ],
    [],
    { tracing: "It must be made by traceRouter() of @toolglot/trp-core/tracing." },
  );
  const { approvalSecrets, policy, tracing, checkpoints } = options;
  const fail = (problem: string): never => {
    throw new TypeError(`createRouter: ${problem}`);
  };
  const isSecret = (secret: unknown): boolean => typeof secret === "string" && secret !== "";
  if (approvalSecrets !== undefined && !approvalSecrets.every(isSecret)) {
    fail("approvalSecrets must be a list of texts that are not empty");
  }
  if (checkpoints !== undefined) checkCheckpoints(checkpoints, fail);
  if (tracing !== undefined && typeof tracing?.spans !== "object") {
    fail("tracing must be made by traceRouter() of @toolglot/trp-core/tracing");
  }
  if (policy !== undefined && (typeof policy?.evaluate !== "function" || typeof policy.version !== "string")) {
    fail("policy must have a version and evaluate(input); createPolicy makes one of rules");
  }
}

function checkCheckpoints(given: NonNullable<RouterOptions["checkpoints"]>, fail: (problem: string) => never): void {
  checkKeys(
    "createRouter: checkpoints",
    given,
    "signer:{sign} everyRows:number everyMs:number onCheckpoint:function exportedUpTo:function",
  );
  const { signer, everyRows = 1, everyMs = 1 } = given;
  if (signer !== undefined && (typeof signer?.key !== "string" || typeof signer.sign !== "function")) {
    fail("checkpoints.signer must have a key and sign(bytes); checkpointSigner makes one of a private key");
  }
  for (const [name, value] of Object.entries({ everyRows, everyMs })) {
    if (!(Number.isSafeInteger(value) && value > 0)) fail(`checkpoints.${name} must be a whole number from 1`);
  }
}

/** Returns the limits with their defaults. `TypeError` for what is no count above 0. */
export function readLimits(given: RouterOptions["limits"]): RouterLimits {
  checkKeys(
    "createRouter: limits",
    given,
    "frameBytes:number depth:number batchCalls:number callsInFlight:number callsWaiting:number outboxRows:number",
  );
  const limits: RouterLimits = {
    frameBytes: 4 * 1024 * 1024,
    depth: 64,
    batchCalls: 64,
    callsInFlight: 256,
    callsWaiting: 1_024,
    outboxRows: 1_000_000,
    // `undefined` is as left out: it must not hide a default.
    ...(defined(given ?? {}) as typeof given),
  };
  check("limits", limits, ["callsWaiting"]);
  return Object.freeze(limits);
}

/** Returns the times with their defaults, in milliseconds. `TypeError` for what is no time. */
export function readTimes(given: RouterOptions["times"]): RouterTimes {
  checkKeys(
    "createRouter: times",
    given,
    [
      "sessionTtlMs:number keyTtlMs:number keyMemoryMs:number approvalTtlMs:number artifactTtlMs:number leaseMs:number recoverEveryMs:number pruneEveryMs:number",
      "seqWaitMs:number catalogTtlMs:number outboxTtlMs:number auditTtlMs:number",
    ],
    [],
    { auditTtlMs: "It must be no less than keyTtlMs." },
  );
  const leaseMs = given?.leaseMs ?? 10_000;
  const times: RouterTimes = {
    sessionTtlMs: day,
    keyTtlMs: day,
    keyMemoryMs: 30 * day,
    approvalTtlMs: 15 * minute,
    artifactTtlMs: day,
    leaseMs,
    recoverEveryMs: leaseMs,
    pruneEveryMs: 10 * minute,
    seqWaitMs: 250,
    catalogTtlMs: 10 * minute,
    outboxTtlMs: 7 * day,
    auditTtlMs: Number.POSITIVE_INFINITY,
    // `undefined` is as left out: it must not hide a default.
    ...(defined(given ?? {}) as typeof given),
  };
  const { auditTtlMs, ...finite } = times;
  check("times", finite, ["keyMemoryMs", "recoverEveryMs", "pruneEveryMs", "seqWaitMs"]);
  if (!(auditTtlMs >= times.keyTtlMs)) {
    throw new TypeError("createRouter: times.auditTtlMs must be no less than keyTtlMs: outcomes have their rows");
  }
  return Object.freeze(times);
}

function check(where: string, found: object, mayBeZero: readonly string[]): void {
  for (const [name, value] of Object.entries(found)) {
    const least = mayBeZero.includes(name) ? 0 : 1;
    if (Number.isSafeInteger(value) && (value as number) >= least) continue;
    throw new TypeError(`createRouter: ${where}.${name} must be a whole number from ${least}, not ${String(value)}`);
  }
}
