import { type AnyCapability, defineCapability } from "@toolglot/trp-core";
import { z } from "zod";
import type { Library, LibraryDocument } from "../shop/library.ts";
import { type QueryResult, queryReadOnly, tableList } from "../shop/read-only-sql.ts";
import type { SearchHit } from "../shop/search-index.ts";
import { statementProblem } from "../shop/sql-guard.ts";

interface Found {
  query: string;
  items: SearchHit[];
  total: number;
}

/** What only reads: it can be done again as often as one likes. */
export function readingCapabilities(library: Library, database: string): AnyCapability[] {
  const search = defineCapability({
    capId: "cap.search.web.v1",
    name: "search_documents",
    description:
      "Full-text search over the company's policies, handbooks and letters. In English and Chinese, best first.",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: z.object({
      query: z
        .string()
        .min(1)
        .max(1000)
        .describe("Words to look for, in the language of the documents wanted; * for all"),
      top_k: z.number().int().min(1).max(20).default(5).describe("How many documents at most"),
    }),
    execute({ query, top_k }): Found {
      const items = library.search(query, top_k);
      return { query, items, total: items.length };
    },
    shape(value) {
      const { items, query } = value as Found;
      const names = items.slice(0, 3).map(({ title }) => title);
      const more = items.length > names.length ? ", …" : "";
      const summary =
        items.length === 0
          ? `No document mentions "${query}".`
          : `${count(items.length, "document")} for "${query}": ${names.join(", ")}${more}.`;
      return { summary, data: value };
    },
    examples: [{ args: { query: "refund deadline", top_k: 3 } }],
  });
  const fetch = defineCapability({
    capId: "cap.fetch.doc.v1",
    name: "fetch_document",
    description: "One document in full, by the id that search_documents gave.",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    args: z.object({ document_id: z.string().min(1).max(200).describe("As search_documents gave it") }),
    execute: ({ document_id }) => library.fetch(document_id),
    shape(value) {
      const { title, document_id, updated } = value as LibraryDocument;
      return { summary: `${title} (${document_id}), last changed ${updated}.`, data: value };
    },
    examples: [{ args: { document_id: "refunds" } }],
  });
  const query = defineCapability({
    capId: "cap.query.sql_read.v1",
    name: "query_sql",
    description: `Runs one read-only SELECT on the shop's SQLite database. Tables: ${tableList}. Amounts are yuan, dates ISO text.`,
    riskTier: "MEDIUM",
    ioClass: "READ",
    effect: "pure",
    args: z.object({
      sql: z.string().min(1).max(10_000).describe("One SELECT statement in SQLite's dialect"),
      limit: z.number().int().min(1).max(500).default(100).describe("How many rows at most; above 200 is not allowed"),
    }),
    // What the text alone says against it is said before anything is started.
    rules: [{ name: "one-select", check: ({ sql }) => statementProblem(sql) }],
    execute: ({ sql, limit }, { signal }) => queryReadOnly(database, sql, { limit, signal }),
    shape(value) {
      const { row_count, truncated } = value as QueryResult;
      return {
        summary: `${count(row_count, "row")}${truncated ? ", and more that the limit cut off" : ""}.`,
        data: value,
      };
    },
    examples: [{ args: { sql: "SELECT status, COUNT(*) AS n FROM orders GROUP BY status", limit: 10 } }],
  });
  return [search, fetch, query];
}

function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`;
}
