import {
  type Action,
  type ApprovalRequest,
  type CallHookContext,
  type CallHooks,
  type ExecutorContext,
  type ExecutorEvent,
  type ToolErrorInfo,
  ToolglotError,
  type ToolResult,
} from "@toolglot/core";
import { failure, isToolResult, reportWait } from "@toolglot/core/executing";
import { errorText } from "@toolglot/internal";
import { replayDivergence } from "../codes.ts";
import { plainJson } from "../plain-json.ts";
import type { SessionEntry } from "../session/types.ts";
import { orStopped } from "../stop.ts";
import { askApproval } from "./approvals.ts";
import { askHost } from "./ask-host.ts";
import { checkCalls, hintsOf, riskyTools } from "./decide.ts";
import { runOwnCalls, splitAction, without } from "./own-calls.ts";
import type { Run } from "./run.ts";
import type { Runnable } from "./types.ts";
import { addChildren } from "./usage.ts";

/** How long an executor may take to end after the run was stopped, in milliseconds. */
const stopGraceMs = 1000;

const executorEvents: ReadonlySet<unknown> = new Set<ExecutorEvent["type"]>([
  "tool-call-start",
  "tool-call-progress",
  "tool-call-end",
  "log",
  "wait-start",
  "wait-end",
]);

/** Results of an action. `pending`: calls of it wait for decisions; then it is not over, and `results` are those of the others. */
export interface Acted {
  results: ToolResult[];
  pending: ApprovalRequest[];
}

/**
 * Runs one action: exactly one result per call, whatever the executor does. With `denial` nothing runs, and every call
 * is denied with that message. `earlier`: the results of the answer's actions before it. `isRestored`: an earlier process may have begun it.
 */
export async function runAction(
  run: Run,
  asked: Runnable,
  denial: string | undefined,
  earlier: readonly ToolResult[],
  isRestored: boolean,
): Promise<Acted> {
  const { stepIndex } = run;
  const { action, refused, findings } = checkCalls(run, asked, isRestored);
  const calls = expectedCalls(action);
  run.emit({ type: "action-start", stepIndex, action: plainJson(action) });
  let results: ToolResult[];
  if (denial !== undefined) {
    results = failAll(calls, { type: "Denied", message: denial });
  } else if (run.signal.aborted) {
    results = failAll(calls, { type: "Interrupted", message: run.wording.notStarted });
  } else {
    const readable = refused.length === 0 ? action : without(action, refused);
    const { own, rest } = run.tools.hasOwn ? splitAction(run.tools, readable) : { own: [], rest: readable };
    const others = calls.filter(({ callId }) => !own.some((call) => call.callId === callId));
    results = oneResultPerCall(run, others, [...refused, ...(await execute(run, rest))]);
    if (own.length > 0) {
      const ownResults = await runOwnCalls(run, own, [...earlier, ...results]);
      results = oneResultPerCall(run, calls, [...results, ...ownResults]);
    }
  }
  results = results.map((result) => {
    const found = findings.get(result.callId);
    return plainJson(found ? { ...result, metadata: { ...result.metadata, findings: found } } : result);
  });
  const pending = takeWaiting(run, results);
  if (pending.length > 0) {
    const { honoursHooks } = run.settings.executor;
    const over = results.filter(({ callId, status }) => (honoursHooks ? run.ended.has(callId) : status !== "pending"));
    run.results.push(...over);
    return { results: over, pending };
  }
  run.results.push(...results);
  addChildren(run, results);
  run.emit({ type: "action-end", stepIndex, results });
  run.ended.clear();
  await run.log.add({ type: "results", results });
  return { results, pending };
}

/** Returns the requests that wait, of those answered with "later"; the others came to a denial. Without results, all of them wait. */
export function takeWaiting(run: Run, results?: readonly ToolResult[]): ApprovalRequest[] {
  const later = run.postponed.splice(0);
  const waits = ({ callId }: ApprovalRequest): boolean =>
    results?.some(
      (result) => result.status === "pending" && (callId === result.callId || callId.startsWith(`${result.callId}:`)),
    ) ?? true;
  const waiting = later.filter(waits);
  run.denied += later.length - waiting.length;
  return waiting;
}

/** Returns the executor's results, or none of them when it fails or does not stop in time. */
async function execute(run: Run, action: Runnable | undefined): Promise<readonly unknown[]> {
  if (!action) return [];
  const { executor } = run.settings;
  const state = { open: true };
  try {
    if (!executor.handles(action)) {
      const kind = action.kind === "code" ? `${action.language} programs` : action.kind;
      return failAll(expectedCalls(action), { type: "Unhandled", message: run.wording.unhandled(kind) });
    }
    const { left, known } = await begin(run, action);
    if (left === undefined) return known;
    const carryOut = run.first("execute") ?? ((...given) => executor.execute(...given));
    const running = Promise.resolve(carryOut(left, contextOf(run, left, state)));
    const results = await orStopped(running, run.signal).catch((error: unknown) => {
      if (!run.signal.aborted) throw error;
      return withinGrace(run, running);
    });
    if (!Array.isArray(results)) throw new TypeError("execute() must give an array of results");
    return [...known, ...results];
  } catch (error) {
    if (ToolglotError.isInstance(error) && error.code === replayDivergence) throw error;
    // Nothing follows on a log that can't be written.
    const fault = run.log.fault ?? run.first("fault")?.();
    if (fault) throw fault.error;
    run.warn("agent/executor-failed", `The executor failed: ${errorText(error)}`);
    return failAll(expectedCalls(action), { type: "ExecutorFault", message: run.wording.executorFailed });
  } finally {
    state.open = false;
  }
}

/**
 * Logs that calls are about to begin, where the executor's hooks don't: programs, and calls of executors without hooks. Of what an earlier
 * process had begun, only what is left to do goes to the executor.
 */
async function begin(run: Run, action: Runnable): Promise<{ left: Runnable | undefined; known: ToolResult[] }> {
  const { executor } = run.settings;
  const settle = run.first("settle");
  const resumes = executor.resumes?.(action) === true;
  if (action.kind === "code") {
    const isHarmless = riskyTools(action, run.step.tools).length === 0;
    const result = await settle?.({ id: action.id }, resumes || isHarmless);
    if (result) return { left: undefined, known: [result] };
    if (!isHarmless) await run.log.add({ type: "call-start", callId: action.id });
    return { left: action, known: [] };
  }
  if (executor.honoursHooks) return { left: action, known: [] };
  const known: ToolResult[] = [];
  for (const { callId, name = "" } of expectedCalls(action)) {
    const { onlyReads, mayRepeat } = hintsOf(run, name);
    const result = await settle?.({ id: callId, name }, resumes || mayRepeat);
    if (result) known.push(result);
    else if (!onlyReads) await run.log.add({ type: "call-start", callId });
  }
  return { left: known.length === 0 ? action : without(action, known), known };
}

/** Waits for a stopped executor to report how its calls ended, but not for ever. */
function withinGrace(run: Run, running: Promise<unknown>): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const cancel = run.settings.runtime.startTimer("stop-grace", stopGraceMs, () => {
      run.warn(
        "agent/executor-unresponsive",
        `The executor did not stop within ${stopGraceMs} ms; it was left behind.`,
      );
      resolve([]);
    });
    running.then(resolve, reject).finally(cancel);
  });
}

/** Returns what an executor gets. */
export function contextOf(run: Run, action: Runnable, state: { open: boolean }): ExecutorContext {
  const { runId, stepIndex, signal } = run;
  const { ask } = run.settings;
  const context: ExecutorContext = {
    runId,
    stepIndex,
    signal,
    emit(event) {
      if (state.open && executorEvents.has(event?.type)) run.emit({ ...plainJson(event), stepIndex });
    },
    approve(request) {
      if (state.open) return askApproval(run, request);
      return Promise.resolve({ approved: false, reason: run.wording.stopped });
    },
    hooks: callHooks(run, action, () => state.open),
    ...(ask && {
      ask: async (question, call) => (state.open ? askHost(run, ask, question, call) : { action: "cancel" }),
    }),
    async wait(request, work) {
      run.deadline.pause();
      try {
        return await reportWait(context, request, work);
      } finally {
        run.deadline.resume();
      }
    },
  };
  return context;
}

/**
 * Returns the hooks of one action as its executor calls them: those of the parts, and between them the log. Once the action has ended they
 * refuse everything: an executor that was left behind must not begin anything.
 */
function callHooks(run: Run, action: Runnable, isOpen: () => boolean): CallHooks {
  const [settle, beforeCall, afterCall] = [run.first("settle"), run.first("beforeCall"), run.first("afterCall")];
  const check = (): void => {
    if (!isOpen()) throw new Error("The action has ended.");
  };
  const log = async (name: string, { tool }: CallHookContext, entry: SessionEntry): Promise<void> => {
    if (!hintsOf(run, name, tool).onlyReads) await run.log.add(entry);
  };
  return {
    settled({ id, name }, { tool }) {
      check();
      const resumes = run.settings.executor.resumes?.(action) === true;
      return settle?.({ id, name }, resumes || hintsOf(run, name, tool).mayRepeat);
    },
    ...(beforeCall && {
      async beforeCall(call, context) {
        check();
        return beforeCall(call, context, isOpen);
      },
    }),
    async startCall({ id: callId, name }, context) {
      check();
      await log(name, context, { type: "call-start", callId });
    },
    async afterCall(call, result, context) {
      const { id: callId, name } = call;
      const shown = afterCall && (await afterCall(call, result, context, isOpen));
      check();
      run.ended.add(callId);
      await log(name, context, { type: "call-end", callId, result: shown ?? result });
      return shown;
    },
  };
}

/** A call that must end in exactly one result. */
interface ExpectedCall {
  callId: string;
  name?: string;
}

/** Returns the calls of an action, in order. A program is one call. */
export function expectedCalls(action: Action): ExpectedCall[] {
  switch (action.kind) {
    case "calls":
      return action.calls.map(({ id, name }) => ({ callId: id, name }));
    case "plan":
      return action.plan.steps.map(({ callId, tool }) => ({ callId, name: tool }));
    case "code":
      return [{ callId: action.id }];
    default:
      return [];
  }
}

/** Returns results of calls that all failed in the same way. */
export function failAll(calls: readonly ExpectedCall[], error: ToolErrorInfo): ToolResult[] {
  return calls.map((call) => ({ ...call, ...failure(error) }));
}

/** Returns one result per call, whatever the executor returned: missing ones are made up for, stray ones left out, both with a warning. */
function oneResultPerCall(run: Run, calls: readonly ExpectedCall[], given: readonly unknown[]): ToolResult[] {
  const open = new Map(calls.map((call) => [call.callId, call]));
  const found = new Map<string, ToolResult>();
  for (const result of given) {
    const call = isToolResult(result) ? open.get(result.callId) : undefined;
    if (!call) {
      run.warn("agent/stray-result", "The executor gave a result that belongs to no open call; it was left out.");
      continue;
    }
    open.delete(call.callId);
    found.set(call.callId, plainJson({ ...call, ...(result as ToolResult) }));
  }
  return calls.map((call) => {
    const result = found.get(call.callId);
    if (result) return result;
    if (!run.signal.aborted) run.warn("agent/missing-result", `The executor gave no result for ${call.callId}.`);
    const error = run.signal.aborted
      ? { type: "Interrupted", message: run.wording.stopped }
      : { type: "MissingToolResult", message: run.wording.noResult };
    return { ...call, ...failure(error) };
  });
}
