import type { ToolErrorInfo } from "@toolglot/core";

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
