import type { Outcome } from "./simulate.ts";

/** What was wrong with a seed, and the command that plays it again, with everything that happens. */
export function reportOf({ seed, wrong }: Pick<Outcome, "seed" | "wrong">, variant?: string): string {
  const which = variant === undefined ? "" : ` --variant ${JSON.stringify(variant)}`;
  const command = `npm run simulate -- --seed ${seed}${which} --trace`;
  return [`seed ${seed}: ${command}`, ...wrong.map((line) => `  ${line}`)].join("\n");
}
