import {
  createRecord,
  type ExecutorContext,
  type OperationLog,
  type Plan,
  type PlanStep,
  type ToolCall,
  ToolError,
  type ToolErrorInfo,
  type ToolResult,
} from "@toolglot/core";
import { ApprovalQueue } from "@toolglot/core/executing";
import { MemoryOperationLog } from "@toolglot/core/operation-log";
import { settleWithin, unsettled } from "@toolglot/internal";
import { errorInfo, errorTypes } from "../errors.ts";
import { dataResolver, type ResourceSchemes, resolveResource, resourceText } from "../resource.ts";
import type { Tasks } from "../tasks/tasks.ts";
import type { Toolkit } from "../toolkit.ts";
import { executeCall } from "./execute-call.ts";
import { type Begin, runOnce } from "./run-once.ts";
import { settleUnrun } from "./unrun.ts";

/** Options of {@link PlanRunner}. */
export interface PlanRunnerOptions {
  tasks: Tasks;
  operationLog?: OperationLog;
  operationScope?: string;
  resources?: ResourceSchemes;
}

/**
 * Runs plans on a toolkit, one step after another.
 *
 * A step that fails is tried again `retry` times, unless it is known that this can't help (its input is wrong, it was
 * denied) or not known whether it took effect (it ran out of time, and may not run twice). Then `onError` decides: `stop`
 * leaves the steps after it, which end as `NotRun`; `continue` goes on. A step with `errors` fails without being run. A
 * step of an asynchronous tool counts as done when its task has started. A plan with a `requestId` runs once: see
 * `runOnce`.
 */
export class PlanRunner {
  readonly #toolkit: Toolkit;
  readonly #tasks: Tasks;
  readonly #log: OperationLog;
  readonly #scope: string;
  readonly #schemes: ResourceSchemes;

  constructor(toolkit: Toolkit, options: PlanRunnerOptions) {
    this.#toolkit = toolkit;
    this.#tasks = options.tasks;
    this.#log = options.operationLog ?? new MemoryOperationLog();
    this.#scope = options.operationScope ?? "plan";
    this.#schemes = { data: dataResolver, ...options.resources };
  }

  /** Exactly one result per step, in the order of the steps. Never rejects for what a model or a tool did. */
  async run(plan: Plan, context: ExecutorContext): Promise<ToolResult[]> {
    if (plan.requestId === undefined) return this.#steps(plan, context);
    const once = { log: this.#log, scope: this.#scope, context };
    return runOnce(plan, once, (begin) => this.#steps(plan, context, begin));
  }

  async #steps(plan: Plan, context: ExecutorContext, begin?: Begin): Promise<ToolResult[]> {
    const approvals = new ApprovalQueue();
    const results: ToolResult[] = [];
    let failed: number | undefined;
    for (const step of plan.steps) {
      const result =
        failed === undefined
          ? await this.#step(step, plan, context, approvals, begin)
          : refuse(step, plan, context, {
              type: errorTypes.notRun,
              message: `Step ${step.index} did not run, because step ${failed} failed.`,
            });
      results.push(result);
      const ok = result.status === "ok" || result.status === "pending";
      if (!ok && failed === undefined && step.onError === "stop") failed = step.index;
    }
    return results;
  }

  async #step(
    step: PlanStep,
    plan: Plan,
    context: ExecutorContext,
    approvals: ApprovalQueue,
    begin: Begin | undefined,
  ): Promise<ToolResult> {
    const [first, ...more] = step.errors;
    if (first) {
      const message = [first, ...more].map((error) => error.message).join("\n");
      return refuse(step, plan, context, { ...first, message });
    }
    const read = await settleWithin(this.#values(step, plan, context), { signal: context.signal });
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
    return executeCall(this.#toolkit, call, context, {
      approvals,
      tasks: this.#tasks,
      step: step.index,
      retry: step.retry,
      ...(begin && { begin }),
      ...("given" in values && { given: values.given }),
    });
  }

  /** A step's input: common parameters that its tool takes and that it lacks, bytes and resources apart. */
  async #values(
    step: PlanStep,
    plan: Plan,
    { signal }: ExecutorContext,
  ): Promise<{ input: Record<string, unknown>; given?: Record<string, unknown> } | { error: ToolErrorInfo }> {
    const properties = this.#toolkit.registered.get(step.tool)?.definition.inputSchema.properties ?? {};
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
        const resource = await resolveResource(uri, this.#schemes, { signal });
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
