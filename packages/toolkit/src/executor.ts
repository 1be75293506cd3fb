import {
  type Action,
  type CallsAction,
  contentText,
  type Decision,
  type Executor,
  type ExecutorContext,
  requiresApproval,
  type ToolCall,
  type ToolResult,
  toJsonText,
} from "@toolglot/core";
import { stopped, untilAborted } from "./call-scope.ts";
import { errorTypes } from "./errors.ts";
import type { Prepared } from "./prepare.ts";
import { ToolResponse } from "./response.ts";
import { runCall } from "./run.ts";
import type { Toolkit } from "./toolkit.ts";

/** Options of {@link toolkitExecutor}. */
export interface ToolkitExecutorOptions {
  /** Calls that may run at one time. Default 8. */
  maxParallel?: number;
}

/**
 * Runs batches of calls on a toolkit. The outcome is that of running them one after another in document order: calls of
 * tools with `readOnlyHint` that stand next to each other run side by side, up to `maxParallel`; any other call waits
 * for all before it and holds up all after it. Input is validated before the host is asked for approval, and what was
 * asked about is what runs. One result per call, in order; never rejects for what a model or a tool did.
 */
export function toolkitExecutor(toolkit: Toolkit, options: ToolkitExecutorOptions = {}): Executor {
  const { maxParallel = 8 } = options;
  if (!Number.isInteger(maxParallel) || maxParallel < 1) {
    throw new TypeError(`maxParallel must be a whole number from 1, not ${maxParallel}`);
  }
  return {
    handles: (action: Action): action is CallsAction => action.kind === "calls",
    async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
      if (action.kind !== "calls") throw new TypeError(`a toolkitExecutor runs calls, not ${action.kind}`);
      const { calls } = action;
      const results: ToolResult[] = [];
      const approvals = new Queue();
      for (let start = 0; start < calls.length; ) {
        const end = endOfGroup(toolkit, calls, start);
        const group = calls.slice(start, end);
        results.push(...(await inParallel(group, maxParallel, (call) => runOne(toolkit, call, context, approvals))));
        start = end;
      }
      return results;
    },
  };
}

/** Neighbours that only read make a group; any other call is one by itself. Unknown tools fail without an effect. */
function endOfGroup(toolkit: Toolkit, calls: readonly ToolCall[], start: number): number {
  const onlyReads = (call: ToolCall): boolean =>
    toolkit.registered.get(call.name)?.definition.annotations?.readOnlyHint ?? !toolkit.registered.has(call.name);
  let end = start;
  while (end < calls.length && onlyReads(calls[end] as ToolCall)) end++;
  return Math.max(end, start + 1);
}

/** Results in the order of the items, whatever order they end in. */
async function inParallel<Item, Result>(
  items: readonly Item[],
  bound: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = new Array(items.length);
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < items.length) {
      const index = next++;
      results[index] = await run(items[index] as Item);
    }
  };
  await Promise.all(Array.from({ length: Math.min(bound, items.length) }, worker));
  return results;
}

/** One question at a time. */
class Queue {
  #last: Promise<unknown> = Promise.resolve();

  add<Value>(ask: () => Promise<Value>): Promise<Value> {
    const turn = this.#last.then(ask, ask);
    this.#last = turn.catch(() => {});
    return turn;
  }
}

async function runOne(
  toolkit: Toolkit,
  call: ToolCall,
  context: ExecutorContext,
  approvals: Queue,
): Promise<ToolResult> {
  const { id: callId, name, input } = call;
  const { signal } = context;
  context.emit({ type: "tool-call-start", callId, name, input });
  let started = performance.now();
  const end = (response: ToolResponse): ToolResult => {
    const ms = performance.now() - started;
    const { status, content, data, metadata } = response;
    const failed = status !== "ok" && status !== "pending";
    const error = response.error ?? (failed ? { type: "ToolError", message: contentText(content) } : undefined);
    const facts = { ...(data === undefined ? {} : { data }), ...(error === undefined ? {} : { error }) };
    context.emit({ type: "tool-call-end", callId, name, status, ms, ...facts });
    return { callId, name, status, content, ...facts, metadata: { ...metadata, ms } };
  };
  const preparing = await untilAborted(toolkit.prepareCall(call), signal);
  // Stopped: the run below ends at once, as interrupted.
  const prepared: Prepared = preparing === stopped ? { ok: false, error: { type: "", message: "" } } : preparing;
  if (prepared.ok && requiresApproval(prepared.tool.definition) && !signal.aborted) {
    const decision = await approvals.add(() => askHost(prepared, call, context));
    started = performance.now();
    if (decision !== stopped && !decision.approved) return end(denial(name, decision));
  }
  let final: ToolResponse | undefined;
  for await (const response of runCall({ prepared }, call, { signal })) {
    if (response.isLast) final = response;
    else
      context.emit({ type: "tool-call-progress", callId, name, data: response.data ?? contentText(response.content) });
  }
  return end(final as ToolResponse);
}

/** The host's decision. A host that can't be asked hasn't approved. */
async function askHost(
  prepared: Prepared & { ok: true },
  call: ToolCall,
  context: ExecutorContext,
): Promise<Decision | typeof stopped> {
  const { name, annotations } = prepared.tool.definition;
  const reason = annotations?.destructiveHint
    ? `The tool ${name} may destroy something.`
    : `The tool ${name} asks before each call.`;
  const request = { kind: "tool-call" as const, callId: call.id, tool: name, input: snapshot(prepared.asked), reason };
  try {
    return await untilAborted(context.approve(request), context.signal);
  } catch {
    return { approved: false, reason: "the host could not be asked" };
  }
}

/** A copy, so that what is decided about can't change on its way. Input from a model is JSON, and can be copied. */
function snapshot(input: unknown): unknown {
  try {
    return structuredClone(input);
  } catch {
    return JSON.parse(toJsonText(input)) as unknown;
  }
}

function denial(name: string, decision: Decision): ToolResponse {
  const why = decision.reason === undefined ? "" : `: ${decision.reason}`;
  const message = `The call of the tool "${name}" was denied${why}. It did not run.`;
  const metadata = decision.by === undefined ? {} : { metadata: { deniedBy: decision.by } };
  const error = { type: errorTypes.denied, message };
  return new ToolResponse({ content: message, status: "denied", error, ...metadata });
}
