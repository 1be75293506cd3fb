import type { AnyTool } from "@toolglot/core";
import { defineTool } from "@toolglot/toolkit";
import { z } from "zod";
import type { Library } from "../shop/library.ts";

/** `search_documents` and `fetch_document` over one set of documents. */
export function documentTools(library: Library): { search: AnyTool; fetch: AnyTool } {
  const search = defineTool({
    name: "search_documents",
    description:
      "Full-text search over the company's policies, handbooks and letters, in English and Chinese. Best first.",
    input: z.object({
      query: z
        .string()
        .min(1)
        .max(1000)
        .describe("Words to look for, in the language of the documents wanted; * for all"),
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
    execute: ({ query, top_k }) => library.search(query, top_k),
  });
  const fetch = defineTool({
    name: "fetch_document",
    description: "One document in full, by the id that search_documents gave.",
    input: z.object({ document_id: z.string().min(1).max(200).describe("As returned by search_documents") }),
    output: z.object({
      document_id: z.string(),
      title: z.string(),
      language: z.string(),
      updated: z.string().describe("ISO date of the last change"),
      text: z.string().describe("Markdown"),
    }),
    annotations: { title: "Fetch a document", readOnlyHint: true, riskTier: "LOW" },
    execute: ({ document_id }) => library.fetch(document_id),
  });
  return { search, fetch };
}
