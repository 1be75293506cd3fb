import { ToolError } from "@toolglot/core";
import type { DemoDocument } from "../data/documents.ts";
import { type SearchHit, SearchIndex } from "./search-index.ts";

/** A document as tools and capabilities give it. */
export interface LibraryDocument {
  document_id: string;
  title: string;
  /** `en` or `zh`. */
  language: string;
  /** ISO date of the last change. */
  updated: string;
  /** Markdown. */
  text: string;
}

/** The documents, searchable. */
export class Library {
  readonly #documents: readonly DemoDocument[];
  readonly #index: SearchIndex;

  constructor(documents: readonly DemoDocument[]) {
    this.#documents = documents;
    this.#index = new SearchIndex(documents);
  }

  /** The best `topK` documents, best first. */
  search(query: string, topK: number): SearchHit[] {
    return this.#index.search(query, topK);
  }

  /** One document in full. Throws `ToolError`, with ids that are near, when there is none. */
  fetch(documentId: string): LibraryDocument {
    const document = this.#documents.find(({ id }) => id === documentId);
    if (!document) {
      const near = this.#index.search(documentId.replaceAll(/[-_]/g, " "), 3).map((hit) => hit.document_id);
      const known = near.length > 0 ? near : this.#documents.map(({ id }) => id);
      throw new ToolError(`There is no document "${documentId}". Ids that exist: ${known.join(", ")}.`);
    }
    const { id, title, language, updated, text } = document;
    return { document_id: id, title, language, updated, text };
  }
}
