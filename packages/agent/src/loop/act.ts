import {
  type Action,
  type ApprovalRequest,
  type ExecutorContext,
  type ExecutorEvent,
  type ToolErrorInfo,
  ToolglotError,
  type ToolResult,
} from "@toolglot/core";
import { failure, isToolResult, reportWait } from "@toolglot/core/executing";
import { errorText } from "@toolglot/internal";
import { readArguments } from "../arguments.ts";
import { replayDivergence } from "../codes.ts";
import { callHooks } from "../hooks/call-hooks.ts";
import { plainJson } from "../plain-json.ts";
import { orStopped } from "../stop.ts";
import { askApproval } from "./approvals.ts";
import { askHost } from "./ask-host.ts";
import { addChildren } from "./child-usage.ts";
import { runOwnCalls, splitAction } from "./own-calls.ts";
import type { RunState } from "./run-state.ts";

type Runnable = Exclude<Action, { kind: "decline" }>;

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

/** What came of an action. `pending`: calls of it wait for decisions; then it is not over, and `results` are those of the others. */
export interface Acted {
  results: ToolResult[];
  pending: ApprovalRequest[];
}

/**
 * Runs one action: exactly one result per call, whatever the executor does. With `denial` nothing runs, and every call
 * is denied with that message. `earlier`: the results of the answer's actions before it.
 */
export async function runAction(
  run: RunState,
  action: Runnable,
  denial: string | undefined,
  earlier: readonly ToolResult[],
): Promise<Acted> {
  const { stepIndex, session } = run;
  const faulty = checkArguments(run, action);
  const calls = expectedCalls(action);
  run.emit({ type: "action-start", stepIndex, action: plainJson(action) });
  let results: ToolResult[];
  if (denial !== undefined) {
    results = failAll(calls, { type: "Denied", message: denial });
  } else if (run.signal.aborted) {
    results = failAll(calls, { type: "Interrupted", message: run.wording.notStarted });
  } else {
    const { own, rest } = splitAction(run, without(action, faulty));
    const others = expectedCalls(action).filter(({ callId }) => !own.some((call) => call.callId === callId));
    const given = oneResultPerCall(run, others, [...faulty, ...(await execute(run, rest))]);
    const ownResults = await runOwnCalls(run, own, [...earlier, ...given]);
    results = own.length === 0 ? given : oneResultPerCall(run, calls, [...given, ...ownResults]);
  }
  results = results.map(plainJson);
  const pending = session.takeWaiting(results);
  if (pending.length > 0) {
    const { honoursHooks } = run.settings.executor;
    const over = results.filter(({ callId, status }) =>
      honoursHooks ? session.hasEnded(callId) : status !== "pending",
    );
    run.results.push(...over);
    return { results: over, pending };
  }
  run.results.push(...results);
  addChildren(run, results);
  run.emit({ type: "action-end", stepIndex, results });
  await session.acted(results);
  return { results, pending };
}

/** Arguments that are still text were no JSON when they came: such a call gets its result at once. */
function checkArguments(run: RunState, action: Runnable): ToolResult[] {
  if (action.kind !== "calls") return [];
  return action.calls.flatMap(({ id, name, input }) => {
    if (typeof input !== "string") return [];
    const reading = readArguments(input);
    const message = run.wording.badArguments("fault" in reading ? reading.fault : "a string instead of an object");
    return failAll([{ callId: id, name }], { type: "InvalidInput", message });
  });
}

function without(action: Runnable, faulty: readonly ToolResult[]): Runnable | undefined {
  if (action.kind !== "calls") return action;
  const refused = new Set(faulty.map((result) => result.callId));
  const calls = action.calls.filter((call) => !refused.has(call.id));
  return calls.length > 0 ? { ...action, calls } : undefined;
}

/** The executor's results, or none of them when it fails or does not stop in time. */
async function execute(run: RunState, action: Runnable | undefined): Promise<readonly unknown[]> {
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
    const running = Promise.resolve(executor.execute(left, contextOf(run, left, state)));
    const results = await orStopped(running, run.signal).catch((error: unknown) => {
      if (!run.signal.aborted) throw error;
      return withinGrace(run, running);
    });
    if (!Array.isArray(results)) throw new TypeError("execute() must give an array of results");
    return [...known, ...results];
  } catch (error) {
    if (ToolglotError.isInstance(error) && error.code === replayDivergence) throw error;
    checkSession(run);
    run.warn("agent/executor-failed", `The executor failed: ${errorText(error)}`);
    return failAll(expectedCalls(action), { type: "ExecutorFault", message: run.wording.executorFailed });
  } finally {
    state.open = false;
  }
}

/**
 * Writes down that calls are about to begin, where the executor's hooks don't: programs, and calls of executors without hooks. Of what an earlier
 * process had begun, only what is left to do goes to the executor.
 */
async function begin(run: RunState, action: Runnable): Promise<{ left: Runnable | undefined; known: ToolResult[] }> {
  const { session, settings } = run;
  const { executor } = settings;
  const resumes = executor.resumes?.(action) === true;
  if (action.kind === "code") {
    const isHarmless = session.isHarmless(action);
    const known = await session.settled({ id: action.id }, resumes || isHarmless);
    if (known) return { left: undefined, known: [known] };
    if (!isHarmless) await session.starts(action.id);
    return { left: action, known: [] };
  }
  if (executor.honoursHooks) return { left: action, known: [] };
  const known: ToolResult[] = [];
  for (const { callId: id, name = "" } of expectedCalls(action)) {
    const result = await session.settled({ id, name }, resumes || session.isRepeatable(name, undefined));
    if (result) known.push(result);
    else await session.callStarts({ id, name }, undefined);
  }
  const done = new Set(known.map(({ callId }) => callId));
  if (done.size === 0) return { left: action, known };
  const left: Runnable =
    action.kind === "calls"
      ? { ...action, calls: action.calls.filter(({ id }) => !done.has(id)) }
      : {
          ...action,
          plan: { ...action.plan, steps: action.plan.steps.filter(({ callId }) => !done.has(callId)) },
        };
  return { left: expectedCalls(left).length > 0 ? left : undefined, known };
}

/** Throws what the session's store threw: nothing goes on after that. */
function checkSession({ session: { fault } }: RunState): void {
  if (fault) throw fault.error;
}

/** A stopped executor may still say how its calls ended, but not for ever. */
function withinGrace(run: RunState, running: Promise<ToolResult[]>): Promise<ToolResult[]> {
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

function contextOf(run: RunState, action: Runnable, state: { open: boolean }): ExecutorContext {
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

/** A call that must end in exactly one result. */
interface ExpectedCall {
  callId: string;
  name?: string;
}

/** The calls of an action, in order. A program is one call. */
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

/** Results that say that the calls did not end well. */
export function failAll(calls: readonly ExpectedCall[], error: ToolErrorInfo): ToolResult[] {
  return calls.map((call) => ({ ...call, ...failure(error) }));
}

/** Executors are other people's code: what is missing is made up for, what is too much is left out, both with a warning. */
function oneResultPerCall(run: RunState, calls: readonly ExpectedCall[], given: readonly unknown[]): ToolResult[] {
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
