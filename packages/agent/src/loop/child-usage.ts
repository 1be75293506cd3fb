import type { ToolResult, Usage } from "@toolglot/core";
import { addUsage, isObject } from "@toolglot/internal";

/** What a run and its tools used. */
export interface UsageSums {
  /** Of the run, with what its tools used. */
  usage: Usage;
  /** Of the run alone, once a tool has used something. */
  own?: Usage | undefined;
  /** Read and written, as the limit counts them. */
  tokens: number;
}

/** Adds what something else than the run's own steps used of models. */
export function addChild(sums: UsageSums, used: Readonly<Record<string, unknown>>): void {
  sums.own ??= { ...sums.usage };
  const child: Usage = {};
  addUsage(child, used);
  addUsage(sums.usage, child as Record<string, unknown>);
  sums.tokens += (child.inputTokens ?? 0) + (child.outputTokens ?? 0);
}

/** Adds what tools say that they used of models: `usage` of the metadata of results. */
export function addChildren(sums: UsageSums, results: readonly ToolResult[]): void {
  for (const { metadata } of results) if (isObject(metadata?.usage)) addChild(sums, metadata.usage);
}
