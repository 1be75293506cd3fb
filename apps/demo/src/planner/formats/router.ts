import type { ToolDefinition, ToolErrorInfo, ToolResult } from "@toolglot/core";
import type { Outcome, PlannedCall } from "../task.ts";

/** One line of a router's catalog. */
export type CatalogLine = { idx: number; name: string; description: string };

/** One call as a router takes it. */
export type RouterCall = { idx: number; name: string; args: Record<string, unknown> };

/** The catalog in a `router` tool, or undefined when the tools are ordinary ones. */
export function readCatalog(tools: readonly ToolDefinition[] | undefined): CatalogLine[] | undefined {
  const [tool, ...others] = tools ?? [];
  if (tool?.name !== "router" || others.length > 0) return undefined;
  return [...tool.description.matchAll(catalogLine)].map(([, idx, name = "", description = ""]) => ({
    idx: Number(idx),
    name,
    description,
  }));
}

// `idx name(args) flags what it does`
const catalogLine = /^(\d+) ([\w.-]+)\([^)\n]*\)(?: (?:R|W|![A-Z]+|key|approval)(?= |$))* ?(.*)$/gm;

/** Calls as a router takes them. The planner has made sure that each is in the catalog. */
export function toRouterCalls(calls: readonly PlannedCall[], catalog: readonly CatalogLine[]): RouterCall[] {
  const numbers = new Map(catalog.map(({ name, idx }) => [name, idx]));
  return calls.map(({ name, input }) => ({ idx: numbers.get(name) ?? -1, name, args: input }));
}

type Entry = Partial<Record<"status" | "error" | "approval_id", string>> & { data?: unknown; warnings?: unknown[] };

/** What became of the calls of one answer, in their order: several stand in a list. */
export function readRouterResult(result: ToolResult): Outcome[] {
  const { status, data, error } = result;
  if (Array.isArray(data)) return (data as Entry[]).map((entry) => outcomeOf(entry.status ?? "ok", entry));
  return [outcomeOf(status, (data ?? {}) as Entry, error)];
}

function outcomeOf(status: string, entry: Entry, error?: ToolErrorInfo): Outcome {
  const message = error?.message ?? entry.error ?? "";
  switch (status) {
    case "ok":
      // Counting with a part of the rows would give a wrong number.
      if (entry.warnings?.length) return { status: "error", errorType: "Cut", message: entry.warnings.join("; ") };
      return { status: "ok", value: toolValue(entry.data) };
    case "pending":
      return { status: "denied", waitsFor: entry.approval_id ?? "router" };
    case "denied":
      return { status: "denied", message };
    default:
      return { status: "error", errorType: error?.type ?? "Error", message };
  }
}

/** The value as the tool of the same name would give it: a list stands under `items`. */
function toolValue(value: unknown): unknown {
  const { items, total } = (value ?? {}) as { items?: unknown; total?: unknown };
  return Array.isArray(items) && typeof total === "number" ? items : value;
}
