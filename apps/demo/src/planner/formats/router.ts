import type { ToolDefinition, ToolErrorInfo, ToolResult } from "@toolglot/core";
import { type Outcome, outcomeOf } from "../task.ts";

export type CatalogLine = { idx: number; name: string; description: string };

export type RouterCall = { idx: number; name: string; args: Record<string, unknown> };

// `idx name(args) flags what it does`
const catalogLine = /^(\d+) ([\w.-]+)\([^)\n]*\)(?: (?:R|W|![A-Z]+|key|approval)(?= |$))* ?(.*)$/gm;

/** The catalog in a `router` tool, or undefined when the tools are ordinary ones. */
export function readCatalog(tools: readonly ToolDefinition[] | undefined): CatalogLine[] | undefined {
  const [tool, ...others] = tools ?? [];
  if (tool?.name !== "router" || others.length > 0) return undefined;
  const lines = [...tool.description.matchAll(catalogLine)];
  return lines.map(([, idx, name = "", description = ""]) => ({ idx: Number(idx), name, description }));
}

type Entry = Partial<Record<"status" | "error" | "approval_id", string>> & { data?: unknown; warnings?: unknown[] };

/** What became of the calls of one answer, in their order: several stand in a list. */
export function readRouterResult({ status, data, error }: ToolResult): Outcome[] {
  if (Array.isArray(data)) return (data as Entry[]).map((entry) => readEntry(entry.status, entry));
  return [readEntry(status, (data ?? {}) as Entry, error)];
}

function readEntry(status = "ok", entry: Entry, error?: ToolErrorInfo): Outcome {
  if (status === "pending") return { status: "denied", waitsFor: entry.approval_id ?? "router" };
  // Counting with a part of the rows would give a wrong number.
  if (status === "ok" && entry.warnings?.length)
    return outcomeOf("error", { errorType: "Cut", message: entry.warnings.join("; ") });
  // As the tool of the same name gives it: a list stands under `items`.
  const { items, total } = (entry.data ?? {}) as { items?: unknown; total?: unknown };
  const value = Array.isArray(items) && typeof total === "number" ? items : entry.data;
  return outcomeOf(status, { value, errorType: error?.type, message: error?.message ?? entry.error });
}
