// A separate entry, because only packages that search depend on minisearch.
import MiniSearch from "minisearch";

/** What an item is found by. */
export interface IndexedText {
  /** Counts three times as much as the rest. */
  name: string;
  description: string;
  /** Names and descriptions of arguments. */
  args: string;
}

/** Finds items by words. */
export interface WordIndex<Item> {
  /** Best first; equal ones in the order of the list. */
  search(query: string, limit: number): Item[];
}

/** Words that stand everywhere in English, and would outweigh rare ones in a list of few. */
const saysNothing = new Set(
  "a an and are as at be by can do for from how i in is it its me my of on or some something that the this to up with you".split(
    " ",
  ),
);

/** BM25+ over name, description and arguments. */
export function createWordIndex<Item>(items: readonly Item[], textOf: (item: Item) => IndexedText): WordIndex<Item> {
  const index = new MiniSearch<IndexedText & { id: number }>({
    fields: ["name", "description", "args"],
    tokenize: wordsOf,
    // They come in lower case.
    processTerm: (term) => (saysNothing.has(term) ? null : term),
  });
  index.addAll(items.map((item, id) => ({ id, ...textOf(item) })));
  return {
    search(query, limit) {
      const found = index.search(query, {
        boost: { name: 3 },
        prefix: (term) => term.length >= 3 || unspaced.test(term),
        fuzzy: (term) => (term.length >= 5 ? 0.2 : false),
        weights: { fuzzy: 0.3, prefix: 0.5 },
      });
      return found
        .sort((a, b) => b.score - a.score || (a.id as number) - (b.id as number))
        .slice(0, limit)
        .map(({ id }) => items[id as number] as Item);
    },
  };
}

/** Returns the words of a schema's properties, as {@link IndexedText} wants them. */
export function argumentWords(properties: Readonly<Record<string, unknown>> = {}): string {
  return Object.entries(properties)
    .map(([name, schema]) => {
      const { description } = Object(schema) as { description?: unknown };
      return typeof description === "string" ? `${name} ${description}` : name;
    })
    .join(" ");
}

const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const runs =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|(?:(?![\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])[\p{L}\p{N}\p{M}])+/gu;

/**
 * Words in lower case: split where letters and digits end, and within `camelCase` and `snake_case`. Scripts without
 * spaces give pairs of neighbouring characters.
 */
export function wordsOf(text: string): string[] {
  const apart = text.replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2").toLowerCase();
  return [...apart.matchAll(runs)].flatMap(([run]) => (unspaced.test(run) ? pairsOf(run) : [run]));
}

function pairsOf(run: string): string[] {
  const letters = [...run];
  if (letters.length < 3) return [run];
  return letters.slice(1).map((letter, index) => `${letters[index]}${letter}`);
}
