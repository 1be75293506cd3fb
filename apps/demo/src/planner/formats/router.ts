import type { ToolDefinition } from "@toolglot/core";
import type { PlannedCall } from "../task.ts";

/** One line of a router's catalog. */
export interface CatalogLine {
  idx: number;
  name: string;
  /** Argument names; those that may be left out end in `?`. */
  args: string[];
  description: string;
}

/** What a call of the tool `router` holds. */
export type RouterCall = PlannedCall & { input: { idx: number; name: string; args: Record<string, unknown> } };

/** The catalog in a `router` tool, or undefined when the tools are ordinary ones. */
export function readCatalog(tools: readonly ToolDefinition[] | undefined): CatalogLine[] | undefined {
  const [tool, ...others] = tools ?? [];
  if (tool?.name !== "router" || others.length > 0) return undefined;
  return [...tool.description.matchAll(/^(\d+) ([\w.-]+)\(([^)\n]*)\)[ \t]*(.*)$/gm)].map(
    ([, idx, name = "", args = "", description = ""]) => ({
      idx: Number(idx),
      name,
      args: args.split(/\s*,\s*/).filter(Boolean),
      description,
    }),
  );
}

/** Calls as a router takes them. The planner has made sure that each is in the catalog. */
export function writeRouterCalls(calls: readonly PlannedCall[], catalog: readonly CatalogLine[]): RouterCall[] {
  return calls.map(({ name, input }) => {
    const idx = catalog.find((line) => line.name === name)?.idx ?? -1;
    return { name: "router", input: { idx, name, args: input } };
  });
}

/** The value in a router's answer, as the tool of the same name would give it: a list stands under `items`. */
export function routerValue(value: unknown): unknown {
  const { items, total } = (value ?? {}) as { items?: unknown; total?: unknown };
  return Array.isArray(items) && typeof total === "number" ? items : value;
}
