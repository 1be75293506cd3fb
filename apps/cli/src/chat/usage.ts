import type { Usage } from "@toolglot/core";
import type { Words } from "../words/index.ts";

/** Returns what so many tokens were, and what they cost: `1,234 tokens read · 56 written · 0.0012 USD`. Undefined when nothing was counted. */
export function usageText(
  { inputTokens, outputTokens, cachedInputTokens = 0 }: Usage,
  costs: ReadonlyMap<string, number>,
  words: Words["chat"],
): string | undefined {
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const count = (tokens = 0): string => tokens.toLocaleString("en-US");
  const money = [...costs].map(([currency, cost]) => `${amount(cost)} ${currency}`);
  return words.usageOf(
    count(inputTokens),
    cachedInputTokens > 0 ? count(cachedInputTokens) : undefined,
    count(outputTokens),
    money,
  );
}

/** Two digits that say something, and no fewer than cents. */
function amount(cost: number): string {
  return cost >= 0.1 || cost === 0 ? cost.toFixed(2) : cost.toFixed(Math.min(9, 1 - Math.floor(Math.log10(cost))));
}

/** Sums over the runs of a chat. */
export class UsageTotals {
  questions = 0;
  turns = 0;
  usage: Usage = {};
  /** By currency. */
  readonly costs = new Map<string, number>();

  add({ turns, usage }: { turns: number; usage: Usage }, currency: string | undefined): void {
    this.questions += 1;
    this.turns += turns;
    const { cost, ...tokens } = usage;
    for (const [name, count] of Object.entries(tokens) as [keyof typeof tokens, number][])
      this.usage[name] = (this.usage[name] ?? 0) + count;
    if (cost !== undefined && currency !== undefined) this.costs.set(currency, (this.costs.get(currency) ?? 0) + cost);
  }
}
