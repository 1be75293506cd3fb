import { ToolError, type ToolErrorInfo } from "@toolglot/core";
import type { CallOutcome } from "@toolglot/core/executing";
import { defined } from "@toolglot/internal";
import { shellText } from "../results/texts.ts";
import type { ShellResult } from "../shell/types.ts";

/** Returns as much of an error as a model may know: a refusal word for word, of anything else only that it happened. */
export function errorInfo(error: unknown): ToolErrorInfo {
  if (!ToolError.isInstance(error))
    return { type: "ToolFault", message: "The call failed for a reason inside the host." };
  const { type, hint } = error.data as { type?: string; hint?: string };
  return { type: type ?? "ToolError", message: error.message, ...defined({ hint }) };
}

/** Returns the outcome of a shell call. A command that fails is an error, and its output stays; one that still runs is pending. */
export function shellOutcome(
  result: ShellResult,
  tool: "command" | "input" | "ctrl",
  signal: AbortSignal,
): CallOutcome {
  const { status, exit, waiting, artifact, cwd } = result;
  const text = shellText(result);
  const base = {
    content: text === "" ? [] : [{ type: "text" as const, text }],
    metadata: { cwd, ...defined({ exit, waiting, artifact }) },
  };
  if (signal.aborted) return { status: "interrupted", ...base };
  if (status === "running") return { status: "pending", ...base };
  if (status === "not-run") {
    const type = tool === "input" ? "NoCommand" : "ShellBusy";
    const message = tool === "input" ? "Nothing was written." : "The command was not run.";
    return { status: "error", ...base, error: { type, message } };
  }
  // What was to be interrupted was: 130 for Ctrl-C, 131 for Ctrl-\\.
  const wanted = tool === "ctrl" && (exit === 130 || exit === 131);
  if (exit === undefined || exit === 0 || wanted) return { status: "ok", ...base };
  const type = status === "shell-ended" ? "ShellEnded" : "CommandFailed";
  return { status: "error", ...base, error: { type, message: `Exit status ${exit}.` } };
}
