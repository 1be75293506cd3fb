import { type AnyCapability, capabilityOf } from "@toolglot/trp-core";
import type { Library, LibraryDocument } from "../shop/library.ts";
import type { QueryResult } from "../shop/read-only-sql.ts";
import type { SearchHit } from "../shop/search-index.ts";
import { statementProblem } from "../shop/sql-guard.ts";
import { documentTools } from "../tools/search.ts";
import { sqlTool } from "../tools/sql.ts";

interface Found {
  query: string;
  items: SearchHit[];
  total: number;
}

/** The demo's tools that only read, as capabilities: they can be run again as often as one likes. */
export function readingCapabilities(library: Library, database: string): AnyCapability[] {
  const tools = documentTools(library);
  const search = capabilityOf(tools.search, {
    capId: "cap.search.web.v1",
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
  const fetch = capabilityOf(tools.fetch, {
    capId: "cap.fetch.doc.v1",
    shape(value) {
      const { title, document_id, updated } = value as LibraryDocument;
      return { summary: `${title} (${document_id}), last changed ${updated}.`, data: value };
    },
    examples: [{ args: { document_id: "refunds" } }],
  });
  const query = capabilityOf(sqlTool(database), {
    capId: "cap.query.sql_read.v1",
    // What the text alone says against it is said before anything is started.
    rules: [{ name: "one-select", check: ({ sql }) => statementProblem(sql) }],
    shape(value) {
      const { row_count, truncated } = value as QueryResult;
      const more = truncated ? ", and more that the limit cut off" : "";
      return { summary: `${count(row_count, "row")}${more}.`, data: value };
    },
    examples: [{ args: { sql: "SELECT status, COUNT(*) AS n FROM orders GROUP BY status", limit: 10 } }],
  });
  return [search, fetch, query];
}

function count(number: number, noun: string): string {
  return `${number} ${number === 1 ? noun : `${noun}s`}`;
}
