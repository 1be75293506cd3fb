import { type OperationKey, ToolglotError } from "@toolglot/core";
import { andThen, settleWithin, sleep, whenDone } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { isFault } from "../frames/fault.ts";
import { type Checked, checkCall } from "./check-call.ts";
import type { CallDependencies, RunOptions } from "./dependencies.ts";
import { conclude } from "./ending.ts";
import { emit, ifDoubt } from "./events.ts";
import { mayBeCommitted, notStarted, storeDown } from "./faults.ts";
import { begunAnyway } from "./keyed/begun.ts";
import { followKey, KeyAlias } from "./keyed/effect-key.ts";
import { KeyedCall } from "./keyed/keyed.ts";
import { operationOf } from "./keyed/keys.ts";
import { fromJson, isRerunnable } from "./keyed/operation-data.ts";
import { NotAsExpected } from "./keyed/pending-admission.ts";
import { readOperation } from "./keyed/read-operation.ts";
import { busy, noUsage, refused, settledFromRecord } from "./outcome.ts";
import { runUnkeyed } from "./running/unkeyed.ts";
import { timeoutOf } from "./times.ts";
import type { CallContext, IncomingCall, PipelineResult, Settled } from "./types.ts";

/** Between two reads of an operation that runs elsewhere, at first and at most. Milliseconds. */
const minPauseMs = 10;
const maxPauseMs = 500;

/** The runs in flight in this router, by operation, so that other calls here can wait for them without polling. */
type InFlight = Map<string, InFlightRun>;

/** `run` is cleared at the end, because V8's old tables of a busy `Map` keep their values alive for a long time. */
interface InFlightRun {
  run: Promise<unknown> | undefined;
}

/**
 * The path of a call: arguments, key, policy, state of the key, approval, a place to run, policy again, start,
 * dispatch, finish. What is refused before start leaves nothing behind but its audit row, and the key stays free.
 */
export class CallPipeline {
  readonly #dependencies: CallDependencies;
  readonly #inFlight: InFlight = new Map();

  constructor(dependencies: CallDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Brings one call to its end. Writes one audit row about the outcome, and emits the events of the TRP v0.1 draft
   * (14.2). SUCCESS is returned only after it was committed. Fails only while the admission of the frame is pending
   * (`NotAsExpected`).
   */
  run(call: IncomingCall, options: RunOptions = {}): MaybePromise<PipelineResult> {
    const { frame, onStarted, onParts } = options;
    const began = performance.now();
    const context: CallContext = { call, began, frame, onStarted, onParts, adapterMs: 0, executorMs: 0 };
    return whenDone(
      () => runCall(this.#dependencies, context, this.#inFlight, options),
      (settled) => {
        // Without a key it may be running elsewhere.
        const mayRun = context.operation === undefined && call.cancellable?.isAgain === true;
        return conclude(this.#dependencies, context, mayRun && isCancelledInTime(settled) ? busy() : settled);
      },
      (error) => {
        if (error instanceof NotAsExpected) throw error;
        // `dispatch` handles every fault after the start, so here nothing was executed. But it may be in time, when the
        // start was committed all the same.
        const mayBeStarted = context.operation !== undefined && mayBeCommitted(error);
        const refusal = ToolglotError.isInstance(error) ? storeDown() : notStarted();
        return conclude(this.#dependencies, context, mayBeStarted ? busy() : refused(refusal), true);
      },
    );
  }

  /**
   * Returns the state of an operation, without running anything; undefined when there is none. An operation whose router
   * is gone and that must not run again is put in doubt. Rejects when the store does.
   */
  inspect(key: OperationKey): Promise<Settled | undefined> {
    return inspect(this.#dependencies, key);
  }
}

/** May throw, too. */
function runCall(
  dependencies: CallDependencies,
  context: CallContext,
  inFlight: InFlight,
  options: RunOptions,
): MaybePromise<Settled> {
  const { item, principal, capability, operation } = context.call;
  const { idempotency_key: key } = item;
  if (typeof key === "string") {
    const who = { tenant: principal.tenant, principal: principal.id };
    context.operation = operation ?? operationOf(who, capability.family, key);
  }
  emit(dependencies, context, { type: "call.accepted" });
  return andThen(dependencies.failpoint?.("after-admit", item.call_id), () =>
    andThen(checkCall(dependencies, context), (checked) => {
      if (isFault(checked)) return refused(checked);
      const isKeyed = context.operation !== undefined || checked.effectOperation !== undefined;
      if (!isKeyed) return runUnkeyed(dependencies, context, checked);
      return runKeyed(dependencies, context, checked, inFlight, options);
    }),
  );
}

async function runKeyed(
  dependencies: CallDependencies,
  context: CallContext,
  checked: Checked,
  inFlight: InFlight,
  { waitForBusy = false }: RunOptions,
): Promise<Settled> {
  const { store } = dependencies;
  const { item, admission } = context.call;
  const { effectOperation, fingerprint } = checked;
  let own = context.operation;
  const hasKey = own !== undefined;
  let alias: KeyAlias | undefined;
  if (effectOperation !== undefined) {
    await admission?.confirm();
    const found = own && (await KeyAlias.of(store.operations, own, fingerprint, effectOperation));
    if (isFault(found)) return refused(found);
    alias = found;
    if (own === undefined || alias !== undefined) {
      own = alias?.operation ?? effectOperation;
      standFor(context, own);
    }
  }
  const keyed = new KeyedCall(dependencies, context, own as OperationKey, alias);
  let operation = own as OperationKey;
  for (let pauseMs = minPauseMs; ; pauseMs = Math.min(pauseMs * 2, maxPauseMs)) {
    const result = await noteInFlight(inFlight, operation, () => keyed.run(operation, checked));
    if ("instead" in result) {
      operation = result.instead;
      standFor(context, operation);
      continue;
    }
    if (operation === own && isCancelledInTime(result)) {
      const call = { sessionId: context.call.session.id, callId: item.call_id };
      const begun = await begunAnyway(store.sessions, call, await readOperation(store.operations, operation));
      if (begun !== undefined) return begun;
    }
    // Without a key of its own the call could not be found again: it waits for the effect that it asks for.
    if (result.kind !== "in-progress" || !(waitForBusy || !hasKey)) return result;
    if (!(await waitForOther(dependencies, context, inFlight, operation, pauseMs))) return result;
  }
}

/** Checks whether a call was cancelled before it was started here. */
function isCancelledInTime(settled: Settled): boolean {
  return settled.kind === "refused" && settled.fault.code === "TRP_3005";
}

/** From now on records about the call name this operation. The digest of the call stays that of the call as sent. */
function standFor(context: CallContext, { key }: OperationKey): void {
  const { call } = context;
  context.call = { ...call, auditKey: undefined, item: { ...call.item, idempotency_key: key } };
}

/** Notes an attempt for other calls of this router while it lasts: the first one, when there are several. */
async function noteInFlight<Value>(
  inFlight: InFlight,
  { scope, key }: OperationKey,
  attempt: () => Promise<Value>,
): Promise<Value> {
  const id = JSON.stringify([scope, key]);
  if (inFlight.has(id)) return await attempt();
  const run = attempt();
  const noted: InFlightRun = { run };
  inFlight.set(id, noted);
  try {
    return await run;
  } finally {
    inFlight.delete(id);
    noted.run = undefined;
  }
}

/** Waits a little for an operation that runs elsewhere, or for its end here; false when the call's time is up. */
async function waitForOther(
  { store: { operations } }: CallDependencies,
  { call, began }: CallContext,
  inFlight: InFlight,
  { scope, key }: OperationKey,
  pauseMs: number,
): Promise<boolean> {
  const left = began + timeoutOf(call) - performance.now();
  if (left <= 0 || call.stop.aborted) return false;
  const here = inFlight.get(JSON.stringify([scope, key]))?.run;
  const ms = Math.min(left, pauseMs);
  if (here === undefined) await (operations.whenChanged?.({ scope, key }, { ms }) ?? sleep(ms));
  // Whether the other attempt fails makes no difference: this one reads the operation for itself.
  else await settleWithin(here, { ms: Math.min(left, maxPauseMs) }).catch(() => {});
  return true;
}

/** See `CallPipeline.inspect`. */
async function inspect(dependencies: CallDependencies, operation: OperationKey): Promise<Settled | undefined> {
  const { store, routerId, times, outbox = false } = dependencies;
  const record = await followKey(store.operations, operation);
  if (record === undefined) return undefined;
  const settled = settledFromRecord(record);
  if (settled !== undefined) return settled;
  if (record.leaseUntil > store.now()) return busy();
  // It was claimed but never started: no router runs it, and nothing was done.
  if (record.startedAt === undefined) return undefined;
  const data = fromJson(record.data);
  // Its caller was answered, and decides whether to try again.
  if (data?.answered !== undefined) {
    return { kind: "failed", fault: data.answered, usage: noUsage, proof: data.proof, replayedFrom: data.call_id };
  }
  if (data === undefined || isRerunnable(data.effect) || data.effect === "probe") return busy();
  const { scope, key, fingerprint, fence } = record;
  const request = { scope, key, fingerprint, owner: routerId, leaseMs: times.leaseMs, abandoned: "doubt" as const };
  const found = await store.operations.takeOver(request, fence, ifDoubt({ outbox, store }, record));
  return found.status === "changed"
    ? await inspect(dependencies, operation)
    : (settledFromRecord(found.record) ?? busy());
}
