import { argumentWords, createWordIndex, type WordIndex } from "@toolglot/internal/word-index";
import type { RegisteredCapability } from "./types.ts";

/** Finds capabilities by words. */
export type SearchIndex = WordIndex<RegisteredCapability>;

/** BM25+ over name, `cap_id`, description and arguments; a name counts three times as much. */
export function createSearchIndex(capabilities: readonly RegisteredCapability[]): SearchIndex {
  return createWordIndex(capabilities, ({ definition, capId, schema }) => ({
    name: `${definition.name} ${capId}`,
    description: definition.description,
    args: argumentWords(schema.properties),
  }));
}
