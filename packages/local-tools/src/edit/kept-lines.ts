import { diffArrays } from "diff";
import type { FoldedPlace, Span } from "./folded-find.ts";

/** A part of a text, and what takes its place. */
export interface Replacement extends Span {
  replace: string;
}

/** Lines of find and replace that are compared: above so many differences, only those at both ends are paired. */
const maxDifferences = 1_000;

/**
 * The replacements that turn a place into its replacement, and leave every line of the file as it is that the replacement has in
 * common with find. A line that is moved takes the file's form with it. With LF ends, as the text.
 */
export function keepLines(text: string, { find, replace, lines }: FoldedPlace): Replacement[] {
  // The file's form of each line. A blank one has none that a new blank line should get.
  const own = new Map<string, string>();
  for (const [index, { from, to }] of lines.entries()) {
    const line = find[index] as string;
    if (line.trim() !== "" && !own.has(line)) own.set(line, text.slice(from, to));
  }
  const made: Replacement[] = [];
  let before: Pair | undefined;
  for (const pair of [...pairsOf(find, replace), undefined]) {
    const from = before === undefined ? (lines[0] as Span).from : (lines[before[0]] as Span).to;
    const to = pair === undefined ? (lines.at(-1) as Span).to : (lines[pair[0]] as Span).from;
    const [oldFrom, newFrom] = before === undefined ? [0, 0] : [before[0] + 1, before[1] + 1];
    const [oldTo, newTo] = pair ?? [find.length, replace.length];
    const news = replace.slice(newFrom, newTo).map((line, index) => {
      const form = own.get(line) ?? line;
      // The last line may go on behind the place: white space at a line's end would then stand within it.
      return newFrom + index === replace.length - 1 ? form.trimEnd() + line.slice(line.trimEnd().length) : form;
    });
    if (oldFrom < oldTo || news.length > 0) {
      const around = [...(before === undefined ? [] : [""]), ...news, ...(pair === undefined ? [] : [""])];
      made.push({ from, to, replace: around.join("\n") });
    }
    before = pair;
  }
  return made;
}

/** The numbers of a line of find and of the same line of the replacement. The last line is paired with the last one only. */
type Pair = [find: number, replace: number];

function pairsOf(find: readonly string[], replace: readonly string[]): Pair[] {
  const shorter = Math.min(find.length, replace.length);
  let [head, tail] = [0, 0];
  while (head < shorter && find[head] === replace[head]) head++;
  while (tail < shorter - head && find.at(-1 - tail) === replace.at(-1 - tail)) tail++;
  const pairs: Pair[] = [];
  for (let index = 0; index < head; index++) pairs.push([index, index]);
  const olds = find.slice(head, find.length - tail);
  const news = replace.slice(head, replace.length - tail);
  let [old, now] = [head, head];
  for (const { added, removed, count } of diffArrays(olds, news, { maxEditLength: maxDifferences }) ?? []) {
    for (let index = 0; index < count && !added && !removed; index++) pairs.push([old + index, now + index]);
    if (!added) old += count;
    if (!removed) now += count;
  }
  for (let index = tail; index > 0; index--) pairs.push([find.length - index, replace.length - index]);
  return pairs.filter(([old, now]) => now < replace.length - 1 || old === find.length - 1);
}
