import { setTimeout as sleep } from "node:timers/promises";
import { type AnyCapability, CapabilityError, defineCapability } from "@toolglot/trp-core";
import { z } from "zod";
import { csvLine } from "../data/csv.ts";
import { tableNames } from "../data/store.ts";
import type { QueryResult } from "../shop/read-only-sql.ts";
import { queryReadOnly } from "../shop/read-only-sql.ts";

/** Rows that are read, and told, at once. */
const page = 20;

/**
 * The one capability that takes long: it says how far it is, can run ASYNC, and can be cancelled. It reads slowly on purpose,
 * as an export does that shares its database with others.
 */
export function exportCapability(database: string): AnyCapability {
  return defineCapability({
    capId: "cap.export.table.v1",
    name: "export_table",
    description: "Exports a table of the shop's database as CSV, page by page, and says how far it is.",
    riskTier: "LOW",
    ioClass: "READ",
    effect: "pure",
    input: z.object({
      table: z.enum(tableNames as [string, ...string[]]),
      rows_per_second: z.number().int().min(10).max(10_000).default(100),
    }),
    maxTimeoutMs: 300_000,
    async execute({ table, rows_per_second }, { signal, progress }) {
      const rows: QueryResult["rows"] = [];
      for (let from = 0; ; from += page) {
        const sql = `SELECT * FROM ${table} ORDER BY rowid LIMIT ${page} OFFSET ${from}`;
        const { rows: found } = await queryReadOnly(database, sql, { limit: page, signal });
        rows.push(...found);
        if (found.length > 0)
          progress({ stage: "read", message: `${rows.length} rows of ${table}`, data: { rows: rows.length } });
        if (found.length < page) break;
        await sleep((page / rows_per_second) * 1_000, undefined, { signal });
      }
      const [first] = rows;
      if (first === undefined) throw new CapabilityError(`${table} has no rows to export.`, { outcome: "failed" });
      const lines = [Object.keys(first), ...rows.map((row) => Object.values(row))];
      return { table, rows: rows.length, csv: lines.map(csvLine).join("\n") };
    },
    shape(value) {
      const { table, rows } = value as { table: string; rows: number };
      return { summary: `${rows} rows of ${table} as CSV.`, data: value };
    },
    examples: [{ args: { table: "orders", rows_per_second: 100 } }],
  }) as AnyCapability;
}
