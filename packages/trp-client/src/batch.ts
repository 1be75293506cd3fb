import { checkKeys, isObject } from "@toolglot/internal";
import type { BatchItemResult } from "@toolglot/trp-core/frames";
import { toCallError } from "./answer.ts";
import { type Attempt, Call, type CallRules, isOutdated } from "./call.ts";
import { type Connection, SessionLost } from "./connection.ts";
import { clientError, needFeature, refusedWith } from "./errors.ts";
import { backoff, clock, type Limits, pause, remove } from "./limits.ts";
import { fromNack, refusedLocally, stillRunning } from "./outcome.ts";
import { explain, type Progress } from "./transmit.ts";
import type { BatchOptions, BatchResult, CallRequest, CallResult, DagOptions } from "./types.ts";

/**
 * Several calls in one frame. The frame is repeated as a whole while nothing of it was executed or its answer was lost;
 * after its answer, items that may be tried again go out as single calls, under the same ids and keys.
 */
export async function runBatch(
  connection: Connection,
  rules: CallRules,
  items: readonly CallRequest[],
  options: BatchOptions,
  limits: Limits,
  /** A graph: arguments refer to results of other calls, which only the router can fill in. */
  isGraph = false,
): Promise<BatchResult> {
  if (isGraph)
    checkKeys(
      "dag",
      options as DagOptions,
      "deadlineMs:number signal:signal traceId:string maxConcurrency:number batchId:string",
    );
  else
    checkKeys(
      "batch",
      options,
      'deadlineMs:number signal:signal traceId:string mode:"PARALLEL"|"SEQUENTIAL" maxConcurrency:number onError:"stop"|"continue" batchId:string',
    );
  const { mode = "PARALLEL", maxConcurrency = 8, onError, traceId } = options;
  if (!Number.isInteger(maxConcurrency) || maxConcurrency < 1) {
    throw new TypeError(`maxConcurrency must be a whole number from 1, not ${maxConcurrency}`);
  }
  if (!Array.isArray(items) || items.length === 0) throw new TypeError("a batch needs at least one call");
  const progress: Progress = { isOpen: false };
  const calls = items.map((item) => new Call(connection, rules, item));
  const batchId = options.batchId ?? connection.newId(isGraph ? "dag" : "batch");
  const longest = Math.max(...calls.map(({ timeoutMs }) => timeoutMs));
  // In a row, or in as many rounds as it takes.
  const rounds = isGraph || mode === "SEQUENTIAL" ? calls.length : Math.ceil(calls.length / maxConcurrency);
  const sending = { limits, traceId, waitMs: longest * rounds + 5000, repeats: true };
  let changesLeft = 4;
  let retries = 0;
  let stale: unknown;
  const refused = (results: CallResult[]): BatchResult => ({ batchId, status: "refused", results });
  try {
    for (;;) {
      const session = await connection.open(limits);
      try {
        let { catalog } = session;
        const isStale = catalog === undefined || catalog.isExpired || catalog === stale;
        if (catalog === undefined || isStale) catalog = await connection.sync(session, limits);
        let misplaced = place(calls, catalog);
        if (misplaced !== undefined && !isStale) misplaced = place(calls, await connection.sync(session, limits));
        if (misplaced !== undefined) return refused(misplaced);
        for (const call of calls) {
          call.attempts++;
          session.waiting.push(call.callId);
        }
        const shared = { max_concurrency: maxConcurrency, calls: calls.map((call) => call.item(session)) };
        const full = { ...sending, repeats: calls.every((call) => call.repeats), progress };
        if (isGraph) needFeature(session, "CALL_DAG", "a graph of calls");
        const answer = isGraph
          ? await connection.exchange(session, "CALL_DAG_REQ", { dag_id: batchId, ...shared }, full)
          : await connection.exchange(
              session,
              "CALL_BATCH_REQ",
              {
                ...{ batch_id: batchId, mode, ...shared },
                ...(onError === undefined || !session.isExtended ? {} : { on_error: onError }),
              },
              full,
            );
        for (const call of calls) remove(session.waiting, call.callId);
        if (answer.frame_type === "CALL_BATCH_RES" || answer.frame_type === "CALL_DAG_RES") {
          const attempts = calls.map((call) => readItem(call, answer.payload.results));
          if (attempts.some(({ result }) => isOutdated(result))) connection.forgetCatalog(session, session.catalog);
          const results = isGraph
            ? attempts.map(({ result }) => result)
            : await finish(calls, attempts, mode, limits, traceId);
          for (const [at, result] of results.entries()) calls[at]?.noted(result);
          return { batchId, status: statusOf(results), results };
        }
        if (answer.frame_type === "ACK") {
          // It runs. What the router lost of it may be sent by itself, unless that turns an order round.
          const results = await Promise.all(
            calls.map(async (call) => {
              const result = await call.awaitOutcome(session, limits, traceId);
              if (result !== undefined) return call.noted(result);
              call.progress.isOpen = true;
              return isGraph || mode === "SEQUENTIAL" ? stillRunning(call.facts) : call.run(limits, traceId);
            }),
          );
          return { batchId, status: statusOf(results), results };
        }
        const error = toCallError(answer.payload);
        const results = calls.map((call) => fromNack(answer.payload, call.facts));
        if (error.code === "TRP_1003") {
          if (--changesLeft < 0) return refused(results);
          stale = session.catalog;
          continue;
        }
        const most = connection.retry.maxRetries ?? session.retryBudget;
        const waitMs = Math.max(backoff(retries + 1, connection.retry, error.retryHint), session.budget.take());
        if (!error.retryable || error.dispatched || ++retries > most || clock() + waitMs >= limits.deadline) {
          return refused(results);
        }
        connection.emit({
          type: "retry",
          frame: isGraph ? "CALL_DAG_REQ" : "CALL_BATCH_REQ",
          attempt: retries,
          waitMs,
          reason: error.code,
        });
        await pause(waitMs, limits);
      } catch (error) {
        if (!(error instanceof SessionLost)) throw error;
        if (--changesLeft < 0) throw clientError("trp-client/no-answer", "The session was lost again and again.");
        stale = undefined;
      }
    }
  } catch (error) {
    const refusalError = refusedWith(error);
    if (refusalError === undefined) {
      for (const call of calls) call.noteLost(progress);
      throw explain(error, progress, { batchId, calls: calls.map(({ callId, key }) => ({ callId, key })) });
    }
    return refused(calls.map((call) => refusedLocally(refusalError, call.facts)));
  }
}

/** Finds every item in the catalog; when one can't be, why each item is refused. */
function place(calls: readonly Call[], catalog: Parameters<Call["place"]>[0]): CallResult[] | undefined {
  const misplaced = calls.map((call) => call.place(catalog));
  if (misplaced.every((result) => result === undefined)) return undefined;
  const message = "Another call of the batch can't be made, so nothing of it was sent.";
  const error = { code: "TRP_2004", errorClass: "SCHEMA_MISMATCH", message, fix: "Send the batch without that call." };
  return calls.map((call, at) => misplaced[at] ?? refusedLocally(error, call.facts));
}

function readItem(call: Call, results: readonly BatchItemResult[]): Attempt {
  const item = results.find((result) => isObject(result) && result.call_id === call.callId);
  // An item that was forgotten may have run.
  if (item === undefined) return { result: stillRunning(call.facts) };
  return call.judge({ frame_type: "RESULT", payload: item }, undefined);
}

/** Items that may be tried again are, unless that would turn their order round. */
async function finish(
  calls: readonly Call[],
  attempts: readonly Attempt[],
  mode: string,
  limits: Limits,
  traceId: string | undefined,
): Promise<CallResult[]> {
  const neededByOthers = new Set(calls.flatMap((call) => call.request.dependsOn ?? []));
  return Promise.all(
    attempts.map(async ({ result, problem }, at) => {
      const call = calls[at] as Call;
      if (problem === undefined || mode === "SEQUENTIAL" || neededByOthers.has(call.callId)) return result;
      if ((call.request.dependsOn ?? []).length > 0) return result;
      call.progress.isOpen = result.dispatched;
      return call.run(limits, traceId);
    }),
  );
}

function statusOf(results: readonly CallResult[]): BatchResult["status"] {
  const good = results.filter(({ status }) => status === "success").length;
  return good === results.length ? "success" : good > 0 ? "partial" : "failed";
}
