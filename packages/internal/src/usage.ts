import { checkKeys } from "./check-keys.ts";

const keys = [
  "inputTokens",
  "outputTokens",
  "cachedInputTokens",
  "cacheWriteTokens",
  "reasoningTokens",
  "cost",
] as const;

/** `Usage` of core, which can't be imported here. */
type Usage = { [Key in (typeof keys)[number]]?: number };

/** Adds what is a number from 0 of what was counted. */
export function addUsage(sum: Usage, counted: Readonly<Record<string, unknown>>): void {
  for (const key of keys) {
    const given = counted[key];
    if (typeof given === "number" && given >= 0 && given < Number.POSITIVE_INFINITY) sum[key] = (sum[key] ?? 0) + given;
  }
}

/** Adds what a tool tells by `report` of its context. Throws `TypeError` for what can't be meant. */
export function addReported(
  sum: Usage,
  { usage = {}, cost = usage.cost }: { usage?: Usage | undefined; cost?: number | undefined },
): void {
  checkKeys("report: usage", usage, [
    "inputTokens:count outputTokens:count cachedInputTokens:count cacheWriteTokens:count reasoningTokens:count cost:number",
    // A run's own part of its sums, which may be passed on as they are.
    "own:object",
  ] as readonly string[] as never);
  addUsage(sum, { ...usage, cost });
}
