import type { AnyTool } from "@toolglot/core";
import { defineTool } from "@toolglot/toolkit";
import { z } from "zod";
import { queryReadOnly, tableList } from "../shop/read-only-sql.ts";

/** `query_sql` over one SQLite file. */
export function sqlTool(database: string): AnyTool {
  return defineTool({
    name: "query_sql",
    description: "Runs one read-only SELECT on the shop's SQLite database.",
    input: z.object({
      // Here and not in the description, of which a catalog shows one sentence.
      sql: z
        .string()
        .min(1)
        .max(10_000)
        .describe(`One SELECT statement in SQLite's dialect. Tables: ${tableList}. Amounts are yuan, dates ISO text.`),
      limit: z.number().int().min(1).max(500).default(100).describe("How many rows at most"),
    }),
    output: z.object({
      rows: z.array(z.record(z.string(), z.unknown())).describe("One object per row, keys are the column names"),
      row_count: z.number().int(),
      truncated: z.boolean().describe("Whether there were more rows than the limit"),
    }),
    annotations: { title: "Query the database", readOnlyHint: true, riskTier: "MEDIUM" },
    execute: ({ sql, limit }, { signal }) => queryReadOnly(database, sql, { limit, signal }),
  });
}
