import { createWriteStream, mkdirSync } from "node:fs";
import { join } from "node:path";
import { type AnyTool, ToolError } from "@toolglot/core";
import { defineTool } from "@toolglot/toolkit";
import Database from "libsql";
import { z } from "zod";
import { csvLine } from "../data/csv.ts";
import { tableNames } from "../data/store.ts";

const batch = 50;

/** `export_table`: a job in the background, whose progress and end come as events. */
export function exportTool(database: string, folder: string): AnyTool {
  return defineTool({
    name: "export_table",
    description: "Writes a whole table to a CSV file in the reports folder. Runs in the background.",
    input: z.object({
      table: z.enum(tableNames as [string, ...string[]]).describe("The table's name"),
    }),
    output: z.object({ file: z.string(), rows: z.number().int() }),
    annotations: { title: "Export a table", async: true, idempotentHint: true },
    async *execute({ table }, { signal }) {
      const db = new Database(database, { timeout: 2000 });
      try {
        // The schema lets only names of tables through.
        const rows = db.prepare(`SELECT * FROM ${table}`).all() as Record<string, unknown>[];
        const file = join(folder, `${table}.csv`);
        mkdirSync(folder, { recursive: true });
        const out = createWriteStream(file);
        const failed = new Promise<never>((_, reject) => out.once("error", reject));
        failed.catch(() => undefined);
        const write = (text: string): Promise<void> =>
          Promise.race([new Promise<void>((done) => out.write(text, () => done())), failed]);
        await write(`${Object.keys(rows[0] ?? {}).join(",")}\n`);
        for (let at = 0; at < rows.length; at += batch) {
          signal.throwIfAborted();
          const lines = rows.slice(at, at + batch).map((row) => csvLine(Object.values(row)));
          await write(`${lines.join("\n")}\n`);
          yield { written: Math.min(at + batch, rows.length), of: rows.length };
        }
        await Promise.race([new Promise<void>((done) => out.end(() => done())), failed]);
        return { file, rows: rows.length };
      } catch (error) {
        if (signal.aborted) throw error;
        throw new ToolError(`The table ${table} could not be written: ${(error as Error).message}`, { cause: error });
      } finally {
        db.close();
      }
    },
  });
}
