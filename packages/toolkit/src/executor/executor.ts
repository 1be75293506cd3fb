import {
  type Action,
  type CallsAction,
  createRecord,
  type Executor,
  type ExecutorContext,
  type OperationLog,
  type Plan,
  type PlanAction,
  type PlanStep,
  type ToolCall,
  ToolError,
  type ToolErrorInfo,
  type ToolResult,
} from "@toolglot/core";
import { ApprovalQueue, checkConcurrency, inOrder } from "@toolglot/core/executing";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { checkKeys, settleWithin, unsettled } from "@toolglot/internal";
import { errorInfo, errorTypes } from "../errors.ts";
import { dataResolver, type ResourceSchemes, resolveResource, resourceText } from "../resource.ts";
import { Tasks } from "../tasks/tasks.ts";
import type { Toolkit } from "../toolkit.ts";
import { type CallSetting, executeCall } from "./execute-call.ts";
import type { ToolkitExecutorOptions } from "./options.ts";
import { type Begin, type PlanRun, runOnce } from "./run-once.ts";
import { settleUnrun } from "./unrun.ts";

/** An executor that runs calls and plans on a toolkit. */
export interface ToolkitExecutor extends Executor {
  handles(action: Action): action is CallsAction | PlanAction;
  /** The asynchronous tools that run in the background; `tasks.events` reports their ends. */
  readonly tasks: Tasks;
}

function isDurable(log: OperationLog | undefined): boolean {
  return log !== undefined && log.durability !== "none";
}

/**
 * Runs batches of calls, and plans, on a toolkit.
 *
 * Calls: the outcome is that of running them one after another in document order; neighbours with `readOnlyHint` run side
 * by side, up to `maxConcurrency`; any other call waits for all before it and holds up all after it. Plans: step after step;
 * see `runPlan`. A tool with `annotations.async` is started as a task, and its result is `pending` with `{ task_id }`.
 *
 * Input is validated before the host is asked for approval, and what was asked about is what runs. One result per call, in
 * order; never rejects for what a model or a tool did.
 *
 * @example
 * ```ts
 * const executor: Executor = toolkitExecutor(toolkit, { maxConcurrency: 4 });
 * const results = await executor.execute(action, context);
 * ```
 */
export function toolkitExecutor(toolkit: Toolkit, options: ToolkitExecutorOptions = {}): ToolkitExecutor {
  if (typeof toolkit?.prepareCall !== "function") {
    throw new TypeError("toolkitExecutor takes a Toolkit: register tools with toolkit.registerToolFunction(tool).");
  }
  checkKeys(
    "toolkitExecutor",
    options,
    "maxConcurrency:number tasks:{start,cancel} storage:object operationScope:text resources:object",
  );
  const { maxConcurrency = 8, tasks = new Tasks(), storage } = options;
  if (storage !== undefined) {
    const { operations } = storage;
    checkKeys("toolkitExecutor: storage", { operations }, "operations:{claim,renew,begin,finish,doubt,settle,read}", [
      "operations",
    ]);
  }
  checkConcurrency(maxConcurrency);
  const runPlan = planRunner(toolkit, { ...options, tasks });
  return {
    tasks,
    honoursHooks: true,
    // Of a plan with a request id, a durable log knows what has happened.
    resumes: (action) =>
      action.kind === "plan" && action.plan.requestId !== undefined && isDurable(storage?.operations),
    handles: (action): action is CallsAction | PlanAction => action.kind === "calls" || action.kind === "plan",
    async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
      if (action.kind === "plan") return runPlan(action.plan, context);
      if (action.kind !== "calls") throw new TypeError(`a toolkitExecutor runs calls and plans, not ${action.kind}`);
      const setting = { approvals: new ApprovalQueue(), tasks };
      // Unknown tools fail without an effect.
      const onlyReads = ({ name }: ToolCall): boolean =>
        toolkit.registered.get(name)?.definition.annotations?.readOnlyHint ?? !toolkit.registered.has(name);
      return inOrder(action.calls, { maxConcurrency, onlyReads }, (call) =>
        executeCall(toolkit, call, context, setting),
      );
    },
  };
}

/**
 * Returns a function that runs plans on a toolkit, one step after another. It resolves with exactly one result per step, in the order
 * of the steps, and never rejects for what a model or a tool did.
 *
 * A step that fails is run again up to `retry` times, unless that can't help (its input is wrong, it was denied) or its effect is
 * unknown (it ran out of time, and may not run twice). Then `onError` decides: `stop`
 * leaves the steps after it, which end as `NotRun`; `continue` runs them. A step with `errors` fails without being run. A
 * step of an asynchronous tool counts as done when its task has started. A plan with a `requestId` runs once: see
 * `runOnce`.
 */
function planRunner(
  toolkit: Toolkit,
  options: Pick<ToolkitExecutorOptions, "storage" | "operationScope" | "resources"> & { tasks: Tasks },
): (plan: Plan, context: ExecutorContext) => Promise<ToolResult[]> {
  const { tasks, storage, operationScope: scope = "plan" } = options;
  const log = storage?.operations ?? new MemoryOperationLog();
  const schemes: ResourceSchemes = { data: dataResolver, ...options.resources };

  return async (plan, context) => {
    if (plan.requestId === undefined) return (await runSteps(plan, context)).results;
    return runOnce(plan, { log, scope, context }, (begin) => runSteps(plan, context, begin));
  };

  async function runSteps(plan: Plan, context: ExecutorContext, begin?: Begin): Promise<PlanRun> {
    const approvals = new ApprovalQueue();
    const results: ToolResult[] = [];
    let obstacle: string | undefined;
    let waits = false;
    for (const step of plan.steps) {
      if (obstacle !== undefined) {
        const message = `Step ${step.index} did not run, because step ${obstacle}.`;
        results.push(refuse(step, plan, context, { type: errorTypes.notRun, message }));
        continue;
      }
      const onLater = (): void => {
        waits = true;
        obstacle = `${step.index} waits for a decision`;
      };
      const result = await runStep(step, plan, context, { approvals, onLater, ...(begin && { begin }) });
      results.push(result);
      const ok = result.status === "ok" || result.status === "pending";
      if (!ok && step.onError === "stop") obstacle = `${step.index} failed`;
    }
    return { results, waits };
  }

  async function runStep(
    step: PlanStep,
    plan: Plan,
    context: ExecutorContext,
    setting: Pick<CallSetting, "approvals" | "onLater" | "begin">,
  ): Promise<ToolResult> {
    const [first, ...more] = step.errors;
    if (first) {
      const message = [first, ...more].map((error) => error.message).join("\n");
      return refuse(step, plan, context, { ...first, message });
    }
    const read = await settleWithin(valuesOf(step, plan, context), { signal: context.signal });
    // Stopped: the call below ends at once, as interrupted.
    const values = read === unsettled ? { input: step.params } : read;
    if ("error" in values) return refuse(step, plan, context, values.error);
    const call: ToolCall = {
      id: step.callId,
      name: step.tool,
      input: values.input,
      span: step.span,
      protocol: "tam",
      ...(plan.requestId !== undefined && { requestId: plan.requestId }),
    };
    return executeCall(toolkit, call, context, {
      ...setting,
      tasks,
      step: step.index,
      retry: step.retry,
      ...("given" in values && { given: values.given }),
    });
  }

  /** Resolves with a step's input: common parameters that its tool takes and that it lacks, bytes and resources apart. */
  async function valuesOf(
    step: PlanStep,
    plan: Plan,
    { signal }: ExecutorContext,
  ): Promise<{ input: Record<string, unknown>; given?: Record<string, unknown> } | { error: ToolErrorInfo }> {
    const properties = toolkit.registered.get(step.tool)?.definition.inputSchema.properties ?? {};
    const { params, uris } = step;
    const input = createRecord<unknown>();
    const given = createRecord<unknown>();
    for (const [name, value] of Object.entries(plan.common)) {
      if (!Object.hasOwn(properties, name) || Object.hasOwn(params, name) || Object.hasOwn(uris, name)) continue;
      (value instanceof Uint8Array ? given : input)[name] = value;
    }
    for (const [name, value] of Object.entries(params)) (value instanceof Uint8Array ? given : input)[name] = value;
    try {
      for (const [name, uri] of Object.entries(uris)) {
        if (Object.hasOwn(params, name))
          throw new ToolError(`${name} is given both as a value and as uri_${name}: give one of them.`, {
            data: { type: errorTypes.invalidInput },
          });
        const resource = await resolveResource(uri, schemes, { signal });
        const schema = Object.hasOwn(properties, name) ? properties[name] : undefined;
        const wantsText = typeof schema === "object" && [schema.type].flat().includes("string");
        if (wantsText) input[name] = await resourceText(resource);
        else given[name] = resource;
      }
    } catch (error) {
      return { error: errorInfo(error) };
    }
    return Object.keys(given).length > 0 ? { input, given } : { input };
  }
}

function refuse(step: PlanStep, { requestId }: Plan, context: ExecutorContext, error: ToolErrorInfo): ToolResult {
  return settleUnrun(step, context, requestId, { status: "error", error });
}
