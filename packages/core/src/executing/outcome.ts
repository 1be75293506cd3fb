import type { ToolErrorInfo, ToolResult } from "../tool.ts";

/** How a call ended, without the call. */
export type CallOutcome = Omit<ToolResult, "callId" | "name">;

/** A call that did not end well, with a text for the model. `Denied` and `Interrupted` errors give the status of that name. */
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
