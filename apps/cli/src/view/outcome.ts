import type { ExecutorEvent, ToolErrorInfo, ToolResult } from "@toolglot/core";
import type { Words } from "../words/index.ts";
import type { Style } from "./style.ts";

/** How a call ended, as one sign. */
export function statusSign(status: ToolResult["status"], style: Style): string {
  if (status === "ok") return style.good("✓");
  if (status === "pending") return style.warn("…");
  return status === "denied" ? style.warn("⊘") : style.bad("✗");
}

/** What went wrong, in one line. */
export function failureText({ type, message, line }: ToolErrorInfo): string {
  return `${type}${line === undefined ? "" : ` in line ${line}`}: ${message}`;
}

/** The line of a program in which it failed, and a hint. */
export function failureDetails({ sourceLine, hint }: ToolErrorInfo): string[] {
  return [...(sourceLine ? [sourceLine.trim()] : []), ...(hint ? [`hint: ${hint}`] : [])];
}

/** What the sandbox noticed about a program that ran, as an import that was not needed. */
export function programWarnings(metadata: Record<string, unknown> | undefined): string[] {
  const stats = metadata?.stats as { warnings?: unknown } | undefined;
  return Array.isArray(stats?.warnings) ? stats.warnings.map(String) : [];
}

/** That the user is asked for a value, or how that ended. */
export function waitText(event: Extract<ExecutorEvent, { type: "wait-start" | "wait-end" }>, words: Words): string {
  return event.type === "wait-start" ? words.valueNeeded(event.key) : `${event.key}: ${words.value[event.outcome]}`;
}
