import { defined } from "@toolglot/internal";
import type { PlaceholderFiller, Values } from "@toolglot/secrets/executing";
import type { TextSearch } from "./types.ts";

/** Returns searches whose values are literal parts of their patterns, and a function that restores the patterns in texts. */
export function fillSearches(
  filler: PlaceholderFiller,
  written: readonly TextSearch[],
  values: Values,
): { searches: TextSearch[]; asWritten: (text: string) => string } {
  const spellings: [filled: string, written: string][] = [];
  const fill = (text: string, special: RegExp): string => {
    const filled = filler.fill(text, values, (value) => value.replace(special, "\\$&"));
    if (values.size > 0 && filled !== text) {
      spellings.push([JSON.stringify(filled).slice(1, -1), JSON.stringify(text).slice(1, -1)], [filled, text]);
    }
    return filled;
  };
  const searches = written.map(({ pattern, glob, ...search }) => ({
    ...filler.fill(search, values),
    pattern: fill(pattern, /[\\^$.*+?()[\]{}|/]/g),
    ...defined({ glob: glob === undefined ? undefined : fill(glob, /[\\*?[\]{}!]/g) }),
  }));
  const asWritten = (text: string): string =>
    spellings.reduce((said, [filled, as]) => said.replaceAll(filled, () => as), text);
  return { searches, asWritten };
}
