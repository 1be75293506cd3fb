import { type AnyTool, ToolError } from "@toolglot/core";
import { defineTool } from "@toolglot/toolkit";
import { z } from "zod";
import type { DemoDocument } from "../data/documents.ts";
import { SearchIndex } from "./search-index.ts";

/** `search_documents` and `fetch_document` over one set of documents. */
export function documentTools(documents: readonly DemoDocument[]): AnyTool[] {
  const index = new SearchIndex(documents);
  const search = defineTool({
    name: "search_documents",
    description:
      "Full-text search over the company's policies, handbooks and letters, in English and Chinese. Best first.",
    input: z.object({
      query: z.string().min(1).describe("Words to look for, in the language of the documents wanted"),
      top_k: z.number().int().min(1).max(20).default(5).describe("How many documents at most"),
    }),
    output: z.array(
      z.object({
        document_id: z.string().describe("For fetch_document"),
        title: z.string(),
        language: z.string().describe("en or zh"),
        score: z.number(),
        snippet: z.string().describe("The passage that fits best"),
      }),
    ),
    annotations: { title: "Search documents", readOnlyHint: true, riskTier: "LOW" },
    execute: ({ query, top_k }) => index.search(query, top_k),
  });
  const fetch = defineTool({
    name: "fetch_document",
    description: "One document in full, by the id that search_documents gave.",
    input: z.object({ document_id: z.string().min(1).describe("As returned by search_documents") }),
    output: z.object({
      document_id: z.string(),
      title: z.string(),
      language: z.string(),
      updated: z.string().describe("ISO date of the last change"),
      text: z.string().describe("Markdown"),
    }),
    annotations: { title: "Fetch a document", readOnlyHint: true, riskTier: "LOW" },
    execute({ document_id }) {
      const document = documents.find(({ id }) => id === document_id);
      if (!document) {
        const near = index.search(document_id.replaceAll(/[-_]/g, " "), 3).map((hit) => hit.document_id);
        const known = near.length > 0 ? near : documents.map(({ id }) => id);
        throw new ToolError(`There is no document "${document_id}". Ids that exist: ${known.join(", ")}.`);
      }
      const { id, title, language, updated, text } = document;
      return { document_id: id, title, language, updated, text };
    },
  });
  return [search, fetch];
}
