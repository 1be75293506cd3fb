import type {
  Action,
  AnyTool,
  ApprovalRequest,
  CodeAction,
  Decision,
  Executor,
  ExecutorContext,
  ToolResult,
  ToolStatus,
  Usage,
} from "@toolglot/core";
import { CallReport, failure, interrupted } from "@toolglot/core/executing";
import { addUsage, checkKeys, defined } from "@toolglot/internal";
import { checkRunOptions, checkSandbox, checkSession, sessionCure } from "./check-options.ts";
import type { DurableOptions, SandboxDurableRunOptions, SandboxRunParked } from "./durable/types.ts";
import { fileBlocks } from "./file-blocks.ts";
import { bindTools } from "./run/tools.ts";
import type { SandboxError, SandboxRun, SandboxRunError } from "./run-types.ts";
import type { Sandbox } from "./sandbox-types.ts";
import type { SandboxSession, SessionRun } from "./session/types.ts";
import type { ImportPolicy, ProgramStyle, SandboxRunOptions, SandboxToolCall } from "./types.ts";

/** Options of {@link sandboxExecutor}. */
export interface SandboxExecutorOptions {
  /**
   * Tools of the programs, besides those of the sandbox, and winning over them. A function is asked before each program: for
   * a toolkit whose tools change.
   */
  tools?: readonly AnyTool[] | (() => readonly AnyTool[]);
  /** Default: that of the sandbox. */
  imports?: ImportPolicy;
  /** Default: that of the sandbox. */
  style?: ProgramStyle;
  /** The programs are those of a session, and find what earlier ones left. A function is asked before each program. Not with `durable`. */
  session?: SandboxSession | ((context: ExecutorContext) => SandboxSession | Promise<SandboxSession>);
  /** Makes the runs durable: one that waits for an approval survives its process. */
  durable?: DurableExecutorOptions;
}

/** Options of an executor's durable runs: their names, and what they wait for. */
export interface DurableExecutorOptions extends Omit<DurableOptions, "id"> {
  /** Default: `<runId>:<id of the action>`. The same action resumes under the same id. */
  id?(action: CodeAction, context: ExecutorContext): string;
  /** Asked in place of the context, which can't answer `later`: such a run ends with the status `pending`. */
  approve?(request: ApprovalRequest, context: ExecutorContext): Promise<Decision | "later">;
}

/**
 * Returns an executor for code actions of the sandbox's language. Each has one result: `data` is the program's value, `logs` what it
 * printed, `content` its value as text and, in the style `notebook`, the files that it made; `metadata.toolCalls` and `metadata.stats` are the sandbox's own. Tool calls and printed lines are reported as
 * they happen, approvals are asked of the context. The status is `denied` when the program ended in a denial that it did
 * not catch, `interrupted` when the run was aborted. Of durable runs: `pending` when it waits for approvals, which
 * `metadata.parked` lists, and `in-doubt` when a call was under way as its process ended. Such a run rejects as
 * `Sandbox.run` does when another process has it, or its id belongs to another program. Of a session's programs
 * `metadata.session` has `id`, `turn` and `state`; one that rejects as `SandboxSession.run` does rejects here. An action whose program
 * is pending in its session resumes it.
 *
 * Throws `TypeError` for what is no sandbox, and for options that make no sense.
 *
 * @example
 * ```ts
 * const executor = sandboxExecutor(sandbox, { tools });
 * const [result] = await executor.execute(action, context);
 * ```
 */
export function sandboxExecutor(sandbox: Sandbox, options: SandboxExecutorOptions = {}): Executor {
  checkSandbox("sandboxExecutor()", sandbox);
  checkKeys(
    "sandboxExecutor()",
    options,
    'tools:object[]|function imports:"refuse"|"ignore-allowed" style:"attp"|"notebook" session:object|function durable:object',
    [],
    sessionCure,
  );
  const { tools: given = [], imports, style, session, durable } = options;
  checkSession("sandboxExecutor()", session);
  if (session !== undefined && durable !== undefined) {
    throw new TypeError("sandboxExecutor() takes session or durable, not both.");
  }
  const checked = typeof given === "function" ? [] : given;
  checkRunOptions({ tools: checked, ...defined({ imports, style }) });
  bindTools(sandbox.tools, checked, sandbox.language);
  checkKeys(
    "sandboxExecutor(): durable",
    durable,
    "storage:object id:function approve:function parkAfterMs:number leaseMs:number keepMs:number",
  );
  const handles = (action: Action): action is CodeAction =>
    action.kind === "code" && action.language === sandbox.language;
  return {
    handles,
    honoursHooks: true,
    // A log that ends with its process knows nothing of what that began.
    resumes: (action) => durable !== undefined && durable.storage.operations.durability !== "none" && handles(action),
    async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
      if (!handles(action)) {
        throw new TypeError(`This executor runs ${sandbox.language} code: ask handles() first.`);
      }
      const reports = reportCalls(context);
      const { id, approve, ...rest } = durable ?? {};
      const open = typeof session === "function" ? await session(context) : session;
      const { hooks, runId, stepIndex } = context;
      const options: SandboxRunOptions = {
        tools: typeof given === "function" ? given() : given,
        signal: context.signal,
        callIdPrefix: action.id,
        runId: context.runId,
        approve: async (request: ApprovalRequest) => {
          const decision = await (approve?.(request, context) ?? context.approve(request));
          return decision !== "later" && decision.later ? "later" : decision;
        },
        onLog: (entry) => context.emit({ type: "log", callId: action.id, entry }),
        ...reports.observers,
        ...defined({
          imports,
          style,
          wait: context.wait,
          ask: context.ask,
          hooked: hooks && { hooks, runId, stepIndex },
        }),
      };
      const kept = durable && { ...rest, id: id?.(action, context) ?? `${context.runId}:${action.id}` };
      const run: SandboxRun | SandboxRunParked = await (open === undefined
        ? sandbox.run(action.source, { ...options, durable: kept } as SandboxDurableRunOptions)
        : runOrResume(open, action.source, options));
      reports.close(run);
      const result = toResult(action.id, run);
      return [open === undefined ? result : inSession(result, open, run as SessionRun)];
    },
  };
}

/**
 * Reports the calls of one program to the context, each with one end. `close` ends those that the program's end cut off.
 */
function reportCalls(context: ExecutorContext): {
  observers: Pick<SandboxRunOptions, "onToolCallStart" | "onToolCallProgress" | "onToolCall">;
  close(run: SandboxRun | SandboxRunParked): void;
} {
  const open = new Map<string, CallReport>();
  const end = ({ callId, ok, ms, error }: SandboxToolCall, value?: unknown): void => {
    const report = open.get(callId);
    open.delete(callId);
    if (ok) report?.end({ status: "ok", data: value }, ms);
    else if (error === undefined) report?.end({ status: "pending" }, ms);
    else report?.end(failure(error.type === "Aborted" ? interrupted : error), ms);
  };
  return {
    observers: {
      onToolCallStart: ({ callId: id, name, args: input }) => {
        open.set(id, new CallReport(context, { id, name, input }));
      },
      onToolCallProgress: ({ callId }, value) => open.get(callId)?.progress(value),
      onToolCall: end,
    },
    close({ toolCalls }) {
      for (const call of toolCalls) end(call);
    },
  };
}

function toResult(callId: string, run: SandboxRun | SandboxRunParked): ToolResult {
  const { toolCalls, stats, logs } = run;
  const usage: Usage = {};
  for (const call of toolCalls) addUsage(usage, { ...call.usage });
  // A run that waits reports the sum when it has ended.
  const isTold = run.status !== "parked" && Object.keys(usage).length > 0;
  const common = { callId, logs, metadata: { toolCalls, stats, ...(isTold && { usage }) } };
  if (run.status === "parked") {
    const text = describeWaiting(run);
    const metadata = { ...common.metadata, parked: run.parked };
    return { ...common, metadata, status: "pending", content: [{ type: "text", text }] };
  }
  if (run.status === "ok") {
    const text = typeof run.value === "string" ? run.value : JSON.stringify(run.value);
    return {
      ...common,
      status: "ok",
      content: [{ type: "text", text }, ...fileBlocks(run.files ?? [])],
      data: run.value,
    };
  }
  const { callId: _, ...error } = run.error;
  return {
    ...common,
    status: statusOf(run),
    content: [{ type: "text", text: describeError(run.error) }],
    error,
  };
}

/** Adds to a result what became of the session, which a program that ended well can't know. */
function inSession(result: ToolResult, { id }: SandboxSession, run: SessionRun): ToolResult {
  const { turn, state } = run;
  const content = [...(result.content ?? [])];
  if (run.status === "ok" && state === "rolled-back") content.push({ type: "text", text: rolledBackText });
  return { ...result, content, metadata: { ...result.metadata, session: { id, turn, state } } };
}

/** For the model, after a program that ended well. */
const rolledBackText = "What this program left could not be kept: variables are as before it.";

function statusOf({ error, toolCalls }: SandboxRunError): ToolStatus {
  // Of the call, not of the error: a program can name its own classes as it likes.
  const type = toolCalls.find(({ callId }) => callId === error.callId)?.error?.type;
  if (type === "Denied") return "denied";
  if (type === "InDoubt") return "in-doubt";
  return error.type === "Aborted" ? "interrupted" : "error";
}

/** Runs a program in a session, or resumes it when it is pending there. */
export async function runOrResume(
  session: SandboxSession,
  code: string,
  options: SandboxRunOptions,
): Promise<SessionRun> {
  return await (session.pending?.code === code ? session.resumeRun(options) : session.run(code, options));
}

/** Returns what a parked program waits for, as one text for the model. */
export function describeWaiting({ parked }: SandboxRunParked): string {
  return `The program waits for an approval: ${parked.waiting.map(({ name }) => name).join(", ")}.`;
}

/** Returns a failure as one text for the model. */
export function describeError({ type, message, line, sourceLine, hint }: SandboxError): string {
  const place = line === undefined ? "" : ` (line ${line}${sourceLine ? `: ${sourceLine.trim()}` : ""})`;
  return `${type}: ${message}${place}${hint ? `\n${hint}` : ""}`;
}
