import MiniSearch from "minisearch";
import type { RegisteredCapability } from "./types.ts";

/** Finds capabilities by words. */
export interface SearchIndex {
  /** Best first; equal ones in order of registration. */
  search(query: string, limit: number): RegisteredCapability[];
}

/** Words that stand everywhere in English, and would outweigh rare ones in a catalog of few. */
const saysNothing = new Set(
  "a an and are as at be by can do for from how i in is it its me my of on or some something that the this to up with you".split(
    " ",
  ),
);

/** BM25+ over name, `cap_id`, description and arguments; a name counts three times as much. */
export function createSearchIndex(capabilities: readonly RegisteredCapability[]): SearchIndex {
  const index = new MiniSearch<{ id: number; name: string; description: string; args: string }>({
    fields: ["name", "description", "args"],
    tokenize: wordsOf,
    // They come in lower case.
    processTerm: (term) => (saysNothing.has(term) ? null : term),
  });
  index.addAll(
    capabilities.map(({ definition, capId, schema }, id) => ({
      id,
      name: `${definition.name} ${capId}`,
      description: definition.description,
      args: argumentWords(schema.properties),
    })),
  );
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
        .flatMap(({ id }) => capabilities[id as number] ?? []);
    },
  };
}

function argumentWords(properties: RegisteredCapability["schema"]["properties"] = {}): string {
  return Object.entries(properties)
    .map(([name, schema]) => `${name} ${typeof schema === "object" ? (schema.description ?? "") : ""}`)
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
