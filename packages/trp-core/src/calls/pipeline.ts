import { type OperationKey, ToolglotError } from "@toolglot/core";
import { andFinally, andThen, settleWithin, sleep, whenDone } from "@toolglot/internal";
import type { MaybePromise } from "@toolglot/schema";
import { isFault } from "../frames/fault.ts";
import { type Checked, checkCall } from "./check-call.ts";
import type { CallDependencies, RunOptions } from "./dependencies.ts";
import { conclude } from "./ending.ts";
import { emit, ifDoubt } from "./events.ts";
import { mayBeCommitted, notStarted, storeDown } from "./faults.ts";
import { followKey, KeyAlias } from "./keyed/effect-key.ts";
import { KeyedCall } from "./keyed/keyed.ts";
import { operationOf } from "./keyed/keys.ts";
import { fromJson, isRerunnable } from "./keyed/operation-data.ts";
import { NotAsExpected } from "./keyed/pending-admission.ts";
import { begunAnyway, readOperation } from "./keyed/read-operation.ts";
import type { Instead } from "./keyed/start.ts";
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

function runKeyed(
  dependencies: CallDependencies,
  context: CallContext,
  checked: Checked,
  inFlight: InFlight,
  { waitForBusy = false }: RunOptions,
): MaybePromise<Settled> {
  const { effectOperation } = checked;
  const own = context.operation;
  // Without a key of its own the call could not be found again: it waits for the effect that it asks for.
  const waits = waitForBusy || own === undefined;
  const run = (operation: OperationKey, alias?: KeyAlias): MaybePromise<Settled> => {
    const keyed = new KeyedCall(dependencies, context, operation, alias);
    return attempt({ dependencies, context, checked, inFlight, keyed, own: operation, waits }, operation, minPauseMs);
  };
  return effectOperation === undefined
    ? run(own as OperationKey)
    : runEffect(dependencies, context, checked, effectOperation, run);
}

/** Finds the operation of a call whose arguments name its effect, and runs it. */
async function runEffect(
  { store }: CallDependencies,
  context: CallContext,
  { fingerprint }: Checked,
  effectOperation: OperationKey,
  run: (operation: OperationKey, alias: KeyAlias | undefined) => MaybePromise<Settled>,
): Promise<Settled> {
  await context.call.admission?.confirm();
  const own = context.operation;
  const alias = own && (await KeyAlias.of(store.operations, own, fingerprint, effectOperation));
  if (isFault(alias)) return refused(alias);
  if (own !== undefined && alias === undefined) return await run(own, undefined);
  const operation = alias?.operation ?? effectOperation;
  standFor(context, operation);
  return await run(operation, alias);
}

/** What the attempts at one call share. */
interface Attempts {
  dependencies: CallDependencies;
  context: CallContext;
  checked: Checked;
  inFlight: InFlight;
  keyed: KeyedCall;
  /** The operation of the first attempt. */
  own: OperationKey;
  /** Whether the call waits for an operation that runs elsewhere. */
  waits: boolean;
}

/** Makes attempts until one ends the call: at this operation first, then at those that stand for it. */
function attempt(of: Attempts, operation: OperationKey, pauseMs: number): MaybePromise<Settled> {
  const { dependencies, context, checked, inFlight, keyed, own, waits } = of;
  const again = (next: OperationKey): MaybePromise<Settled> => attempt(of, next, Math.min(pauseMs * 2, maxPauseMs));
  const ended = noteInFlight(inFlight, operation, () => keyed.run(operation, checked));
  return andThen<Settled | Instead, Settled>(ended, (result) => {
    if ("instead" in result) {
      standFor(context, result.instead);
      return again(result.instead);
    }
    if (operation === own && isCancelledInTime(result)) return begunOr(dependencies, context, operation, result);
    if (result.kind !== "in-progress" || !waits) return result;
    const waited = waitForOther(dependencies, context, inFlight, operation, pauseMs);
    return andThen(waited, (isInTime) => (isInTime ? again(operation) : result));
  });
}

/** The call was cancelled before this router started it; another one may have begun it. */
async function begunOr(
  { store }: CallDependencies,
  { call: { session, item } }: CallContext,
  operation: OperationKey,
  otherwise: Settled,
): Promise<Settled> {
  const record = await readOperation(store.operations, operation);
  return (await begunAnyway(store.sessions, { sessionId: session.id, callId: item.call_id }, record)) ?? otherwise;
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
function noteInFlight<Value>(
  inFlight: InFlight,
  { scope, key }: OperationKey,
  attempt: () => MaybePromise<Value>,
): MaybePromise<Value> {
  const id = JSON.stringify([scope, key]);
  const run = attempt();
  if (!(run instanceof Promise) || inFlight.has(id)) return run;
  const noted: InFlightRun = { run };
  inFlight.set(id, noted);
  return andFinally(
    () => run,
    () => {
      inFlight.delete(id);
      noted.run = undefined;
    },
  );
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
