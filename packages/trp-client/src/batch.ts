import { checkKeys, isObject, removeFrom } from "@toolglot/internal";
import type { BatchItemResult, NackPayload, ResponseFrame } from "@toolglot/trp-core/frames";
import { toCallError } from "./answer.ts";
import { type Attempt, Call, isOutdated } from "./call.ts";
import type { Connection } from "./connection.ts";
import { clientError, needFeature, refusedWith } from "./errors.ts";
import { backoff, clock, type Limits, pause } from "./limits.ts";
import { fromNack, refusedLocally, stillRunning } from "./outcome.ts";
import type { CallRules } from "./placed-call.ts";
import { type Session, SessionLost } from "./session.ts";
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
  const shared = "deadlineMs:number signal:signal traceId:string maxConcurrency:number batchId:string";
  const own = isGraph ? "" : ' mode:"PARALLEL"|"SEQUENTIAL" onError:"stop"|"continue"';
  checkKeys(isGraph ? "dag" : "batch", options as DagOptions, shared + own);
  const { maxConcurrency = 8 } = options;
  if (!Number.isInteger(maxConcurrency) || maxConcurrency < 1) {
    throw new TypeError(`maxConcurrency must be a whole number from 1, not ${maxConcurrency}`);
  }
  if (!Array.isArray(items) || items.length === 0) throw new TypeError("a batch needs at least one call");
  const calls = items.map((item) => new Call(connection, rules, item));
  return await new BatchRun(connection, calls, { mode: "PARALLEL", ...options, maxConcurrency }, limits, isGraph).run();
}

type GroupAnswer = Extract<ResponseFrame, { frame_type: "CALL_BATCH_RES" | "CALL_DAG_RES" | "NACK" | "ACK" }>;

/** One batch or graph, from its first frame to the results of its calls. */
class BatchRun {
  readonly #connection: Connection;
  readonly #calls: readonly Call[];
  readonly #options: BatchOptions & Required<Pick<BatchOptions, "mode" | "maxConcurrency">>;
  readonly #limits: Limits;
  readonly #isGraph: boolean;
  readonly #batchId: string;
  readonly #progress: Progress = { isOpen: false };
  #changesLeft = 4;
  #retries = 0;
  /** The catalog with which the router did not agree. */
  #stale: unknown;

  constructor(
    connection: Connection,
    calls: readonly Call[],
    options: BatchOptions & Required<Pick<BatchOptions, "mode" | "maxConcurrency">>,
    limits: Limits,
    isGraph: boolean,
  ) {
    this.#connection = connection;
    this.#calls = calls;
    this.#options = options;
    this.#limits = limits;
    this.#isGraph = isGraph;
    this.#batchId = options.batchId ?? connection.newId(isGraph ? "dag" : "batch");
  }

  async run(): Promise<BatchResult> {
    const calls = this.#calls;
    try {
      for (;;) {
        const session = await this.#connection.open(this.#limits);
        try {
          const end = await this.#attempt(session);
          if (end !== undefined) return end;
        } catch (error) {
          if (!(error instanceof SessionLost)) throw error;
          if (--this.#changesLeft < 0)
            throw clientError("trp-client/no-answer", "The session was lost again and again.");
          this.#stale = undefined;
        }
      }
    } catch (error) {
      const refusal = refusedWith(error);
      if (refusal !== undefined) return this.#refused(calls.map((call) => refusedLocally(refusal, call.facts)));
      for (const call of calls) call.noteLost(this.#progress);
      const named = calls.map(({ callId, key }) => ({ callId, key }));
      throw explain(error, this.#progress, { batchId: this.#batchId, calls: named });
    }
  }

  /** Sends the frame once. Returns undefined when it is to be sent again. */
  async #attempt(session: Session): Promise<BatchResult | undefined> {
    const calls = this.#calls;
    const misplaced = await this.#place(session);
    if (misplaced !== undefined) return this.#refused(misplaced);
    for (const call of calls) {
      call.attempts++;
      session.waiting.push(call);
    }
    const answer = await this.#exchange(session);
    for (const call of calls) removeFrom(session.waiting, call);
    switch (answer.frame_type) {
      case "CALL_BATCH_RES":
      case "CALL_DAG_RES":
        return this.#ended(await this.#read(session, answer.payload.results));
      case "ACK":
        return this.#ended(await this.#follow(session));
      default:
        return await this.#refusal(session, answer.payload);
    }
  }

  /** Finds every item in the catalog, in a fresh one if need be. Returns refusals when one is not there. */
  async #place(session: Session): Promise<CallResult[] | undefined> {
    const { catalog } = session;
    const isStale = catalog === undefined || catalog.isExpired || catalog === this.#stale;
    const sync = () => this.#connection.sync(session, this.#limits);
    const misplaced = place(this.#calls, catalog === undefined || isStale ? await sync() : catalog);
    return misplaced === undefined || isStale ? misplaced : place(this.#calls, await sync());
  }

  async #exchange(session: Session): Promise<GroupAnswer> {
    const { mode, maxConcurrency, onError, traceId } = this.#options;
    const calls = this.#calls;
    const isGraph = this.#isGraph;
    const batchId = this.#batchId;
    const longest = Math.max(...calls.map(({ timeoutMs }) => timeoutMs));
    // In a row, or in as many rounds as it takes.
    const rounds = isGraph || mode === "SEQUENTIAL" ? calls.length : Math.ceil(calls.length / maxConcurrency);
    const sending = {
      limits: this.#limits,
      traceId,
      waitMs: longest * rounds + 5000,
      repeats: calls.every((call) => call.repeats),
      progress: this.#progress,
    };
    const shared = { max_concurrency: maxConcurrency, calls: calls.map((call) => call.item(session)) };
    if (isGraph) {
      needFeature(session, "CALL_DAG", "a graph of calls");
      return await this.#connection.exchange(session, "CALL_DAG_REQ", { dag_id: batchId, ...shared }, sending);
    }
    const onErrors = onError === undefined || !session.isExtended ? {} : { on_error: onError };
    const payload = { batch_id: batchId, mode, ...shared, ...onErrors };
    return await this.#connection.exchange(session, "CALL_BATCH_REQ", payload, sending);
  }

  async #read(session: Session, items: readonly BatchItemResult[]): Promise<CallResult[]> {
    const calls = this.#calls;
    const attempts = calls.map((call) => readItem(call, items));
    if (attempts.some(({ result }) => isOutdated(result))) this.#connection.forgetCatalog(session, session.catalog);
    const { mode, traceId } = this.#options;
    const results = this.#isGraph
      ? attempts.map(({ result }) => result)
      : await finish(calls, attempts, mode, this.#limits, traceId);
    for (const [at, result] of results.entries()) calls[at]?.noted(result);
    return results;
  }

  /** Waits for a batch that runs. What the router lost of it may be sent by itself, unless that turns an order round. */
  #follow(session: Session): Promise<CallResult[]> {
    const { mode, traceId } = this.#options;
    return Promise.all(
      this.#calls.map(async (call) => {
        const result = await call.awaitOutcome(session, this.#limits, traceId);
        if (result !== undefined) return call.noted(result);
        call.progress.isOpen = true;
        return this.#isGraph || mode === "SEQUENTIAL" ? stillRunning(call.facts) : call.run(this.#limits, traceId);
      }),
    );
  }

  /** Waits before the frame is sent again, or returns why it is not. */
  async #refusal(session: Session, payload: NackPayload): Promise<BatchResult | undefined> {
    const connection = this.#connection;
    const error = toCallError(payload);
    const refused = (): BatchResult => this.#refused(this.#calls.map((call) => fromNack(payload, call.facts)));
    if (error.code === "TRP_1003") {
      this.#stale = session.catalog;
      return --this.#changesLeft < 0 ? refused() : undefined;
    }
    const maxRetries = connection.retry.maxRetries ?? session.retryBudget;
    const waitMs = Math.max(backoff(this.#retries + 1, connection.retry, error.retryHint), session.budget.take());
    const mayRetry = error.retryable && !error.dispatched && ++this.#retries <= maxRetries;
    if (!mayRetry || clock() + waitMs >= this.#limits.deadline) return refused();
    const frame = this.#isGraph ? "CALL_DAG_REQ" : "CALL_BATCH_REQ";
    connection.emit({ type: "retry", frame, attempt: this.#retries, waitMs, reason: error.code });
    await pause(waitMs, this.#limits);
    return undefined;
  }

  #ended(results: CallResult[]): BatchResult {
    return { batchId: this.#batchId, status: statusOf(results), results };
  }

  #refused(results: CallResult[]): BatchResult {
    return { batchId: this.#batchId, status: "refused", results };
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
