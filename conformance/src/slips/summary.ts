import { isSilent } from "./judge.ts";
import type { Judged } from "./run.ts";

/** Longer texts are cut in the middle. */
const longest = 900;

function shortened(text: string): string {
  if (text.length <= longest) return text;
  const half = longest / 2;
  return `${text.slice(0, half)}\n… ${text.length - longest} more …\n${text.slice(-half)}`;
}

/** The silently wrong cases by class and variant, the most frequent first: how often, in which bodies, and the shortest case. */
export function summarize(judged: readonly Judged[]): string[] {
  const groups = new Map<string, Judged[]>();
  for (const one of judged.filter(({ outcome }) => isSilent(outcome))) {
    const variant = one.slipCase.variant.replace(/\d+/g, "N");
    const key = `${one.outcome}: ${one.slipCase.slip}, ${variant}`;
    groups.set(key, [...(groups.get(key) ?? []), one]);
  }
  return [...groups]
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([key, list]) => {
      const [shortest] = [...list].sort((a, b) => a.slipCase.text.length - b.slipCase.text.length) as [Judged];
      const { text, meant, end } = shortest.slipCase;
      const names = [...new Set(list.map(({ slipCase }) => slipCase.body))].slice(0, 5).join(", ");
      return [
        `${list.length} times ${key} (${names})`,
        shortened(text),
        `end ${JSON.stringify(end ?? {})}, meant ${shortened(JSON.stringify(meant))}`,
        `got ${shortened(JSON.stringify(shortest.reading))}`,
      ].join("\n");
    });
}
