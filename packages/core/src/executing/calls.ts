import { checkKeys, defined, randomHex, settleWithin, unsettled } from "@toolglot/internal";
import type { ApprovalRequest, Decision, ExecutorContext, WaitOutcome, WaitRequest } from "../action.ts";
import type { ToolCall, ToolErrorInfo, ToolResult } from "../call.ts";
import { toJsonText } from "../json.ts";

/**
 * Creates a context for running an action without an agent. Default: nothing stops the action, nobody hears its events, and calls that
 * need an approval are denied.
 *
 * @throws `TypeError` for an unknown option.
 */
export function executorContext(options: Partial<ExecutorContext> = {}): ExecutorContext {
  checkKeys(
    "executorContext",
    options as ExecutorContext,
    "signal:signal emit:function approve:function wait:function ask:function runId:text stepIndex:number hooks:object",
  );
  const context: ExecutorContext = {
    signal: new AbortController().signal,
    emit: () => {},
    approve: async () => ({ approved: false, reason: "nobody is there to ask" }),
    wait: (request, work) => reportWait(context, request, work),
    runId: `run_${randomHex(12)}`,
    stepIndex: 0,
    ...options,
  };
  return context;
}

/** Reports one call to the host: its start at once, then its progress, and its end. */
export class CallReport {
  readonly #context: Pick<ExecutorContext, "emit">;
  readonly #facts: { callId: string; name: string; requestId?: string };
  #began: number;

  /** `input`: what the tool gets, when it is not what the model wrote. */
  constructor(
    context: Pick<ExecutorContext, "emit">,
    call: Pick<ToolCall, "id" | "name" | "input" | "requestId">,
    input: unknown = call.input,
  ) {
    this.#context = context;
    this.#facts = { callId: call.id, name: call.name, ...defined({ requestId: call.requestId }) };
    context.emit({ type: "tool-call-start", ...this.#facts, input });
    this.#began = performance.now();
  }

  /** Counts the call's time from now on: what a person takes to decide is not the call's. */
  restart(): void {
    this.#began = performance.now();
  }

  /** Emits progress of the call before its end. */
  progress(data: unknown): void {
    this.#context.emit({ type: "tool-call-progress", ...this.#facts, data });
  }

  /** Emits the end of the call, and returns `ms`: how long it took, by default since the start. */
  end(
    { status, data, error }: Pick<ToolResult, "status" | "data" | "error">,
    ms: number = performance.now() - this.#began,
  ): number {
    this.#context.emit({ type: "tool-call-end", ...this.#facts, status, ms, ...defined({ data, error }) });
    return ms;
  }
}

/** Waits for a person, with an event before and one after it. Settles as the work does. */
export async function reportWait<Result extends { outcome: WaitOutcome }>(
  { emit, signal }: Pick<ExecutorContext, "emit" | "signal">,
  request: WaitRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  emit({ type: "wait-start", ...request });
  let outcome: WaitOutcome = "cancelled";
  try {
    const result = await work();
    ({ outcome } = result);
    return result;
  } finally {
    emit({ type: "wait-end", ...request, outcome: signal.aborted ? "aborted" : outcome });
  }
}

/** Questions to the host, one at a time. */
export class ApprovalQueue {
  #last: Promise<unknown> = Promise.resolve();

  /**
   * Asks about a call, with a copy of its input, so that what is decided about can't change on its way. Undefined when the call
   * was aborted, or nobody decided: the host threw, or gave no decision. Then the call must not run. Never rejects.
   */
  ask(
    context: Pick<ExecutorContext, "approve" | "signal">,
    call: { callId: string; name: string; input: unknown; reason: string; kind?: "tool-call" | "external-call" },
  ): Promise<Decision | undefined> {
    const ask = async (): Promise<Decision | undefined> => {
      const { signal } = context;
      if (signal.aborted) return undefined;
      const { callId, name: tool, input, reason, kind = "tool-call" } = call;
      const request: ApprovalRequest = { kind, callId, tool, input: copyInput(input), reason };
      try {
        const decision = await settleWithin(context.approve(request), { signal });
        if (decision === unsettled || typeof decision !== "object" || decision === null) return undefined;
        return { ...decision, approved: decision.approved === true };
      } catch {
        return undefined;
      }
    };
    const asked = this.#last.then(ask);
    this.#last = asked;
    return asked;
  }
}

/** Copies an input. From a model it is JSON, and can be copied; what a host added may be anything. */
export function copyInput(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch {
    return JSON.parse(toJsonText(input)) as unknown;
  }
}

/** Returns the error of a call that the host did not approve. `undefined`: nobody decided. */
export function denied(name: string, decision: Decision | undefined): ToolErrorInfo {
  const reason = decision === undefined ? "the host did not decide" : decision.reason;
  const why = reason === undefined ? "" : `: ${reason}`;
  return { type: "Denied", message: `The call of the tool "${name}" was denied${why}. It did not run.` };
}

/** Runs something for each item, at most `bound` at one time. Results are in the order of the items, whatever order they end in. */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  bound: number,
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as Item, index);
    }
  };
  await Promise.all(Array.from({ length: Math.min(bound, items.length) }, worker));
  return results;
}

/**
 * Runs something for each item, with the outcome of running one after another: neighbours that only read run side by side, at
 * most `maxConcurrency` of them; any other item waits for all before it and holds up all after it.
 */
export async function inOrder<Item, Result>(
  items: readonly Item[],
  options: { maxConcurrency: number; onlyReads(item: Item): boolean },
  run: (item: Item, index: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  while (results.length < items.length) {
    const start = results.length;
    let end = start;
    while (end < items.length && options.onlyReads(items[end] as Item)) end++;
    const group = items.slice(start, Math.max(end, start + 1));
    results.push(...(await inParallel(group, options.maxConcurrency, (item, index) => run(item, start + index))));
  }
  return results;
}

/** Throws `TypeError` when it is no number of calls that may run at one time. */
export function checkConcurrency(maxConcurrency: number): void {
  if (!Number.isInteger(maxConcurrency) || maxConcurrency < 1) {
    throw new TypeError(`maxConcurrency must be a whole number from 1, not ${maxConcurrency}`);
  }
}

/** How a call ended, without the call. */
export type CallOutcome = Omit<ToolResult, "callId" | "name">;

/** Returns a call that did not end well, with a text for the model. `Denied` and `Interrupted` errors give the status of that name. */
export function failure(error: ToolErrorInfo, text: string = error.message): CallOutcome & { error: ToolErrorInfo } {
  return { status: statusByType.get(error.type) ?? "error", content: [{ type: "text", text }], error };
}

const statusByType: ReadonlyMap<string, ToolResult["status"]> = new Map([
  ["Denied", "denied"],
  ["InDoubt", "in-doubt"],
  ["Interrupted", "interrupted"],
]);

/** The error of a call that was stopped before its end. */
export const interrupted: ToolErrorInfo = { type: "Interrupted", message: "The call was stopped before it ended." };

/** Returns what a call comes to that waits for a decision: see `Decision.later`. */
export function undecided(name: string): CallOutcome {
  const text = `The call of the tool "${name}" waits for a decision. It has not run.`;
  const outcome: CallOutcome = { status: "pending", content: [{ type: "text", text }] };
  waiting.add(outcome);
  return outcome;
}

const waiting = new WeakSet<CallOutcome>();

/** Whether an outcome is one that {@link undecided} made. */
export function isUndecided(outcome: CallOutcome): boolean {
  return waiting.has(outcome);
}

const statuses: ReadonlySet<unknown> = new Set<ToolResult["status"]>([
  "ok",
  "error",
  "interrupted",
  "denied",
  "pending",
  "in-doubt",
]);

/** Returns what a call came to elsewhere, when that is the decision: it stands for the run. */
export function outsideOutcome(decision: Pick<Decision, "result"> | undefined): CallOutcome | undefined {
  return isToolResult(decision?.result) ? outcomeOf(decision.result) : undefined;
}

/** Returns a result without its call. */
export function outcomeOf({ callId: _, name: __, ...outcome }: ToolResult): CallOutcome {
  return outcome;
}

/** Whether a value of others' code has the form of a result. */
export function isToolResult(value: unknown): value is ToolResult {
  const result = value as ToolResult | null | undefined;
  return typeof result === "object" && result !== null && statuses.has(result.status) && Array.isArray(result.content);
}
