import { ToolError, type ToolErrorInfo, type ToolResult } from "@toolglot/core";
import { shellText } from "../results/texts.ts";
import type { ShellResult } from "../shell/types.ts";

/** A result without the call it belongs to. */
export type Ending = Omit<ToolResult, "callId" | "name">;

/** A call that failed, or was denied. */
export function failed(error: ToolErrorInfo): Ending {
  const status = error.type === "Denied" ? "denied" : "error";
  return { status, content: [{ type: "text", text: error.message }], error };
}

/** What a model may know of an error: a refusal word for word, of anything else only that it happened. */
export function errorInfo(error: unknown): ToolErrorInfo {
  if (!ToolError.isInstance(error))
    return { type: "ToolFault", message: "The call failed for a reason inside the host." };
  const { type, hint } = error.data as { type?: string; hint?: string };
  return { type: type ?? "ToolError", message: error.message, ...(hint === undefined ? {} : { hint }) };
}

/** What came of a shell call. A command that fails is an error, and its output stays; one that goes on is pending. */
export function shellEnding(result: ShellResult, tool: "command" | "input" | "ctrl", signal: AbortSignal): Ending {
  const { status, exit, waiting, artifact, cwd } = result;
  const text = shellText(result);
  const base = {
    content: text === "" ? [] : [{ type: "text" as const, text }],
    metadata: {
      cwd,
      ...(exit === undefined ? {} : { exit }),
      ...(waiting === undefined ? {} : { waiting }),
      ...(artifact === undefined ? {} : { artifact }),
    },
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
