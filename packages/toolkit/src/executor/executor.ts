import type {
  Action,
  CallsAction,
  Executor,
  ExecutorContext,
  OperationLog,
  PlanAction,
  ToolCall,
  ToolResult,
} from "@toolglot/core";
import { ApprovalQueue, checkConcurrency, inOrder } from "@toolglot/core/executing";
import { checkKeys } from "@toolglot/internal";
import { Tasks } from "../tasks/tasks.ts";
import type { Toolkit } from "../toolkit.ts";
import { executeCall } from "./execute-call.ts";
import type { ToolkitExecutorOptions } from "./options.ts";
import { planRunner } from "./plan-runner.ts";

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
