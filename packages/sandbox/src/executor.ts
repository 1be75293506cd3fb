import type {
  Action,
  AnyTool,
  ApprovalRequest,
  CodeAction,
  Decision,
  Executor,
  ExecutorContext,
  ToolErrorInfo,
  ToolResult,
  ToolStatus,
} from "@toolglot/core";
import { CallReport, failure, interrupted } from "@toolglot/core/executing";
import { checkKeys, defined } from "@toolglot/internal";
import { checkDurable, checkRunOptions, checkSandbox } from "./check-options.ts";
import type { DurableOptions, SandboxRunParked } from "./durable/types.ts";
import { bindTools } from "./run/tools.ts";
import type {
  ImportPolicy,
  Sandbox,
  SandboxError,
  SandboxRun,
  SandboxRunError,
  SandboxRunOptions,
  SandboxToolCall,
} from "./types.ts";

/** Options of {@link sandboxExecutor}. */
export interface SandboxExecutorOptions {
  /**
   * Tools of the programs, besides those of the sandbox, and winning over them. A function is asked before each program: for
   * a toolkit whose tools change.
   */
  tools?: readonly AnyTool[] | (() => readonly AnyTool[]);
  /** Default: that of the sandbox. */
  imports?: ImportPolicy;
  /** Makes the runs durable: one that waits for an approval survives its process. */
  durable?: DurableExecutorOptions;
}

/** How an executor names its durable runs, and what they wait for. */
export interface DurableExecutorOptions extends Omit<DurableOptions, "id"> {
  /** Default: `<runId>:<id of the action>`. The same action goes on under the same id. */
  id?(action: CodeAction, context: ExecutorContext): string;
  /** Asked in place of the context, which can't answer `later`: such a run ends with the status `pending`. */
  approve?(request: ApprovalRequest, context: ExecutorContext): Promise<Decision | "later">;
}

/**
 * Runs code actions of the sandbox's language. Each gives one result: `data` is the program's value, `logs` what it
 * printed, `metadata.toolCalls` and `metadata.stats` are the sandbox's own. Tool calls and printed lines are reported as
 * they happen, approvals are asked of the context. The status is `denied` when the program ended in a denial that it did
 * not catch, `interrupted` when the run was aborted. Of durable runs: `pending` when it waits for approvals, which
 * `metadata.parked` lists, and `in-doubt` when a call was under way as its process ended. Such a run rejects as
 * `Sandbox.run` does when another process has it, or its id belongs to another program.
 *
 * Throws `TypeError` for what is no sandbox, and for options that make no sense.
 */
export function sandboxExecutor(sandbox: Sandbox, options: SandboxExecutorOptions = {}): Executor {
  checkSandbox("sandboxExecutor()", sandbox);
  checkKeys("sandboxExecutor()", options, "tools imports durable");
  const { tools: given = [], imports, durable } = options;
  const checked = typeof given === "function" ? [] : given;
  checkRunOptions({ tools: checked, ...defined({ imports }) });
  bindTools(sandbox.tools, checked, sandbox.language);
  if (durable !== undefined) {
    checkDurable(durable);
    checkKeys("sandboxExecutor(): durable", durable, "log id approve parkAfterMs leaseMs keepMs");
  }
  return {
    handles: (action: Action): boolean => action.kind === "code" && action.language === sandbox.language,
    async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
      if (action.kind !== "code" || action.language !== sandbox.language) {
        throw new TypeError(`This executor runs ${sandbox.language} code: ask handles() first.`);
      }
      const reports = new CallReports(context);
      const common: SandboxRunOptions = {
        tools: typeof given === "function" ? given() : given,
        ...defined({ imports }),
        signal: context.signal,
        callIdPrefix: action.id,
        approve: (request) => context.approve(request),
        ...defined({ wait: context.wait }),
        onLog: (entry) => context.emit({ type: "log", callId: action.id, entry }),
        ...reports.observers(),
      };
      if (durable === undefined) {
        const run = await sandbox.run(action.source, common);
        reports.close(run);
        return [toResult(action.id, run)];
      }
      const { id, approve, ...rest } = durable;
      const run = await sandbox.run(action.source, {
        ...common,
        approve: (request) => (approve ? approve(request, context) : context.approve(request)),
        durable: { ...rest, id: id?.(action, context) ?? `${context.runId}:${action.id}` },
      });
      reports.close(run);
      return [toResult(action.id, run)];
    },
  };
}

/** Reports the calls of one program to the context, each with one end, also of those that the program's end cut off. */
class CallReports {
  readonly #context: ExecutorContext;
  readonly #open = new Map<string, CallReport>();

  constructor(context: ExecutorContext) {
    this.#context = context;
  }

  observers(): SandboxRunOptions {
    return {
      onToolCallStart: ({ callId, name, args }) => {
        this.#open.set(callId, new CallReport(this.#context, { id: callId, name, input: args }));
      },
      onToolCallProgress: ({ callId }, value) => this.#open.get(callId)?.progress(value),
      onToolCall: (call, value) => this.#end(call, value),
    };
  }

  /** Ends the reports of calls that have not ended. */
  close({ toolCalls }: SandboxRun | SandboxRunParked): void {
    for (const call of toolCalls) this.#end(call, undefined);
  }

  #end({ callId, ok, ms, error }: SandboxToolCall, value: unknown): void {
    const report = this.#open.get(callId);
    this.#open.delete(callId);
    if (ok) report?.end({ status: "ok", data: value }, ms);
    else if (error === undefined) report?.end({ status: "pending" }, ms);
    else report?.end(failure(error.type === "Aborted" ? interrupted : error), ms);
  }
}

function toResult(callId: string, run: SandboxRun | SandboxRunParked): ToolResult {
  const common = { callId, logs: run.logs, metadata: { toolCalls: run.toolCalls, stats: run.stats } };
  if (run.status === "parked") {
    const names = run.parked.waiting.map(({ name }) => name).join(", ");
    const text = `The program waits for an approval: ${names}.`;
    const metadata = { ...common.metadata, parked: run.parked };
    return { ...common, metadata, status: "pending", content: [{ type: "text", text }] };
  }
  if (run.status === "ok") {
    const text = typeof run.value === "string" ? run.value : JSON.stringify(run.value);
    return { ...common, status: "ok", content: [{ type: "text", text }], data: run.value };
  }
  return {
    ...common,
    status: statusOf(run),
    content: [{ type: "text", text: describeError(run.error) }],
    error: toErrorInfo(run.error),
  };
}

function statusOf({ error, toolCalls }: SandboxRunError): ToolStatus {
  const failed = toolCalls.find((call) => call.callId === error.callId);
  // Of the call, not of the error: a program can name its own classes as it likes.
  if (error.callId !== undefined && failed?.error?.type === "Denied") return "denied";
  if (error.callId !== undefined && failed?.error?.type === "InDoubt") return "in-doubt";
  return error.type === "Aborted" ? "interrupted" : "error";
}

/** A failure as one text for the model. */
export function describeError({ type, message, line, sourceLine, hint }: SandboxError): string {
  const place = line === undefined ? "" : ` (line ${line}${sourceLine ? `: ${sourceLine.trim()}` : ""})`;
  return `${type}: ${message}${place}${hint ? `\n${hint}` : ""}`;
}

function toErrorInfo({ callId: _, ...info }: SandboxError): ToolErrorInfo {
  return info;
}
