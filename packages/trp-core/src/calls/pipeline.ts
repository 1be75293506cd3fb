import { type OperationKey, ToolglotError } from "@toolglot/core";
import { isFault } from "../errors/fault.ts";
import { checkCall, timeoutOf } from "./check-call.ts";
import type { CallDependencies, CallPipeline, RunOptions } from "./dependencies.ts";
import { conclude, type Ending, factsOf, type Passage, refused } from "./ending.ts";
import { notStarted, storeDown } from "./faults.ts";
import { KeyedCall } from "./keyed.ts";
import { operationOf } from "./keys.ts";
import { lookAt } from "./look.ts";
import { runUnkeyed } from "./unkeyed.ts";

/** Between two looks at an operation that runs elsewhere, at first and at most. Milliseconds. */
const shortestPauseMs = 10;
const longestPauseMs = 500;

/** What runs in this router by operation, so that whoever waits for it need not poll. */
type RunningHere = Map<string, Promise<unknown>>;

/**
 * The path of a call: arguments, key, policy, state of the key, approval, a place to run, policy again, start, dispatch,
 * finish. What is refused before start leaves nothing behind but its audit row, and the key stays free.
 */
export function createCallPipeline(dependencies: CallDependencies): CallPipeline {
  const running: RunningHere = new Map();
  return {
    async run(call, options = {}) {
      const { answer } = options;
      const passage: Passage = { call, began: performance.now(), answer, adapterMs: 0, executorMs: 0 };
      let ending: Ending;
      try {
        ending = await walk(dependencies, passage, running, options);
      } catch (error) {
        // Whatever goes wrong after start is dealt with where it is dispatched, so nothing was executed.
        ending = refused(ToolglotError.isInstance(error) ? storeDown() : notStarted());
      }
      return await conclude(dependencies, passage, ending);
    },
    look: (key) => lookAt(dependencies, key),
  };
}

async function walk(
  dependencies: CallDependencies,
  passage: Passage,
  running: RunningHere,
  options: RunOptions,
): Promise<Ending> {
  const { emitter, store, failpoint } = dependencies;
  const { item, principal, capability } = passage.call;
  if (emitter.active) emitter.emit({ type: "call.accepted", at: store.now(), ...factsOf(passage) });
  if (failpoint !== undefined) await failpoint("after-admit", item.call_id);
  const found = checkCall(dependencies, passage);
  const checked = found instanceof Promise ? await found : found;
  if (isFault(checked)) return refused(checked);
  const { idempotency_key } = item;
  if (typeof idempotency_key !== "string") return await runUnkeyed(dependencies, passage, checked);
  const who = { tenant: principal.tenant, principal: principal.id };
  const own = operationOf(who, capability.family, idempotency_key);
  const keyed = new KeyedCall(dependencies, passage, own);
  let operation = own;
  for (let pauseMs = shortestPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const ending = await whileKnown(running, operation, () => keyed.run(operation, checked));
    if ("instead" in ending) {
      operation = ending.instead;
      // What is written down is about that operation.
      passage.call = { ...passage.call, item: { ...passage.call.item, idempotency_key: operation.key } };
      continue;
    }
    if (ending.settled.kind !== "in-progress" || options.waitForBusy !== true) return ending;
    if (!(await rest(passage, running, operation, pauseMs))) return ending;
  }
}

/** Lets others of this router know of an attempt while it lasts: of the first, when there are several. */
async function whileKnown<Value>(
  running: RunningHere,
  { scope, key }: OperationKey,
  attempt: () => Promise<Value>,
): Promise<Value> {
  const id = JSON.stringify([scope, key]);
  if (running.has(id)) return await attempt();
  const run = attempt();
  running.set(id, run);
  try {
    return await run;
  } finally {
    running.delete(id);
  }
}

/** Waits a little for an operation that runs elsewhere, or for its end here; false when the call's time is up. */
async function rest(
  { call, began }: Passage,
  running: RunningHere,
  { scope, key }: OperationKey,
  pauseMs: number,
): Promise<boolean> {
  const left = began + timeoutOf(call) - performance.now();
  if (left <= 0 || call.signal.aborted) return false;
  const here = running.get(JSON.stringify([scope, key]));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const pause = new Promise((resolve) => {
    timer = setTimeout(resolve, Math.min(left, here === undefined ? pauseMs : longestPauseMs));
  });
  try {
    await (here === undefined ? pause : Promise.race([here, pause]));
  } catch {
    // The other's trouble; this one looks for itself.
  } finally {
    clearTimeout(timer);
  }
  return true;
}
