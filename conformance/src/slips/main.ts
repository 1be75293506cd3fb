import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitLine, page, printed } from "@toolglot/internal/testing/pages";
import { measureSlips } from "./tables.ts";

/** Reads every slip with every parser, prints the tables and writes the page. Quick: every 25th slip, and no page. */
export async function main(conformance: string, isQuick: boolean): Promise<void> {
  const slips = await measureSlips(conformance, isQuick ? 25 : 1, (text) => console.error(`· ${text}`));
  console.log(printed(slips));
  if (isQuick) return;
  const text = readFileSync(join(conformance, "slips/page.md"), "utf8");
  const root = join(conformance, "..");
  const file = join(conformance, "slips/results.md");
  writeFileSync(file, page(text, [commitLine(root, "packages", "conformance")], { slips }));
  console.error(`wrote ${file}`);
}
