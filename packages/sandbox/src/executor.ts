import type { Action, AnyTool, Executor, ExecutorContext, ToolErrorInfo, ToolResult } from "@toolglot/core";
import type { ImportPolicy, Sandbox, SandboxError, SandboxRun } from "./types.ts";

/** Options of {@link sandboxExecutor}. */
export interface SandboxExecutorOptions {
  /** Tools of the programs, besides those of the sandbox, and winning over them. */
  tools?: readonly AnyTool[];
  /** Default: that of the sandbox. */
  imports?: ImportPolicy;
}

/**
 * Runs code actions of the sandbox's language. Each gives one result: `data` is the program's value, `logs` what it
 * printed, `metadata.toolCalls` and `metadata.stats` are the sandbox's own. Tool calls and printed lines are reported as
 * they happen, approvals are asked of the context. The status is `denied` when the program ended in a denial that it did
 * not catch, `interrupted` when the run was aborted.
 */
export function sandboxExecutor(sandbox: Sandbox, options: SandboxExecutorOptions = {}): Executor {
  const { tools = [], imports } = options;
  return {
    handles: (action: Action): boolean => action.kind === "code" && action.language === sandbox.language,
    async execute(action: Action, context: ExecutorContext): Promise<ToolResult[]> {
      if (action.kind !== "code" || action.language !== sandbox.language) {
        throw new TypeError(`This executor runs ${sandbox.language} code: ask handles() first.`);
      }
      const run = await sandbox.run(action.source, {
        tools,
        ...(imports === undefined ? {} : { imports }),
        signal: context.signal,
        callIdPrefix: action.id,
        approve: (request) => context.approve(request),
        onLog: (entry) => context.emit({ type: "log", callId: action.id, entry }),
        onToolCallStart: ({ callId, name, args }) =>
          context.emit({ type: "tool-call-start", callId, name, input: args }),
        onToolCall: ({ callId, name, ok, ms, error }, value) =>
          context.emit({
            type: "tool-call-end",
            callId,
            name,
            status: ok ? "ok" : error?.type === "Denied" ? "denied" : "error",
            ms,
            ...(ok ? { data: value } : {}),
            ...(error ? { error } : {}),
          }),
      });
      return [toResult(action.id, run)];
    },
  };
}

function toResult(callId: string, run: SandboxRun): ToolResult {
  const common = { callId, logs: run.logs, metadata: { toolCalls: run.toolCalls, stats: run.stats } };
  if (run.status === "ok") {
    const text = typeof run.value === "string" ? run.value : JSON.stringify(run.value);
    return { ...common, status: "ok", content: [{ type: "text", text }], data: run.value };
  }
  const failed = run.toolCalls.find((call) => call.callId === run.error.callId);
  const denied = run.error.callId !== undefined && failed?.error?.type === "Denied";
  const status = denied ? "denied" : run.error.type === "Aborted" ? "interrupted" : "error";
  return {
    ...common,
    status,
    content: [{ type: "text", text: describeError(run.error) }],
    error: toErrorInfo(run.error),
  };
}

/** A failure as one text for the model. */
export function describeError({ type, message, line, sourceLine, hint }: SandboxError): string {
  const place = line === undefined ? "" : ` (line ${line}${sourceLine ? `: ${sourceLine.trim()}` : ""})`;
  return `${type}: ${message}${place}${hint ? `\n${hint}` : ""}`;
}

function toErrorInfo({ callId: _, ...info }: SandboxError): ToolErrorInfo {
  return info;
}
