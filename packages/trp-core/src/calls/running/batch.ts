import { type Fault, fault } from "../../frames/fault.ts";
import type { CallBatchResPayload } from "../../frames/results.ts";
import type { CallItem } from "../../frames/types.ts";
import type { RunOptions } from "../dependencies.ts";
import { settledToItem } from "../outcome.ts";
import type { Settled } from "../types.ts";
import { type DependencyState, dependencyFault } from "./depends-on.ts";

/** One call of a batch. */
export interface BatchEntry {
  callId: string;
  /** Call ids, of this batch or of earlier calls of the session. */
  dependsOn: readonly string[];
  /**
   * Runs the call: finds its capability and hands it to the pipeline with these options. Called once at most, when its
   * dependencies have succeeded. Never rejects.
   */
  run(options: RunOptions): Promise<Settled>;
  /** How it ended before: such a call is not run again. */
  known?: Settled;
}

/** A batch, its frame admitted and its structure checked by `checkBatch`. */
export interface Batch {
  entries: readonly BatchEntry[];
  /** SEQUENTIAL: in order of the request, one at a time. */
  mode: "PARALLEL" | "SEQUENTIAL";
  maxConcurrency: number;
  /** `stop`: after a call that did not succeed, no more are begun. */
  onError: "continue" | "stop";
  /** How a call outside of the batch stands. */
  earlier(callId: string): Promise<DependencyState>;
}

/** Why the whole batch is refused, though its shape is right: a call id twice (TRP_2004), a cycle (TRP_1005). */
export function checkBatch(calls: readonly Pick<CallItem, "call_id" | "depends_on">[]): Fault | undefined {
  const open = new Map<string, Set<string>>();
  for (const { call_id } of calls) {
    if (open.has(call_id)) return fault("TRP_2004", `call_id ${JSON.stringify(call_id)} is used twice in the batch.`);
    open.set(call_id, new Set());
  }
  for (const { call_id, depends_on = [] } of calls) {
    for (const name of depends_on) if (open.has(name)) open.get(call_id)?.add(name);
  }
  // Takes away what depends on nothing that is left, again and again; what remains is in a cycle or behind one.
  const dependents = new Map<string, string[]>();
  for (const [callId, names] of open) {
    for (const name of names) dependents.set(name, [...(dependents.get(name) ?? []), callId]);
  }
  const free = [...open].filter(([, names]) => names.size === 0).map(([callId]) => callId);
  for (let callId = free.pop(); callId !== undefined; callId = free.pop()) {
    open.delete(callId);
    for (const dependent of dependents.get(callId) ?? []) {
      const names = open.get(dependent);
      names?.delete(callId);
      if (names?.size === 0) free.push(dependent);
    }
  }
  if (open.size === 0) return undefined;
  return fault("TRP_1005", `These calls wait for each other: ${[...open.keys()].slice(0, 5).join(", ")}.`, {
    fix: "Break the cycle in depends_on, and send the batch again.",
  });
}

/**
 * Runs the calls of a batch, each when what it depends on has succeeded (TRP v0.1 draft, 6.2.6). Each ends on its own;
 * the ends are in the order of the request. Never rejects as long as `run` and `earlier` don't.
 */
export async function runBatch(batch: Batch): Promise<Settled[]> {
  const { entries, onError } = batch;
  const limit = batch.mode === "SEQUENTIAL" ? 1 : Math.max(1, batch.maxConcurrency);
  const ends = new Map<string, Settled>();
  const waiting = new Set<BatchEntry>();
  const inBatch = new Map(entries.map((entry) => [entry.callId, entry]));
  for (const entry of entries) {
    if (entry.known === undefined) waiting.add(entry);
    else ends.set(entry.callId, entry.known);
  }
  let stopped = onError === "stop" && [...ends.values()].some((end) => end.kind !== "success");
  const running = new Set<Promise<void>>();

  async function begin(entry: BatchEntry): Promise<void> {
    const refusal = await dependencyFault(entry.dependsOn, async (callId) => {
      const end = ends.get(callId);
      return end === undefined ? await batch.earlier(callId) : stateOf(end);
    });
    const end: Settled =
      refusal === undefined ? await entry.run({ waitForBusy: true }) : { kind: "refused", fault: refusal };
    ends.set(entry.callId, end);
    if (onError === "stop" && end.kind !== "success") stopped = true;
  }

  while (waiting.size > 0 || running.size > 0) {
    for (const entry of waiting) {
      if (running.size >= limit) break;
      if (stopped) {
        waiting.delete(entry);
        ends.set(entry.callId, { kind: "refused", fault: notBegun() });
      } else if (entry.dependsOn.every((callId) => !inBatch.has(callId) || ends.has(callId))) {
        waiting.delete(entry);
        const run: Promise<void> = begin(entry).finally(() => running.delete(run));
        running.add(run);
      }
    }
    if (running.size > 0) await Promise.race(running);
    // A cycle, which checkBatch would have refused.
    else if (!stopped && waiting.size > 0)
      throw new TypeError("runBatch: dependencies form a cycle; use checkBatch first");
  }
  return entries.map((entry) => ends.get(entry.callId) as Settled);
}

/** Returns the payload of a batch's answer: SUCCESS when all have succeeded, FAILED when none has. */
export function batchPayload(
  batchId: string,
  callIds: readonly string[],
  ends: readonly Settled[],
): CallBatchResPayload {
  const results = ends.map((end, index) => settledToItem(end, callIds[index] as string));
  const succeeded = results.filter((item) => item.status === "SUCCESS").length;
  const status = succeeded === results.length ? "SUCCESS" : succeeded === 0 ? "FAILED" : "PARTIAL_SUCCESS";
  return { batch_id: batchId, status, results };
}

function stateOf(end: Settled): DependencyState {
  return end.kind === "success" ? "succeeded" : end.kind === "in-progress" ? "unfinished" : "failed";
}

function notBegun(): Fault {
  return fault("TRP_1006", "Not started: a call of the batch failed before, and on_error is stop.", {
    fix: "Look at why the other call failed, and send this one again if it is still wanted.",
  });
}
