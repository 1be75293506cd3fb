import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commitLine, page, printed } from "@toolglot/internal/testing/pages";
import { measureDialectSlips } from "./dialects/tables.ts";
import { measureSlips } from "./tables.ts";

/** So many cases of dialects are one that is read: there are a million. */
const oneOf = 7;

/** Reads the slips of all dialects, prints the tables and writes their page. Quick: few of them, and no page. */
export function mainOfDialects(conformance: string, isQuick: boolean): void {
  const dialects = measureDialectSlips(conformance, isQuick ? 200 : oneOf, (text) => console.error(`· ${text}`));
  console.log(printed(dialects));
  if (isQuick) return;
  const text = readFileSync(join(conformance, "slips/dialects-page.md"), "utf8");
  const about = [commitLine(join(conformance, ".."), "packages", "conformance")];
  writeFileSync(join(conformance, "slips/dialects.md"), page(text, about, { dialects }));
}

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
